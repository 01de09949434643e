package dist_test

import (
	"context"
	"fmt"

	"cresset/dist"
	"cresset/tensor"
)

// Three ranks of one program add up what they have.
func ExampleSpawn() {
	err := dist.Spawn(3, func(g *dist.Group) error {
		x := tensor.Full([]int{2}, float32(g.Rank()+1))
		if err := g.AllReduce(x, dist.Sum).Wait(context.Background()); err != nil {
			return err
		}
		if g.Rank() == 0 {
			fmt.Println(x)
		}
		return nil
	})
	if err != nil {
		fmt.Println(err)
	}
	// Output: tensor([6., 6.])
}
