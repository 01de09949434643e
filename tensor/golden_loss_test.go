package tensor

func crossEntropyGolden(opts ...CrossEntropyOption) goldenOp {
	return func(in []*Tensor) []*Tensor { return []*Tensor{CrossEntropy(in[0], Of([]int{1, 0, 3}), opts...)} }
}

var goldenLosses = map[string]goldenOp{
	"cross_entropy":                      crossEntropyGolden(),
	"cross_entropy(ignore_index=0)":      crossEntropyGolden(IgnoreIndex(0)),
	"cross_entropy(weight)":              crossEntropyGolden(Weight(Of([]float64{0.5, 1, 2, 1.5}))),
	"cross_entropy(sum)":                 crossEntropyGolden(SumReduction),
	"cross_entropy(label_smoothing=0.1)": crossEntropyGolden(LabelSmoothing(0.1)),
	"mse_loss":                           func(in []*Tensor) []*Tensor { return []*Tensor{MSELoss(in[0], in[1])} },
	"l1_loss":                            func(in []*Tensor) []*Tensor { return []*Tensor{L1Loss(in[0], in[1])} },
	"bce_with_logits": func(in []*Tensor) []*Tensor {
		return []*Tensor{BCEWithLogits(in[0], Of([]float64{0, 1, 1, 0}).Expand(3, 4))}
	},
	"nll_loss": func(in []*Tensor) []*Tensor { return []*Tensor{NLLLoss(in[0], Of([]int{1, 0, 3}))} },
}
