package tensor

import (
	"fmt"
	"slices"

	"cresset/internal/op"
)

// CrossEntropy returns -log of the softmax of logits at the target classes: NLLLoss of logits.LogSoftmax. A target of the
// logits' own shape holds the probability of each class instead. Its gradient reads the logits: they must not change before
// Backward.
func CrossEntropy(logits, target *Tensor, opts ...CrossEntropyOption) *Tensor {
	const name = "cross_entropy"
	o := readLoss(opts)
	if a := autocastOf(logits, target); a != nil {
		logits, target, o.weight = a.three("cross_entropy", logits, target, o.weight)
	}
	refuseNil(name, "input", 1, logits)
	refuseNil(name, "target", 2, target)
	if !(o.labelSmoothing >= 0 && o.labelSmoothing <= 1) {
		fail(name, ErrValue, fmt.Sprintf("label_smoothing must be between 0.0 and 1.0. Got: %v", o.labelSmoothing), logits, target)
	}
	checkReduction(name, o.reduction)
	axis := classAxis(logits)
	logits.checkSoftmax(op.LogSoftmax, axis)
	if target.layout.Rank() > 0 && target.layout.Shape().Equal(logits.layout.Shape()) {
		return logits.LogSoftmax(axis).softCrossEntropy(target, o)
	}
	if o.labelSmoothing == 0 {
		return logits.classCrossEntropy(target, o)
	}
	return logits.LogSoftmax(axis).smoothCrossEntropy(target, o)
}

// classCrossEntropy is NLLLoss of LogSoftmax in one op, which keeps two numbers of each position for the gradient instead of
// the logarithms of all probabilities.
func (x *Tensor) classCrossEntropy(target *Tensor, o lossOptions) *Tensor {
	target = x.classTarget(target, o.weight)
	loss, total := x.emptyLoss(op.CrossEntropy, target, o)
	shifts := x.empty(op.CrossEntropy, statsType(x.dtype), Shape{target.NumEl(), 2}, target, o.weight)
	p := o.params()
	launch(op.CrossEntropy, x.dtype, p, []*Tensor{loss, total, shifts}, []*Tensor{x, target, o.weight})
	n := record(loss, x.nllName(), crossEntropyGrad, p, x)
	n.save(x, target, o.weight, total)
	n.derive(shifts)
	return loss
}

func crossEntropyGrad(b *backprop, dy *Tensor) {
	if b.creates {
		crossEntropyComposed(b, dy)
		return
	}
	b.giveBy(op.CrossEntropyGrad, dy, dy, b.saved(1), b.saved(2), b.saved(3), b.saved(0), b.saved(4))
}

// smoothCrossEntropy is (1-s)·NLLLoss + s·(the mean of the losses that each class as target would have).
func (x *Tensor) smoothCrossEntropy(target *Tensor, o lossOptions) *Tensor {
	loss, total := x.nll(target, o)
	axis := classAxis(x)
	all := x.weighted(o.weight).SumAxes([]int{axis}).Neg().MaskedFill(target.EqScalar(o.ignoreIndex), 0)
	switch o.reduction {
	case MeanReduction:
		all = all.Sum().Div(total.cast(x.dtype))
	case SumReduction:
		all = all.Sum()
	}
	s := o.labelSmoothing
	return all.MulScalar(s / float64(x.layout.Shape()[axis])).Add(loss.MulScalar(1 - s))
}

// softCrossEntropy is -Σ w·target·x over the classes, where target holds probabilities.
func (x *Tensor) softCrossEntropy(target *Tensor, o lossOptions) *Tensor {
	const name = "cross_entropy"
	if !target.dtype.IsFloat() {
		fail(name, ErrDType, "Expected floating point type for target with class probabilities, got "+target.dtype.ScalarName(), x, target)
	}
	if o.ignoreIndex >= 0 {
		fail(name, ErrValue, "ignore_index is not supported for floating point target", x, target)
	}
	x.checkClassWeights(o.weight)
	axis := classAxis(x)
	classes := x.layout.Shape()[axis]
	if s := o.labelSmoothing; s > 0 {
		target = target.MulScalar(1 - s).AddScalar(s / float64(classes))
	}
	each := x.Mul(target).weighted(o.weight)
	switch o.reduction {
	case MeanReduction:
		return each.Sum().Neg().DivScalar(float64(x.NumEl()) / float64(classes))
	case SumReduction:
		return each.Sum().Neg()
	default:
		return each.SumAxes([]int{axis}).Neg()
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
