package data_test

import (
	"context"
	"fmt"

	"cresset/data"
	"cresset/tensor"
)

func ExampleLoader() {
	tensor.ManualSeed(0)
	digits := data.Glyphs(data.Count(100))
	loader := data.NewLoader(digits, data.BatchSize(32), data.Shuffle(true), data.Workers(2), data.Scopes(true))
	for batch, err := range loader.All(context.Background()) {
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(batch.Inputs.Shape(), batch.Targets.DType())
	}
	// Output:
	// torch.Size([32, 1, 28, 28]) torch.int64
	// torch.Size([32, 1, 28, 28]) torch.int64
	// torch.Size([32, 1, 28, 28]) torch.int64
	// torch.Size([4, 1, 28, 28]) torch.int64
}
