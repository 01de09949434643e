package tensor

import "cresset/internal/op"

// Reduction says how a loss over many elements becomes one. It is an option of every loss; the mean unless given.
type Reduction op.Reduction

// The reductions of losses: the mean, the sum, and none, which leaves a loss per element.
const (
	MeanReduction = Reduction(op.MeanReduction)
	SumReduction  = Reduction(op.SumReduction)
	NoReduction   = Reduction(op.NoReduction)
)

// String returns PyTorch's word for the reduction.
func (r Reduction) String() string { return op.Reduction(r).String() }

// CrossEntropyOption is an option of CrossEntropy: LabelSmoothing, or what NLLLoss takes.
type CrossEntropyOption interface{ crossEntropyOption() }

// NLLLossOption is an option of NLLLoss and CrossEntropy: a Reduction, IgnoreIndex or Weight.
type NLLLossOption interface {
	CrossEntropyOption
	nllLossOption()
}

// BCEWithLogitsOption is an option of BCEWithLogits: a Reduction, Weight or PosWeight.
type BCEWithLogitsOption interface{ bceWithLogitsOption() }

// WeightOption is what Weight returns.
type WeightOption interface {
	NLLLossOption
	BCEWithLogitsOption
}

// IgnoreIndex is the target that does not count, -100 unless given.
type IgnoreIndex int

// LabelSmoothing is the share of each target that all classes divide among them.
type LabelSmoothing float64

// Weight weighs the classes of NLLLoss and CrossEntropy, whose mean is weighted by the weights of the targets; and the elements
// of BCEWithLogits, to which it is broadcast.
func Weight(w *Tensor) WeightOption { return lossWeight{w} }

// PosWeight weighs the positive class of each element; it is broadcast.
func PosWeight(w *Tensor) BCEWithLogitsOption { return positiveWeight{w} }

type (
	lossWeight     struct{ *Tensor }
	positiveWeight struct{ *Tensor }
)

func (Reduction) crossEntropyOption()       {}
func (Reduction) nllLossOption()            {}
func (Reduction) bceWithLogitsOption()      {}
func (IgnoreIndex) crossEntropyOption()     {}
func (IgnoreIndex) nllLossOption()          {}
func (LabelSmoothing) crossEntropyOption()  {}
func (lossWeight) crossEntropyOption()      {}
func (lossWeight) nllLossOption()           {}
func (lossWeight) bceWithLogitsOption()     {}
func (positiveWeight) bceWithLogitsOption() {}

// lossOptions are what the options of a loss say.
type lossOptions struct {
	weight, posWeight *Tensor
	ignoreIndex       int
	labelSmoothing    float64
	reduction         Reduction
}

func readLoss[O any](opts []O) lossOptions {
	o := lossOptions{ignoreIndex: -100}
	for _, opt := range opts {
		switch v := any(opt).(type) {
		case Reduction:
			o.reduction = v
		case IgnoreIndex:
			o.ignoreIndex = int(v)
		case LabelSmoothing:
			o.labelSmoothing = float64(v)
		case lossWeight:
			o.weight = v.Tensor
		case positiveWeight:
			o.posWeight = v.Tensor
		}
	}
	return o
}

func (o lossOptions) params() op.Loss {
	return op.Loss{Reduction: op.Reduction(o.reduction), IgnoreIndex: o.ignoreIndex}
}
