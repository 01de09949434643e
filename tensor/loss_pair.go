package tensor

import (
	"math"

	"cresset/internal/op"
)

// SmoothL1Loss returns (x - y)²/(2·beta) where |x - y| < beta, else |x - y| - beta/2, reduced, of tensors of one shape.
func SmoothL1Loss(x, y *Tensor, opts ...SmoothL1LossOption) *Tensor {
	if a := autocastOf(x, y); a != nil {
		x, y = a.two("smooth_l1_loss", x, y)
	}
	const name = "smooth_l1_loss"
	o := readLoss(opts, Beta(1))
	if o.knee < 0 {
		fail(name, ErrValue, "smooth_l1_loss does not support negative values for beta.", x, y)
	}
	d := difference(name, "smooth_l1_cpu", o.reduction, x, y)
	far := d.Abs()
	if o.knee == 0 {
		return far.lossBy(o.reduction)
	}
	beyond, near := d.beyond(far, o.knee)
	return Where(beyond, far.SubScalar(0.5*o.knee), near.MulScalar(0.5/o.knee)).lossBy(o.reduction)
}

// HuberLoss returns (x - y)²/2 where |x - y| ≤ delta, else delta·(|x - y| - delta/2), reduced, of tensors of one shape.
func HuberLoss(x, y *Tensor, opts ...HuberLossOption) *Tensor {
	if a := autocastOf(x, y); a != nil {
		x, y = a.two("huber_loss", x, y)
	}
	const name = "huber_loss"
	o := readLoss(opts, Delta(1))
	if o.knee <= 0 {
		fail(name, ErrValue, "huber_loss does not support non-positive values for delta.", x, y)
	}
	d := difference(name, "huber_cpu", o.reduction, x, y)
	far := d.Abs()
	beyond, near := d.beyond(far, o.knee)
	return Where(beyond, far.SubScalar(0.5*o.knee).MulScalar(o.knee), near.MulScalar(0.5)).lossBy(o.reduction)
}

// beyond returns where the distance far, which is |d|, has reached the knee, and the squares of d with 0 there, so that infinity has the
// gradient of the line alone. They are squares of d, whose second derivative at 0 that of |d| would hide.
func (d *Tensor) beyond(far *Tensor, knee float64) (mask, squares *Tensor) {
	mask = far.Detach().GeScalar(knee)
	return mask, d.MaskedFill(mask, 0).Square()
}

// difference returns x - y of tensors of one shape.
func difference(name, kernel string, r Reduction, x, y *Tensor) *Tensor {
	a, b := operands(name, r, x, y)
	checkLossShapes(name, a, b)
	if t := commonType(a, b); !t.IsFloat() {
		fail(name, ErrKernel, noKernel(kernel, t, x), x, y)
	}
	return x.Sub(y)
}

// operands checks what every loss of a prediction and a target checks.
func operands(name string, r Reduction, x, y *Tensor) (a, b operand) {
	checkReduction(name, r)
	refuseNil(name, "input", 1, x)
	refuseNil(name, "target", 2, y)
	return operand{t: x}, operand{t: y}
}

// KLDiv returns target·(log target - x), broadcast and reduced, where x holds logarithms: the Kullback-Leibler divergence. A target of 0
// adds nothing.
func KLDiv(x, target *Tensor, opts ...KLDivOption) *Tensor {
	if a := autocastOf(x, target); a != nil {
		x, target = a.two("kl_div", x, target)
	}
	const name = "kl_div"
	o := readLoss(opts)
	operands(name, o.reduction, x, target)
	if !x.dtype.IsFloat() || !target.dtype.IsFloat() {
		fail(name, ErrDType, "kl_div: Integral inputs not supported.", x, target)
	}
	var each *Tensor
	if o.logTarget {
		each = target.Exp().Mul(target.Sub(x))
	} else {
		entropy := target.Mul(target.MaskedFill(target.Detach().EqScalar(0), 1).Log())
		each = entropy.Sub(target.Mul(x))
	}
	if o.batchMean && x.Dim() > 0 {
		return each.Sum().DivScalar(x.Size(0))
	}
	return each.lossBy(o.reduction)
}

// PoissonNLLLoss returns e**x - target·x, or x - target·log(x + eps) where LogInput is false, broadcast and reduced. FullLoss adds Stirling's
// approximation of log target! where the target is larger than 1. Eps is 1e-8 unless given.
func PoissonNLLLoss(x, target *Tensor, opts ...PoissonNLLLossOption) *Tensor {
	if a := autocastOf(x, target); a != nil {
		x, target = a.two("poisson_nll_loss", x, target)
	}
	const name = "poisson_nll_loss"
	o := readLoss(opts, Eps(1e-8))
	operands(name, o.reduction, x, target)
	var each *Tensor
	if o.logInput {
		each = x.Exp().Sub(target.Mul(x))
	} else {
		each = x.Sub(target.Mul(x.AddScalar(o.eps).Log()))
	}
	if o.full {
		small := target.Detach().LeScalar(1)
		stirling := target.Mul(target.Log()).Sub(target).Add(target.MulScalar(2 * math.Pi).Log().MulScalar(0.5))
		each = each.Add(stirling.MaskedFill(small, 0))
	}
	return each.lossBy(o.reduction)
}

