package nn

import "cresset/tensor"

// Loss is a function of package tensor that compares a prediction with a target, with the options that it is made with.
type Loss[O any] struct {
	Weight    *tensor.Tensor `nn:",buffer"` // tensor.Weight, which moves with the loss; nil for none
	PosWeight *tensor.Tensor `nn:",buffer"` // tensor.PosWeight, likewise

	name    string
	options []O
	f       func(x, target *tensor.Tensor, opts ...O) *tensor.Tensor
}

// newLoss keeps the weights among the options apart.
func newLoss[O any](name string, f func(x, target *tensor.Tensor, opts ...O) *tensor.Tensor, opts []O) *Loss[O] {
	l := &Loss[O]{name: name, f: f}
	for _, o := range opts {
		switch weight, positive := inner.LossWeight(o); {
		case weight == nil:
			l.options = append(l.options, o)
		case positive:
			l.PosWeight = weight
		default:
			l.Weight = weight
		}
	}
	return l
}

// Forward returns the loss.
func (l *Loss[O]) Forward(x, target *tensor.Tensor) *tensor.Tensor {
	opts := l.options[:len(l.options):len(l.options)]
	if l.Weight != nil {
		opts = append(opts, any(tensor.Weight(l.Weight)).(O))
	}
	if l.PosWeight != nil {
		opts = append(opts, any(tensor.PosWeight(l.PosWeight)).(O))
	}
	return l.f(x, target, opts...)
}

// String prints the loss as PyTorch does.
func (l *Loss[O]) String() string { return l.name + "()" }

// NewL1Loss returns tensor.L1Loss as a module.
func NewL1Loss(opts ...tensor.Reduction) *Loss[tensor.Reduction] {
	return newLoss("L1Loss", tensor.L1Loss, opts)
}

// NewMSELoss returns tensor.MSELoss as a module.
func NewMSELoss(opts ...tensor.Reduction) *Loss[tensor.Reduction] {
	return newLoss("MSELoss", tensor.MSELoss, opts)
}

// NewSmoothL1Loss returns tensor.SmoothL1Loss as a module.
func NewSmoothL1Loss(opts ...tensor.SmoothL1LossOption) *Loss[tensor.SmoothL1LossOption] {
	return newLoss("SmoothL1Loss", tensor.SmoothL1Loss, opts)
}

// NewHuberLoss returns tensor.HuberLoss as a module.
func NewHuberLoss(opts ...tensor.HuberLossOption) *Loss[tensor.HuberLossOption] {
	return newLoss("HuberLoss", tensor.HuberLoss, opts)
}

// NewCrossEntropyLoss returns tensor.CrossEntropy as a module.
func NewCrossEntropyLoss(opts ...tensor.CrossEntropyOption) *Loss[tensor.CrossEntropyOption] {
	return newLoss("CrossEntropyLoss", tensor.CrossEntropy, opts)
}

// NewNLLLoss returns tensor.NLLLoss as a module.
func NewNLLLoss(opts ...tensor.NLLLossOption) *Loss[tensor.NLLLossOption] {
	return newLoss("NLLLoss", tensor.NLLLoss, opts)
}

// NewBCELoss returns tensor.BCE as a module.
func NewBCELoss(opts ...tensor.WeightedLossOption) *Loss[tensor.WeightedLossOption] {
	return newLoss("BCELoss", tensor.BCE, opts)
}

// NewBCEWithLogitsLoss returns tensor.BCEWithLogits as a module.
func NewBCEWithLogitsLoss(opts ...tensor.BCEWithLogitsOption) *Loss[tensor.BCEWithLogitsOption] {
	return newLoss("BCEWithLogitsLoss", tensor.BCEWithLogits, opts)
}

// NewKLDivLoss returns tensor.KLDiv as a module.
func NewKLDivLoss(opts ...tensor.KLDivOption) *Loss[tensor.KLDivOption] {
	return newLoss("KLDivLoss", tensor.KLDiv, opts)
}

// NewPoissonNLLLoss returns tensor.PoissonNLLLoss as a module.
func NewPoissonNLLLoss(opts ...tensor.PoissonNLLLossOption) *Loss[tensor.PoissonNLLLossOption] {
	return newLoss("PoissonNLLLoss", tensor.PoissonNLLLoss, opts)
}

// NewSoftMarginLoss returns tensor.SoftMarginLoss as a module.
func NewSoftMarginLoss(opts ...tensor.Reduction) *Loss[tensor.Reduction] {
	return newLoss("SoftMarginLoss", tensor.SoftMarginLoss, opts)
}

// NewHingeEmbeddingLoss returns tensor.HingeEmbeddingLoss as a module.
func NewHingeEmbeddingLoss(opts ...tensor.MarginLossOption) *Loss[tensor.MarginLossOption] {
	return newLoss("HingeEmbeddingLoss", tensor.HingeEmbeddingLoss, opts)
}

// NewMultiMarginLoss returns tensor.MultiMarginLoss as a module.
func NewMultiMarginLoss(opts ...tensor.MultiMarginLossOption) *Loss[tensor.MultiMarginLossOption] {
	return newLoss("MultiMarginLoss", tensor.MultiMarginLoss, opts)
}

// NewMultilabelMarginLoss returns tensor.MultilabelMarginLoss as a module.
func NewMultilabelMarginLoss(opts ...tensor.Reduction) *Loss[tensor.Reduction] {
	return newLoss("MultiLabelMarginLoss", tensor.MultilabelMarginLoss, opts)
}

// NewMultilabelSoftMarginLoss returns tensor.MultilabelSoftMarginLoss as a module.
func NewMultilabelSoftMarginLoss(opts ...tensor.WeightedLossOption) *Loss[tensor.WeightedLossOption] {
	return newLoss("MultiLabelSoftMarginLoss", tensor.MultilabelSoftMarginLoss, opts)
}
