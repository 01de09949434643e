package nn

import (
	"iter"

	"cresset/tensor"
)

// ParametersToVector returns all elements of all parameters, in their order, as one tensor of one axis, through which gradients flow.
func ParametersToVector(ps iter.Seq2[string, *tensor.Tensor]) *tensor.Tensor {
	var flat []*tensor.Tensor
	for _, p := range ps {
		flat = append(flat, p.Reshape(-1))
	}
	return tensor.Cat(flat, 0)
}

// VectorToParameters makes the elements of v, as ParametersToVector orders them, the values of the parameters, which share v's memory
// from then on. It panics where v has too few.
func VectorToParameters(v *tensor.Tensor, ps iter.Seq2[string, *tensor.Tensor]) {
	at := 0
	for _, p := range ps {
		p.SetData(v.Detach().Slice(0, at, at+p.NumEl()).ViewAs(p))
		at += p.NumEl()
	}
}
