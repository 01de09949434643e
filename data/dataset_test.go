package data

import (
	"errors"
	"fmt"
	"slices"
	"testing"

	"cresset/dtype"
	"cresset/tensor"
)

func TestImagesBatch(t *testing.T) {
	m := &Images{Pixels: []uint8{0, 51, 102, 255, 1, 2}, Labels: []uint8{4, 7, 9}, Height: 1, Width: 2, Classes: 10}
	b, err := m.Batch([]int{1, 0, 1})
	if err != nil {
		t.Fatal(err)
	}
	checkTensor(t, b.Inputs, tensor.Shape{3, 1, 1, 2}, []float32{0.4, 1, 0, 0.2, 0.4, 1})
	checkTensor(t, b.Targets, tensor.Shape{3}, []int64{7, 4, 7})
	if b.Len() != 3 {
		t.Errorf("got %d samples, want 3", b.Len())
	}
}

func TestTableBatch(t *testing.T) {
	table := &Table{Columns: []string{"a", "b"}, Values: []float32{1, 2, 3, 4, 5, 6}, Target: "y", Targets: []float32{10, 20, 30}}
	b, err := table.Batch([]int{2, 0})
	if err != nil {
		t.Fatal(err)
	}
	checkTensor(t, b.Inputs, tensor.Shape{2, 2}, []float32{5, 6, 1, 2})
	checkTensor(t, b.Targets, tensor.Shape{2, 1}, []float32{30, 10})

	table.Targets = nil
	b, err = table.Batch([]int{1})
	if err != nil || b.Targets != nil {
		t.Errorf("without a target: got %v, %v", b.Targets, err)
	}
}

func TestIndicesOutside(t *testing.T) {
	images := &Images{Pixels: make([]uint8, 3), Labels: make([]uint8, 3), Height: 1, Width: 1, Classes: 10}
	table := &Table{Columns: []string{"a"}, Values: make([]float32, 3)}
	made := &Samples{N: 3, At: func(int) (input, target *tensor.Tensor, err error) { return tensor.Zeros(1), nil, nil }}
	check := func(name string, i int, err error) {
		t.Helper()
		want := fmt.Sprintf("index %d is out of bounds for dimension 0 with size 3", i)
		if !errors.Is(err, tensor.ErrIndex) || err.Error() != want {
			t.Errorf("%s: got %v, want %s", name, err, want)
		}
	}
	for _, i := range []int{-1, 3, 5000} {
		for _, d := range []Dataset[Batch]{images, table, made, FromTensors(tensor.Zeros(3), nil)} {
			_, err := d.Batch([]int{0, i})
			check(fmt.Sprintf("%T.Batch", d), i, err)
		}
		check("Images.At", i, tensor.Try(func() { images.At(i) }))
		check("Table.Row", i, tensor.Try(func() { table.Row(i) }))
	}
}

func checkTensor[T dtype.Element](t *testing.T, x *tensor.Tensor, shape tensor.Shape, want []T) {
	t.Helper()
	if x.DType() != dtype.Of[T]() || !slices.Equal(x.Shape(), shape) {
		t.Errorf("got %v %v, want %v %v", x.DType(), x.Shape(), dtype.Of[T](), shape)
	}
	if got := tensor.Values[T](x); !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}
