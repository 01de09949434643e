package conformance

import (
	"cresset/internal/pyexpr"
	"cresset/tensor"
)

var losses = table{
	"F.mse_loss": compared(tensor.MSELoss),
	"F.l1_loss":  compared(tensor.L1Loss),
	"F.nll_loss": func(a *pyexpr.Args) any {
		x, y, weight := input(a, "input"), input(a, "target"), optional(a, "weight")
		return tensor.NLLLoss(x, y, tensor.Weight(weight), reduction(a))
	},
	"F.binary_cross_entropy_with_logits": func(a *pyexpr.Args) any {
		x, y := input(a, "input"), input(a, "target")
		return tensor.BCEWithLogits(x, y, tensor.PosWeight(optional(a, "pos_weight")))
	},
}

// compared is a loss of a prediction and a target of its shape.
func compared(f func(x, y *tensor.Tensor, r ...tensor.Reduction) *tensor.Tensor) pyexpr.Func {
	return func(a *pyexpr.Args) any {
		x, y := input(a, "input"), input(a, "target")
		return f(x, y, reduction(a))
	}
}

func reduction(a *pyexpr.Args) tensor.Reduction {
	switch name := pyexpr.Arg(a, "reduction", "mean"); name {
	case "none":
		return tensor.NoReduction
	case "sum":
		return tensor.SumReduction
	default:
		return tensor.MeanReduction
	}
}
