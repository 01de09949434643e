package tensor

func crossEntropyGolden(o LossOptions) goldenOp {
	return func(in []*Tensor) []*Tensor { return []*Tensor{CrossEntropy(in[0], Of([]int{1, 0, 3}), o)} }
}

var goldenLosses = map[string]goldenOp{
	"cross_entropy":                 crossEntropyGolden(LossOptions{}),
	"cross_entropy(ignore_index=0)": crossEntropyGolden(LossOptions{IgnoreIndex: new(0)}),
	"cross_entropy(weight)":         crossEntropyGolden(LossOptions{Weight: Of([]float64{0.5, 1, 2, 1.5})}),
	"cross_entropy(sum)":            crossEntropyGolden(LossOptions{Reduction: SumReduction}),
	"nll_loss":                      func(in []*Tensor) []*Tensor { return []*Tensor{in[0].NLLLoss(Of([]int{1, 0, 3}), LossOptions{})} },
}
