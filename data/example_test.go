package data_test

import (
	"context"
	"fmt"

	"cresset/data"
	"cresset/tensor"
)

func ExampleLoader() {
	tensor.ManualSeed(0)
	digits := data.Glyphs(data.GlyphOptions{Train: true, Count: 100})
	loader := data.NewLoader(digits, data.LoaderOptions{BatchSize: 32, Shuffle: true, Workers: 2, Scopes: true})
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
