package data_test

import (
	"context"
	"fmt"
	"io"
	"iter"
	"strings"

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

func ExampleItems() {
	type sample struct {
		Text  string
		Count int
		Noise *tensor.Tensor
	}
	type batch struct {
		Text         []string
		Count, Noise *tensor.Tensor
	}
	words := []string{"one", "three", "five"}
	set := &data.Items[sample, batch]{N: len(words), At: func(i int, g *tensor.Generator) (sample, error) {
		return sample{words[i], len(words[i]), tensor.Place{}.With(g).Rand(2)}, nil
	}}
	for b, err := range data.NewLoader(set, data.BatchSize(3), data.Workers(2)).All(context.Background()) {
		fmt.Println(b.Text, b.Count, b.Noise.Shape(), err)
	}
	// Output: [one three five] tensor([3, 5, 4]) torch.Size([3, 2]) <nil>
}

func ExampleNewWeightedRandomSampler() {
	tensor.ManualSeed(0)
	rare := data.NewWeightedRandomSampler([]float64{1, 1, 1, 9}, 8)
	fmt.Println(rare.Indices())
	table := &data.Table{Columns: []string{"x"}, Values: []float32{0, 1, 2, 3}}
	for b, err := range data.NewLoader(table, rare, data.BatchSize(8)).All(context.Background()) {
		fmt.Println(b.Inputs.Squeeze(), err)
	}
	// Output:
	// [3 3 3 3 3 3 2 3]
	// tensor([3., 3., 2., 3., 3., 3., 3., 3.]) <nil>
}

func ExampleRandomSplit() {
	parts := data.RandomSplit(data.Glyphs(data.Count(10)), []float64{0.8, 0.2}, data.Generator(tensor.NewGenerator(42)))
	fmt.Println(parts[0].Len(), parts[1].Len(), parts[1].Indices())
	// Output: 8 2 [3 7]
}

func ExampleNewStreamLoader() {
	lines := strings.NewReader("1\n2\n3\n4\n5\n")
	stream := &data.Stream[float64, *tensor.Tensor]{Read: func(context.Context) iter.Seq2[float64, error] {
		return func(yield func(float64, error) bool) {
			for {
				var v float64
				if _, err := fmt.Fscanln(lines, &v); err == io.EOF {
					return
				} else if !yield(v, err) {
					return
				}
			}
		}
	}}
	for b, err := range data.NewStreamLoader(stream, data.BatchSize(2), data.Workers(2)).All(context.Background()) {
		fmt.Println(tensor.Values[float64](b), err)
	}
	// Output:
	// [1 2] <nil>
	// [3 4] <nil>
	// [5] <nil>
}
