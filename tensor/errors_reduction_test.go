package tensor

import (
	"math"
)

func reductionErrors() []errorCase {
	ints, empty := Ones(2, 3).Long(), Zeros(0, 3)
	return []errorCase{
		{golden: "mean int", kind: ErrDType, do: func() { ints.Mean() }},
		{golden: "mean int", kind: ErrDType, do: func() { ints.MeanAxes([]int{0}, KeepDim(true)) }},
		{golden: "std int", kind: ErrDType, do: func() { ints.Std() }},
		{golden: "std int", kind: ErrDType, do: func() { ints.VarAxes([]int{0}, Correction(0), KeepDim(true)) }},
		{golden: "max empty", kind: ErrShape, do: func() { empty.Max() }},
		{golden: "argmax empty", kind: ErrIndex, do: func() { empty.ArgMax() }},
		{golden: "softmax int", kind: ErrKernel, do: func() { ints.Softmax(-1) }},
		{golden: "dim oob", kind: ErrIndex, do: func() { ints.SumAxes([]int{2}) }},
		{text: "max(): Expected reduction dim 0 to have non-zero size.", kind: ErrIndex, do: func() { empty.MaxAxis(0) }},
		{text: "argmin(): Expected reduction dim 0 to have non-zero size.", kind: ErrIndex, do: func() { empty.ArgMinAxis(0) }},
		{text: "amax(): Expected reduction dim 0 to have non-zero size.", kind: ErrIndex, do: func() { empty.AMax([]int{1, 0}) }},
		{text: "amin(): Expected reduction dim -2 to have non-zero size.", kind: ErrIndex, do: func() { empty.AMin([]int{-2}) }},
		{text: "aminmax: Expected reduction dim 0 to have non-zero size.", kind: ErrIndex, do: func() { empty.AMinMax([]int{-2}) }},
		{text: "kthvalue(): Expected reduction dim 0 to have non-zero size.", kind: ErrIndex, do: func() { empty.KthValue(1, 0) }},
		{text: "quantile() input tensor must be non-empty", kind: ErrShape, do: func() { empty.NaNQuantile(0.5) }},
		{text: "quantile() input tensor must be either float or double dtype", kind: ErrDType, do: func() { ints.NaNQuantile(0.5) }},
		{text: "linalg.vector_norm cannot compute the -2.5 norm on the dimension -2because this dimension is empty and the operation does not have an identity",
			kind: ErrShape, do: func() { empty.NormAxes(-2.5, []int{-2}) }},
		{text: "amin(): Expected reduction dim to be specified for input.numel() == 0. Specify the reduction dim with the 'dim' argument.",
			kind: ErrShape, do: func() { empty.AMin(nil) }},
		{text: `argmax(): does not support bool input`, kind: ErrKernel, do: func() { ints.Bool().ArgMax() }},
		{text: `"log_softmax_kernel_impl" not implemented for 'Long'`, kind: ErrKernel, do: func() { ints.LogSoftmax(0) }},
		{text: "linalg.vector_norm: Expected a floating point or complex tensor as input. Got Long", kind: ErrDType, do: func() { ints.Norm() }},
		{text: "linalg.vector_norm cannot compute the inf norm on an empty tensor because the operation does not have an identity",
			kind: ErrShape, do: func() { empty.NormAxes(math.Inf(1), nil) }},
		{text: "dim 1 appears multiple times in the list of dims", kind: ErrValue, do: func() { ints.SumAxes([]int{1, -1}) }},
	}
}
