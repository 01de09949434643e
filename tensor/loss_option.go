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

// WeightedLossOption is an option of BCE and MultilabelSoftMarginLoss: a Reduction or Weight.
type WeightedLossOption interface {
	BCEWithLogitsOption
	MultiMarginLossOption
	weightedLossOption()
}

// The options of the other losses; a Reduction is one of each.
type (
	// SmoothL1LossOption is an option of SmoothL1Loss: Beta.
	SmoothL1LossOption interface{ smoothL1LossOption() }
	// HuberLossOption is an option of HuberLoss: Delta.
	HuberLossOption interface{ huberLossOption() }
	// KLDivOption is an option of KLDiv: LogTarget or BatchMean.
	KLDivOption interface{ klDivOption() }
	// GaussianNLLLossOption is an option of GaussianNLLLoss: FullLoss or Eps.
	GaussianNLLLossOption interface{ gaussianNLLLossOption() }
	// PoissonNLLLossOption is an option of PoissonNLLLoss: LogInput, FullLoss or Eps.
	PoissonNLLLossOption interface{ poissonNLLLossOption() }
	// MarginLossOption is an option of CosineEmbeddingLoss, MarginRankingLoss and HingeEmbeddingLoss: Margin.
	MarginLossOption interface{ marginLossOption() }
	// MultiMarginLossOption is an option of MultiMarginLoss: Margin, P or Weight.
	MultiMarginLossOption interface{ multiMarginLossOption() }
	// TripletMarginLossOption is an option of TripletMarginLoss: Margin, P, Eps or Swap.
	TripletMarginLossOption interface{ tripletMarginLossOption() }
	// CTCLossOption is an option of CTCLoss: Blank or ZeroInfinity.
	CTCLossOption interface{ ctcLossOption() }
)

// WeightOption is what Weight returns.
type WeightOption interface {
	NLLLossOption
	WeightedLossOption
}

// IgnoreIndex is the target that does not count, -100 unless given.
type IgnoreIndex int

// LabelSmoothing is the share of each target that all classes divide among them.
type LabelSmoothing float64

// Delta is the |x - y| from which HuberLoss is linear, 1 unless given.
type Delta float64

// LogTarget makes KLDiv take the logarithms of the target's probabilities.
type LogTarget bool

// BatchMean makes KLDiv return the sum over the extent of the first axis, which is the divergence's mean over a batch.
type BatchMean bool

// LogInput makes PoissonNLLLoss take the logarithms of the rates, as it does unless given, or the rates.
type LogInput bool

// FullLoss adds the terms of GaussianNLLLoss and PoissonNLLLoss that do not depend on the prediction.
type FullLoss bool

// Margin is how far apart a loss wants to have what it compares: unless given 0 for CosineEmbeddingLoss and MarginRankingLoss, 1 for
// the others.
type Margin float64

// P is the order of the norm in TripletMarginLoss, 2 unless given; and the power in MultiMarginLoss, 1 unless given, or 2.
type P float64

// Swap makes TripletMarginLoss use the positive's distance to the negative where that is less than the anchor's.
type Swap bool

// Blank is the class of CTCLoss that stands for no label, 0 unless given.
type Blank int

// ZeroInfinity makes CTCLoss count targets that no path leads to as 0, without a gradient.
type ZeroInfinity bool

// Weight weighs the classes of NLLLoss, CrossEntropy, MultiMarginLoss and MultilabelSoftMarginLoss; the mean of the first two is weighted
// by the weights of the targets. The elements of BCE and BCEWithLogits it weighs broadcast.
func Weight(w *Tensor) WeightOption { return lossWeight{w} }

// PosWeight weighs the positive class of each element; it is broadcast.
func PosWeight(w *Tensor) BCEWithLogitsOption { return positiveWeight{w} }

// lossWeightOf returns the tensor of an option, nil where it holds none, and whether it weighs the positive class.
func lossWeightOf(option any) (weight *Tensor, positive bool) {
	switch o := option.(type) {
	case lossWeight:
		return o.tensor, false
	case positiveWeight:
		return o.tensor, true
	}
	return nil, false
}

type (
	lossWeight     struct{ tensor *Tensor }
	positiveWeight struct{ tensor *Tensor }
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

func (Reduction) weightedLossOption()      {}
func (Reduction) smoothL1LossOption()      {}
func (Reduction) huberLossOption()         {}
func (Reduction) klDivOption()             {}
func (Reduction) gaussianNLLLossOption()   {}
func (Reduction) poissonNLLLossOption()    {}
func (Reduction) marginLossOption()        {}
func (Reduction) multiMarginLossOption()   {}
func (Reduction) tripletMarginLossOption() {}
func (lossWeight) weightedLossOption()     {}
func (lossWeight) multiMarginLossOption()  {}
func (Beta) smoothL1LossOption()           {}
func (Delta) huberLossOption()             {}
func (LogTarget) klDivOption()             {}
func (BatchMean) klDivOption()             {}
func (LogInput) poissonNLLLossOption()     {}
func (FullLoss) gaussianNLLLossOption()    {}
func (FullLoss) poissonNLLLossOption()     {}
func (Eps) gaussianNLLLossOption()         {}
func (Eps) poissonNLLLossOption()          {}
func (Eps) tripletMarginLossOption()       {}
func (Margin) marginLossOption()           {}
func (Margin) multiMarginLossOption()      {}
func (Margin) tripletMarginLossOption()    {}
func (P) multiMarginLossOption()           {}
func (P) tripletMarginLossOption()         {}
func (Reduction) ctcLossOption()           {}
func (Blank) ctcLossOption()               {}
func (ZeroInfinity) ctcLossOption()        {}
func (Swap) tripletMarginLossOption()      {}

// lossOptions are what the options of a loss say.
type lossOptions struct {
	weight, posWeight                                        *Tensor
	ignoreIndex                                              int
	labelSmoothing                                           float64
	reduction                                                Reduction
	margin, p, eps                                           float64
	knee                                                     float64 // Beta or Delta
	logTarget, logInput, batchMean, full, swap, zeroInfinity bool
	blank                                                    int
}

func readLoss[O any](opts []O, usual ...any) lossOptions {
	o := lossOptions{ignoreIndex: -100, logInput: true}
	for _, v := range usual {
		o.take(v)
	}
	for _, opt := range opts {
		o.take(opt)
	}
	return o
}

func (o *lossOptions) take(option any) {
	switch v := option.(type) {
	case Reduction:
		o.reduction = v
	case IgnoreIndex:
		o.ignoreIndex = int(v)
	case LabelSmoothing:
		o.labelSmoothing = float64(v)
	case lossWeight:
		o.weight = v.tensor
	case positiveWeight:
		o.posWeight = v.tensor
	case Beta:
		o.knee = float64(v)
	case Delta:
		o.knee = float64(v)
	case LogTarget:
		o.logTarget = bool(v)
	case BatchMean:
		o.batchMean = bool(v)
	case LogInput:
		o.logInput = bool(v)
	case FullLoss:
		o.full = bool(v)
	case Eps:
		o.eps = float64(v)
	case Margin:
		o.margin = float64(v)
	case P:
		o.p = float64(v)
	case Blank:
		o.blank = int(v)
	case ZeroInfinity:
		o.zeroInfinity = bool(v)
	case Swap:
		o.swap = bool(v)
	}
}

func (o lossOptions) params() op.Loss {
	return op.Loss{Reduction: op.Reduction(o.reduction), IgnoreIndex: o.ignoreIndex}
}
