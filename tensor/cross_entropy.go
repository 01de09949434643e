package tensor

import (
	"fmt"
	"slices"
)

// CrossEntropy returns -log of the softmax of logits at the target classes: NLLLoss of logits.LogSoftmax. A target of the
// logits' own shape holds the probability of each class instead.
func CrossEntropy(logits, target *Tensor, o LossOptions) *Tensor {
	const name = "cross_entropy"
	refuseNil(name, "input", 1, logits)
	refuseNil(name, "target", 2, target)
	if !(o.LabelSmoothing >= 0 && o.LabelSmoothing <= 1) {
		fail(name, ErrValue, fmt.Sprintf("label_smoothing must be between 0.0 and 1.0. Got: %v", o.LabelSmoothing), logits, target)
	}
	checkReduction(name, o.Reduction)
	x := logits.LogSoftmax(classAxis(logits))
	if target.layout.Rank() > 0 && target.layout.Shape.Equal(x.layout.Shape) {
		return x.softCrossEntropy(target, o)
	}
	if o.LabelSmoothing == 0 {
		return x.NLLLoss(target, o)
	}
	return x.smoothCrossEntropy(target, o)
}

// smoothCrossEntropy is (1-s)·NLLLoss + s·(the mean of the losses that each class as target would have).
func (x *Tensor) smoothCrossEntropy(target *Tensor, o LossOptions) *Tensor {
	loss, total := x.nll(target, o)
	axis := classAxis(x)
	all := x.weighted(o.Weight).SumAxes([]int{axis}, false).Neg().MaskedFill(target.EqScalar(o.ignored()), 0)
	switch o.Reduction {
	case MeanReduction:
		all = all.Sum().Div(total.cast(x.dtype))
	case SumReduction:
		all = all.Sum()
	}
	s := o.LabelSmoothing
	return all.MulScalar(s / float64(x.layout.Shape[axis])).Add(loss.MulScalar(1 - s))
}

// softCrossEntropy is -Σ w·target·x over the classes, where target holds probabilities.
func (x *Tensor) softCrossEntropy(target *Tensor, o LossOptions) *Tensor {
	const name = "cross_entropy"
	if !target.dtype.IsFloat() {
		fail(name, ErrDType, "Expected floating point type for target with class probabilities, got "+target.dtype.ScalarName(), x, target)
	}
	if o.ignored() >= 0 {
		fail(name, ErrValue, "ignore_index is not supported for floating point target", x, target)
	}
	x.checkClassWeights(o.Weight)
	axis := classAxis(x)
	classes := x.layout.Shape[axis]
	if s := o.LabelSmoothing; s > 0 {
		target = target.MulScalar(1 - s).AddScalar(s / float64(classes))
	}
	each := x.Mul(target).weighted(o.Weight)
	switch o.Reduction {
	case MeanReduction:
		return each.Sum().Neg().DivScalar(float64(x.NumEl()) / float64(classes))
	case SumReduction:
		return each.Sum().Neg()
	default:
		return each.SumAxes([]int{axis}, false).Neg()
	}
}

// weighted multiplies each class of x by its weight; nil stands for ones.
func (x *Tensor) weighted(weight *Tensor) *Tensor {
	if weight == nil {
		return x
	}
	sizes := slices.Repeat([]int{1}, x.layout.Rank())
	sizes[classAxis(x)] = -1
	return x.Mul(weight.View(sizes...))
}
