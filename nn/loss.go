package nn

import "cresset/tensor"

// LossOption changes a loss.
type LossOption func(*lossOptions)

type lossOptions struct {
	tensor.LossOptions
	elements, positive *tensor.Tensor
}

// Reduce says how the losses of many elements become one; without it they become their mean.
func Reduce(r tensor.Reduction) LossOption { return func(o *lossOptions) { o.Reduction = r } }

// LabelSmoothing divides a share of each target of CrossEntropy among all classes.
func LabelSmoothing(share float64) LossOption {
	return func(o *lossOptions) { o.LossOptions.LabelSmoothing = share }
}

// IgnoreIndex names the target of CrossEntropy and NLLLoss that does not count; -100 unless given.
func IgnoreIndex(i int) LossOption { return func(o *lossOptions) { o.LossOptions.IgnoreIndex = &i } }

// ClassWeights weighs the classes of CrossEntropy and NLLLoss.
func ClassWeights(w *tensor.Tensor) LossOption { return func(o *lossOptions) { o.Weight = w } }

// ElementWeights weighs the elements of BCEWithLogits; they are broadcast.
func ElementWeights(w *tensor.Tensor) LossOption { return func(o *lossOptions) { o.elements = w } }

// PositiveWeights weighs the positive class in each element of BCEWithLogits; they are broadcast.
func PositiveWeights(w *tensor.Tensor) LossOption { return func(o *lossOptions) { o.positive = w } }

func readLoss(opts []LossOption) lossOptions {
	var o lossOptions
	for _, f := range opts {
		f(&o)
	}
	return o
}

// only panics where o holds more than taken, the part of it that the loss takes.
func (o lossOptions) only(taken lossOptions, text string) {
	if o != taken {
		panic(fault("loss", text))
	}
}

// CrossEntropy returns -log of the softmax of logits at the target classes, or against target probabilities. It takes
// ClassWeights, IgnoreIndex, LabelSmoothing and Reduce.
func CrossEntropy(logits, target *tensor.Tensor, opts ...LossOption) *tensor.Tensor {
	o := readLoss(opts)
	o.only(lossOptions{LossOptions: o.LossOptions}, "CrossEntropy takes ClassWeights, IgnoreIndex, LabelSmoothing and Reduce only")
	return tensor.CrossEntropy(logits, target, o.LossOptions)
}

// NLLLoss returns minus the log probabilities x at the target classes. It takes ClassWeights, IgnoreIndex and Reduce.
func NLLLoss(x, target *tensor.Tensor, opts ...LossOption) *tensor.Tensor {
	o := readLoss(opts)
	o.only(lossOptions{LossOptions: o.LossOptions}, "NLLLoss takes ClassWeights, IgnoreIndex and Reduce only")
	return x.NLLLoss(target, o.LossOptions)
}

// MSELoss returns (x - y)². It takes Reduce.
func MSELoss(x, y *tensor.Tensor, opts ...LossOption) *tensor.Tensor {
	return x.MSELoss(y, reduction(opts, "MSELoss takes Reduce only"))
}

// L1Loss returns |x - y|. It takes Reduce.
func L1Loss(x, y *tensor.Tensor, opts ...LossOption) *tensor.Tensor {
	return x.L1Loss(y, reduction(opts, "L1Loss takes Reduce only"))
}

func reduction(opts []LossOption, text string) tensor.Reduction {
	o := readLoss(opts)
	o.only(lossOptions{LossOptions: tensor.LossOptions{Reduction: o.Reduction}}, text)
	return o.Reduction
}

// BCEWithLogits returns the binary cross entropy of logits x against target probabilities of the same shape. It takes
// ElementWeights, PositiveWeights and Reduce.
func BCEWithLogits(x, target *tensor.Tensor, opts ...LossOption) *tensor.Tensor {
	o := readLoss(opts)
	taken := lossOptions{LossOptions: tensor.LossOptions{Reduction: o.Reduction}, elements: o.elements, positive: o.positive}
	o.only(taken, "BCEWithLogits takes ElementWeights, PositiveWeights and Reduce only")
	return x.BCEWithLogits(target, o.elements, o.positive, o.Reduction)
}
