package data

import (
	"fmt"

	"cresset/tensor"
)

// Tensors is a Dataset over tensors that are already there: sample i is their row i. Its batches stay on the tensors' device.
type Tensors struct {
	inputs, targets *tensor.Tensor
}

// FromTensors returns the data set whose sample i is inputs[i] with the target targets[i]; targets may be nil. It panics where
// their lengths differ.
func FromTensors(inputs, targets *tensor.Tensor) *Tensors {
	if inputs.Dim() == 0 || targets != nil && (targets.Dim() == 0 || targets.Shape()[0] != inputs.Shape()[0]) {
		refuse(tensor.ErrShape, "Size mismatch between tensors")
	}
	return &Tensors{inputs, targets}
}

// Len returns the number of rows.
func (t *Tensors) Len() int { return t.inputs.Shape()[0] }

// Batch copies rows. An index that no row has is an error.
func (t *Tensors) Batch(indices []int) (Batch, error) {
	if err := anyOutside(indices, t.Len()); err != nil {
		return Batch{}, err
	}
	b := Batch{Inputs: rows(t.inputs, indices)}
	if t.targets != nil {
		b.Targets = rows(t.targets, indices)
	}
	return b, nil
}

func rows(x *tensor.Tensor, indices []int) *tensor.Tensor {
	return x.IndexSelect(0, tensor.On(x.Device()).Of(indices))
}

// Samples is a Dataset that makes its samples one at a time, when they are asked for.
type Samples struct {
	N  int                                                   // how many there are
	At func(i int) (input, target *tensor.Tensor, err error) // makes sample i; all have a target or none, nil
}

// Len returns N.
func (s *Samples) Len() int { return s.N }

// Batch makes samples and stacks them. An index that no sample has is an error.
func (s *Samples) Batch(indices []int) (Batch, error) {
	if err := anyOutside(indices, s.N); err != nil {
		return Batch{}, err
	}
	var inputs, targets []*tensor.Tensor
	for _, i := range indices {
		var input, target *tensor.Tensor
		made := func() (err error) {
			input, target, err = s.At(i)
			return err
		}
		if err := making(i, made); err != nil {
			return Batch{}, err
		}
		inputs = append(inputs, input)
		if target != nil {
			targets = append(targets, target)
		}
	}
	b := Batch{Inputs: tensor.Stack(inputs, 0)}
	switch len(targets) {
	case 0:
	case len(inputs):
		b.Targets = tensor.Stack(targets, 0)
	default:
		return Batch{}, fmt.Errorf("%d of %d samples have a target", len(targets), len(inputs))
	}
	return b, nil
}