// GaussianNLLLoss returns (log v + (x - target)²/v)/2, reduced, where v is the variance, of x's shape or with one value for each row, and
// at least eps, 1e-6 unless given. FullLoss adds log(2π)/2.
func GaussianNLLLoss(x, target, variance *Tensor, opts ...GaussianNLLLossOption) *Tensor {
	const name = "gaussian_nll_loss"
	o := readLoss(opts, Eps(1e-6))
	operands(name, o.reduction, x, target)
	refuseNil(name, "var", 3, variance)
	variance = variance.forRows(x)
	if variance.Detach().LtScalar(0).Any().Item() == true {
		fail(name, ErrValue, "var has negative entry/entries", x, target, variance)
	}
	v := variance.Clone()
	v.Detach().ClampInPlace(o.eps, nil) // the gradient passes unclamped
	d := x.Sub(target)
	each := v.Log().Add(d.Square().Div(v)).MulScalar(0.5)
	if o.full {
		each = each.AddScalar(0.5 * math.Log(2*math.Pi))
	}
	return each.lossBy(o.reduction)
}

// forRows returns a variance with the axes of x: it may lack the last, or have extent 1 there.
func (x *Tensor) forRows(of *Tensor) *Tensor {
	shape, want := x.layout.Shape(), of.layout.Shape()
	rows := want[:max(len(want)-1, 0)]
	switch last := len(shape) - 1; {
	case shape.Equal(want), last >= 0 && shape[last] == 1 && shape[:last].Equal(rows):
		return x
	case len(want) > 0 && shape.Equal(rows):
		return x.Unsqueeze(-1)
	}
	fail("gaussian_nll_loss", ErrShape, "var is of incorrect size", of, x)
	return nil
}

// SoftMarginLoss returns log(1 + e**(-target·x)), reduced, for targets 1 and -1. It does not overflow.
func SoftMarginLoss(x, target *Tensor, reduction ...Reduction) *Tensor {
	if a := autocastOf(x, target); a != nil {
		x, target = a.two("soft_margin_loss", x, target)
	}
	const name = "soft_margin_loss"
	r := readLoss(reduction).reduction
	operands(name, r, x, target)
	if !x.dtype.IsFloat() {
		fail(name, ErrDType, "result type Float can't be cast to the desired output type "+x.dtype.ScalarName(), x, target)
	}
	x.checkCovers(op.Mul, target)
	return x.Mul(target).Neg().Softplus(1, math.Inf(1)).lossBy(r)
}

// BCE returns -w·(t·log x + (1-t)·log(1-x)), reduced, for probabilities x and targets t of the same shape and dtype. Logarithms are at
// least -100. The Weight w is ones unless given.
func BCE(x, target *Tensor, opts ...WeightedLossOption) *Tensor {
	if a := autocastOf(x, target); a != nil {
		x, target = a.two("binary_cross_entropy", x, target)
	}
	o := readLoss(opts)
	x.checkBCE(target, o)
	p, t := x.Detach(), target.Detach()
	each := t.SubScalar(1).Mul(p.logOfRest()).Sub(t.Mul(p.boundedLog()))
	if o.weight != nil {
		each = each.Mul(o.weight).cast(x.dtype)
	}
	out := each.reduceLoss(o.reduction)
	record(out, op.BCE, probabilityGrad, o.reduction, x, target).save(x, target, o.weight)
	return out
}

// leastLog bounds the logarithms of BCE, which is finite so for a probability of 0; the number is PyTorch's.
const leastLog = -100

func (x *Tensor) boundedLog() *Tensor { return x.Log().Clamp(leastLog, nil) }

// logOfRest is log(1-x), bounded too.
func (x *Tensor) logOfRest() *Tensor { return x.Neg().Log1p().Clamp(leastLog, nil) }

// leastSlope keeps the gradient of BCE finite; PyTorch holds it as float32 in every dtype.
const leastSlope = float32(1e-12)

func probabilityGrad(b *backprop, dy *Tensor) {
	x, target, weight := b.saved(0), b.saved(1), b.saved(2)
	scale := dy.MulScalar(share(b.params().(Reduction), x.NumEl()))
	if weight != nil {
		scale = scale.Mul(weight)
	}
	if b.needs(0) {
		b.give(0, x.Sub(target).Div(x.RSubScalar(1).Mul(x).Clamp(leastSlope, nil)).Mul(scale))
	}
	b.giveNeeded(1, func() *Tensor { return x.logOfRest().Sub(x.boundedLog()).Mul(scale) })
}

func (x *Tensor) checkBCE(target *Tensor, o lossOptions) {
	const name = "binary_cross_entropy"
	operands(name, o.reduction, x, target)
	switch xs, ts := x.layout.Shape(), target.layout.Shape(); {
	case !xs.Equal(ts):
		fail(name, ErrValue, "Using a target size ("+ts.String()+") that is different to the input size ("+xs.String()+
			") is deprecated. Please ensure they have the same size.", x, target)
	case !x.dtype.IsFloat():
		fail(name, ErrKernel, noKernel(name, x.dtype, x), x, target)
	case target.dtype != x.dtype:
		fail(name, ErrDType, "Found dtype "+target.dtype.ScalarName()+" but expected "+x.dtype.ScalarName(), x, target)
	}
	checkArguments(op.BCE, argument{"self", x}, argument{"target", target})
	if o.weight != nil {
		x.checkCovers(op.BCE, o.weight)
		refuseGrad(name, argument{"weight", o.weight})
	}
	p := x.Detach()
	if p.GeScalar(0).LogicalAnd(p.LeScalar(1)).All().Item() != true {
		fail(name, ErrValue, "all elements of input should be between 0 and 1", x, target)
	}
}
