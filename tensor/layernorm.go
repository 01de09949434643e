package tensor

import (
	"fmt"
	"strings"

	"cresset/dtype"
	"cresset/internal/op"
)

// LayerNorm returns (x - mean) / √(variance + Eps) · weight + bias, with mean and biased variance over the last axes of x,
// whose extents shape names. weight and bias have that shape or are nil.
func (x *Tensor) LayerNorm(shape []int, weight, bias *Tensor, eps ...Eps) *Tensor {
	if a := autocastOf(x, weight); a != nil {
		x, weight, bias = a.three("layer_norm", x, weight, bias)
	}
	x.checkLayerNorm(shape, weight, bias)
	p := op.Normalize{Eps: 1e-5, Axes: len(shape)}
	for _, e := range eps {
		p.Eps = float64(e)
	}
	_, y := x.normalized(op.LayerNorm, p, x.rowsBut(p.Axes), weight, bias, nil)
	return y
}

// RMSNorm returns x / √(mean of x² + Eps) · weight, with the mean over the last axes of x, whose extents shape names. weight has that
// shape or is nil. Eps is the least by which 1 grows in x's dtype unless given, in float32 for halves.
func (x *Tensor) RMSNorm(shape []int, weight *Tensor, eps ...Eps) *Tensor {
	if a := autocastOf(x, weight); a != nil {
		x, weight = a.two("rms_norm", x, weight)
	}
	x.checkRMSNorm(shape, weight)
	p := x.rmsNormOf(shape, eps)
	if weight != nil && weight.dtype != x.dtype {
		weight = weight.To(statsType(x.dtype))
	}
	_, y := x.normalized(op.RMSNorm, p, x.rowsBut(p.Axes), weight, nil, nil)
	return y
}

func (x *Tensor) rmsNormOf(shape []int, eps []Eps) op.Normalize {
	p := op.Normalize{Eps: 0x1p-23, Axes: len(shape)}
	if x.dtype == dtype.Float64 {
		p.Eps = 0x1p-52
	}
	for _, e := range eps {
		p.Eps = float64(e)
	}
	return p
}

// rowsBut returns how many rows x has, of which one is its last axes, so many of them.
func (x *Tensor) rowsBut(axes int) Shape {
	rows, _ := x.layout.Shape()[:x.layout.Rank()-axes].NumEl()
	return Shape{rows}
}

// normalized runs a normalization whose kernel also gives what the gradient needs of each of so many rows: 1/√(variance + eps), and the mean
// where that is taken off. Unless residual is nil it is added to x first. It returns what was normalised, too.
func (x *Tensor) normalized(o op.Op, p op.Normalize, rows Shape, weight, bias, residual *Tensor) (from, y *Tensor) {
	from = x
	if residual != nil {
		from = x.empty(op.Add, x.dtype, x.layout.Shape(), residual)
	}
	y = from.empty(o, x.dtype, x.layout.Shape(), weight, bias)
	outs, ins := []*Tensor{y}, []*Tensor{x, weight, bias}
	var mean *Tensor
	if o != op.RMSNorm {
		mean = from.empty(o, statsType(x.dtype), rows)
		outs = append(outs, mean)
	}
	invstd := from.empty(o, statsType(x.dtype), rows)
	outs = append(outs, invstd)
	if residual != nil {
		outs, ins = append(outs, from), append(ins, residual)
	}
	launch(o, x.dtype, p, outs, ins)
	if residual != nil {
		record(from, op.Add, addGrad, nil, x, residual)
	}
	n := record(y, o, normGrad, p, from, weight, bias)
	n.save(from, weight)
	n.derive(mean, invstd)
	return from, y
}

// throughNorm are the kernels of the gradients of normalizations.
var throughNorm = map[op.Op]op.Op{op.LayerNorm: op.LayerNormGrad, op.RMSNorm: op.RMSNormGrad, op.GroupNorm: op.GroupNormGrad}

func normGrad(b *backprop, dy *Tensor) {
	if b.creates {
		normalizedComposed(b, dy)
		return
	}
	x, weight, mean, invstd := b.saved(0), b.saved(1), b.saved(2), b.saved(3)
	o := throughNorm[b.current.op]
	ins := []*Tensor{dy, x, weight, mean, invstd}
	dx := b.waiting(x, weight)
	waits := dx != nil
	if waits {
		ins = append(ins, dx)
	} else {
		dx = dy.like(o, dy.dtype)
	}
	outs := []*Tensor{dx}
	if b.needs(1) || b.needs(2) {
		for _, sums := range []*Tensor{invstd, mean} { // the bias has one where the mean is taken off
			if sums != nil {
				outs = append(outs, dy.empty(o, sums.dtype, weightShape(x, b.params().(op.Normalize))))
			}
		}
	}
	launch(o, dy.dtype, b.params(), outs, ins)
	for i, g := range outs {
		if i > 0 || !waits {
			b.give(i, g)
		}
	}
}

