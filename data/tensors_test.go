package data

import (
	"errors"
	"testing"

	"cresset/tensor"
)

func TestTensors(t *testing.T) {
	x := tensor.Of([][]float32{{1, 2}, {3, 4}, {5, 6}})
	y := tensor.Of([]int{7, 8, 9})
	d := FromTensors(x.T().T(), y)
	b, err := d.Batch([]int{2, 0, 2})
	if err != nil || d.Len() != 3 {
		t.Fatalf("got length %d, error %v", d.Len(), err)
	}
	checkTensor(t, b.Inputs, tensor.Shape{3, 2}, []float32{5, 6, 1, 2, 5, 6})
	checkTensor(t, b.Targets, tensor.Shape{3}, []int64{9, 7, 9})

	b, err = FromTensors(y, nil).Batch([]int{1})
	if err != nil || b.Targets != nil {
		t.Errorf("without targets: got %v, %v", b.Targets, err)
	}
	for _, targets := range []*tensor.Tensor{tensor.Of([]int{1, 2}), tensor.Of(1)} {
		err := tensor.Try(func() { FromTensors(x, targets) })
		if !errors.Is(err, tensor.ErrShape) || err.Error() != "Size mismatch between tensors" {
			t.Errorf("targets of shape %v: got %v", targets.Shape(), err)
		}
	}
}

func TestSamples(t *testing.T) {
	broken := errors.New("cannot be read")
	d := &Samples{N: 5, At: func(i int) (input, target *tensor.Tensor, err error) {
		switch i {
		case 3:
			return nil, nil, broken
		case 4:
			return tensor.Zeros(2), nil, nil
		}
		return tensor.Full([]int{2}, float32(i)), tensor.Of(i), nil
	}}
	b, err := d.Batch([]int{2, 1})
	if err != nil {
		t.Fatal(err)
	}
	checkTensor(t, b.Inputs, tensor.Shape{2, 2}, []float32{2, 2, 1, 1})
	checkTensor(t, b.Targets, tensor.Shape{2}, []int64{2, 1})
	if b, err = d.Batch([]int{4}); err != nil || b.Targets != nil {
		t.Errorf("without a target: got %v, %v", b.Targets, err)
	}
	if _, err = d.Batch([]int{0, 4}); err == nil || err.Error() != "1 of 2 samples have a target" {
		t.Errorf("a target missing: got %v", err)
	}
	if _, err = d.Batch([]int{0, 3}); !errors.Is(err, broken) || err.Error() != "sample 3: cannot be read" {
		t.Errorf("a broken sample: got %v", err)
	}
}
