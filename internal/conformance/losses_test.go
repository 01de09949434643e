package conformance

import (
	"cresset/internal/pyexpr"
	"cresset/tensor"
)

var losses = table{
	"Tensor.log_softmax": alongAxis((*tensor.Tensor).LogSoftmax),

	"F.mse_loss": compared(tensor.MSELoss),
	"F.l1_loss":  compared(tensor.L1Loss),
	"F.nll_loss": func(a *pyexpr.Args) any {
		x, y, weight := input(a, "input"), input(a, "target"), optional(a, "weight")
		return tensor.NLLLoss(x, y, tensor.Weight(weight), reduction(a))
	},
	"F.cross_entropy": func(a *pyexpr.Args) any {
		x, y, weight := input(a, "input"), input(a, "target"), optional(a, "weight")
		smoothing := tensor.LabelSmoothing(pyexpr.Arg(a, "label_smoothing", 0.0))
		return tensor.CrossEntropy(x, y, tensor.Weight(weight), smoothing, reduction(a))
	},
	"F.binary_cross_entropy": func(a *pyexpr.Args) any {
		x, y, weight := input(a, "input"), input(a, "target"), optional(a, "weight")
		return tensor.BCE(x, y, tensor.Weight(weight), reduction(a))
	},
	"F.binary_cross_entropy_with_logits": func(a *pyexpr.Args) any {
		x, y := input(a, "input"), input(a, "target")
		return tensor.BCEWithLogits(x, y, tensor.PosWeight(optional(a, "pos_weight")))
	},
	"F.smooth_l1_loss": func(a *pyexpr.Args) any {
		x, y := input(a, "input"), input(a, "target")
		return tensor.SmoothL1Loss(x, y, reduction(a), tensor.Beta(pyexpr.Arg(a, "beta", 1.0)))
	},
	"F.huber_loss": func(a *pyexpr.Args) any {
		x, y := input(a, "input"), input(a, "target")
		return tensor.HuberLoss(x, y, reduction(a), tensor.Delta(pyexpr.Arg(a, "delta", 1.0)))
	},
	"F.kl_div": func(a *pyexpr.Args) any {
		x, y := input(a, "input"), input(a, "target")
		batch := tensor.BatchMean(pyexpr.Arg(a, "reduction", "mean") == "batchmean")
		return tensor.KLDiv(x, y, reduction(a), batch, flag[tensor.LogTarget](a, "log_target", false))
	},
	"F.poisson_nll_loss": func(a *pyexpr.Args) any {
		x, y := input(a, "input"), input(a, "target")
		logs, full := flag[tensor.LogInput](a, "log_input", true), flag[tensor.FullLoss](a, "full", false)
		return tensor.PoissonNLLLoss(x, y, logs, full, reduction(a))
	},
	"F.gaussian_nll_loss": func(a *pyexpr.Args) any {
		x, y, v := input(a, "input"), input(a, "target"), input(a, "var")
		return tensor.GaussianNLLLoss(x, y, v, flag[tensor.FullLoss](a, "full", false), reduction(a))
	},
	"F.soft_margin_loss": compared(tensor.SoftMarginLoss),

	"F.cosine_embedding_loss": func(a *pyexpr.Args) any {
		x, y, target := input(a, "input1"), input(a, "input2"), input(a, "target")
		return tensor.CosineEmbeddingLoss(x, y, target, margin(a, 0), reduction(a))
	},
	"F.margin_ranking_loss": func(a *pyexpr.Args) any {
		x, y, target := input(a, "input1"), input(a, "input2"), input(a, "target")
		return tensor.MarginRankingLoss(x, y, target, margin(a, 0), reduction(a))
	},
	"F.hinge_embedding_loss": func(a *pyexpr.Args) any {
		x, y := input(a, "input"), input(a, "target")
		return tensor.HingeEmbeddingLoss(x, y, margin(a, 1), reduction(a))
	},
	"F.triplet_margin_loss": func(a *pyexpr.Args) any {
		x, y, z := input(a, "anchor"), input(a, "positive"), input(a, "negative")
		p := tensor.P(pyexpr.Arg(a, "p", 2.0))
		return tensor.TripletMarginLoss(x, y, z, margin(a, 1), p, flag[tensor.Swap](a, "swap", false), reduction(a))
	},
	"F.multi_margin_loss": func(a *pyexpr.Args) any {
		x, y, p := input(a, "input"), input(a, "target"), tensor.P(pyexpr.Arg(a, "p", 1.0))
		return tensor.MultiMarginLoss(x, y, p, margin(a, 1), tensor.Weight(optional(a, "weight")), reduction(a))
	},
	"F.ctc_loss": func(a *pyexpr.Args) any {
		x, targets := input(a, "log_probs"), input(a, "targets")
		inputs, labels := lengths(a, "input_lengths"), lengths(a, "target_lengths")
		blank, zero := tensor.Blank(pyexpr.Arg(a, "blank", 0)), flag[tensor.ZeroInfinity](a, "zero_infinity", false)
		return tensor.CTCLoss(x, targets, inputs, labels, blank, zero, reduction(a))
	},
	"F.multilabel_margin_loss": compared(tensor.MultilabelMarginLoss),
	"F.multilabel_soft_margin_loss": func(a *pyexpr.Args) any {
		x, y := input(a, "input"), input(a, "target")
		return tensor.MultilabelSoftMarginLoss(x, y, reduction(a))
	},
}

// compared is a loss of a prediction and a target of its shape.
func compared(f func(x, y *tensor.Tensor, r ...tensor.Reduction) *tensor.Tensor) pyexpr.Func {
	return func(a *pyexpr.Args) any {
		x, y := input(a, "input"), input(a, "target")
		return f(x, y, reduction(a))
	}
}

// lengths are numbers that PyTorch takes as a tensor.
func lengths(a *pyexpr.Args, name string) []int {
	var out []int
	for _, n := range tensor.Values[int64](input(a, name)) {
		out = append(out, int(n))
	}
	return out
}

func margin(a *pyexpr.Args, or float64) tensor.Margin {
	return tensor.Margin(pyexpr.Arg(a, "margin", or))
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