// waiting returns the gradient that has come to a norm's operand from elsewhere, as in a residual block, where the kernel may add to it what it
// has for x; else nil.
func (b *backprop) waiting(x, weight *Tensor) *Tensor {
	e := &b.current.edges[0]
	if !b.needs(0) || b.current.op == op.GroupNorm || e.dtype != x.dtype || !x.addsAsOps(weight) {
		return nil
	}
	old := b.pending.find(e.to)
	if old == nil || !old.exclusive() || !x.besides(old) || !old.layout.Shape().Equal(x.layout.Shape()) {
		return nil
	}
	b.checkShape(0, e)
	return old
}

// addsAsOps reports whether a norm's kernel adds something to what it takes or gives with the bits of an op: float32 and float64 always, halves
// on GPUs where weights are of their type too, some of which may be nil.
func (x *Tensor) addsAsOps(weights ...*Tensor) bool {
	if x.dtype == statsType(x.dtype) {
		return true
	}
	for _, w := range weights {
		if w != nil && w.dtype != x.dtype {
			return false
		}
	}
	return !x.storage.device.IsCPU()
}

// weightShape returns the shape of a normalization's weight for x.
func weightShape(x *Tensor, p op.Normalize) Shape {
	if p.Groups > 0 {
		return x.layout.Shape()[1:2]
	}
	return x.layout.Shape()[x.layout.Rank()-p.Axes:]
}

func (x *Tensor) checkLayerNorm(shape Shape, weight, bias *Tensor) {
	name := op.LayerNorm.String()
	if len(shape) == 0 {
		fail(name, ErrShape, "Expected normalized_shape to be at least 1-dimensional, i.e., containing at least one element, but got normalized_shape = []", x)
	}
	for _, a := range []argument{{"weight", weight}, {"bias", bias}} {
		if a.t != nil && !a.t.layout.Shape().Equal(shape) {
			fail(name, ErrShape, fmt.Sprintf("Expected %s to be of same shape as normalized_shape, but got %s of shape %s and normalized_shape = %s",
				a.name, a.name, a.t.layout.Shape().List(), shape.List()), x, a.t)
		}
	}
	if first := x.layout.Rank() - len(shape); first < 0 || !x.layout.Shape()[first:].Equal(shape) {
		fail(name, ErrShape, fmt.Sprintf("Given normalized_shape=%s, expected input with shape [*, %s, but got input of size%s",
			shape.List(), strings.TrimPrefix(shape.List(), "["), x.layout.Shape().List()), x)
	}
	refuseIntegers(name, "LayerNormKernelImpl", x)
	for _, a := range []argument{{"weight", weight}, {"bias", bias}} {
		if a.t != nil {
			x.checkStats(op.LayerNorm, a)
		}
	}
}

func (x *Tensor) checkRMSNorm(shape Shape, weight *Tensor) {
	const name = "rms_norm"
	if len(shape) == 0 {
		fail(name, ErrShape, "Expected normalized_shape to be at least 1-dimensional, i.e., containing at least one element, but got normalized_shape = []", x)
	}
	if weight != nil && !weight.layout.Shape().Equal(shape) {
		fail(name, ErrShape, fmt.Sprintf("Expected weight to be of same shape as normalized_shape, but got weight of shape %s and normalized_shape = %s",
			weight.layout.Shape().List(), shape.List()), x, weight)
	}
	first := x.layout.Rank() - len(shape)
	if first < 0 {
		fail(name, ErrShape, fmt.Sprintf("Input tensor must have at least %d dimensions, but got %d", len(shape), x.layout.Rank()), x)
	}
	if !x.layout.Shape()[first:].Equal(shape) {
		fail(name, ErrShape, fmt.Sprintf("Given normalized_shape=%s, expected input with shape [*%s, but got input of size%s",
			shape.List(), strings.TrimPrefix(shape.List(), "["), x.layout.Shape().List()), x)
	}
	refuseIntegers(name, "rms_norm", x)
	if weight != nil {
		checkArguments(op.RMSNorm, argument{"input", x}, argument{"weight", weight})
	}
}
