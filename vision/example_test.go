package vision_test

import (
	"context"
	"fmt"

	"cresset/data"
	"cresset/tensor"
	"cresset/vision"
)

func ExampleCompose() {
	augment := vision.Compose(
		vision.RandomResizedCrop(24, 24), vision.RandomHorizontalFlip(0.5), vision.ColorJitter(vision.Brightness(0.4)), vision.ToFloat(),
		vision.Normalize([]float64{0.485, 0.456, 0.406}, []float64{0.229, 0.224, 0.225}))
	picture := tensor.Zeros(3, 40, 60)
	fmt.Println(augment(picture, tensor.NewGenerator(0)).Shape())
	// Output: torch.Size([3, 24, 24])
}

func ExampleNewTransformed() {
	tensor.ManualSeed(0)
	digits := vision.NewTransformed(data.Glyphs(data.Count(100)), vision.RandomCrop(28, 28, vision.Padding(2)))
	for batch, err := range data.NewLoader(digits, data.BatchSize(50), data.Shuffle(true), data.Workers(2)).All(context.Background()) {
		fmt.Println(batch.Inputs.Shape(), err)
	}
	// Output:
	// torch.Size([50, 1, 28, 28]) <nil>
	// torch.Size([50, 1, 28, 28]) <nil>
}
