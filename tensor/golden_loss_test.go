package tensor

func crossEntropyGolden(o LossOptions) goldenOp {
	return func(in []*Tensor) []*Tensor { return []*Tensor{CrossEntropy(in[0], Of([]int{1, 0, 3}), o)} }
}

var goldenLosses = map[string]goldenOp{
	"cross_entropy":                      crossEntropyGolden(LossOptions{}),
	"cross_entropy(ignore_index=0)":      crossEntropyGolden(LossOptions{IgnoreIndex: new(0)}),
	"cross_entropy(weight)":              crossEntropyGolden(LossOptions{Weight: Of([]float64{0.5, 1, 2, 1.5})}),
	"cross_entropy(sum)":                 crossEntropyGolden(LossOptions{Reduction: SumReduction}),
	"cross_entropy(label_smoothing=0.1)": crossEntropyGolden(LossOptions{LabelSmoothing: 0.1}),
	"mse_loss":                           func(in []*Tensor) []*Tensor { return []*Tensor{in[0].MSELoss(in[1], MeanReduction)} },
	"l1_loss":                            func(in []*Tensor) []*Tensor { return []*Tensor{in[0].L1Loss(in[1], MeanReduction)} },
	"bce_with_logits": func(in []*Tensor) []*Tensor {
		return []*Tensor{in[0].BCEWithLogits(Of([]float64{0, 1, 1, 0}).Expand(3, 4), nil, nil, MeanReduction)}
	},
	"nll_loss": func(in []*Tensor) []*Tensor { return []*Tensor{in[0].NLLLoss(Of([]int{1, 0, 3}), LossOptions{})} },
}
