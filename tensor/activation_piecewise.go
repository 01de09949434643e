package tensor

import (
	"fmt"
	"math"

	"cresset/dtype"
	"cresset/internal/backend"
	"cresset/internal/op"
)

// Hardtanh returns min(max(x, low), high); the bounds of integers lose their fractions. The gradient passes where x is within the
// bounds, these excluded. It panics where low is above high, and for bools.
func (x *Tensor) Hardtanh(low, high float64) *Tensor {
	input(op.Hardtanh, x)
	switch {
	case low > high:
		fail("hardtanh", ErrValue, "min_val cannot be greater than max_val", x)
	case x.dtype == dtype.Bool:
		fail("hardtanh", ErrKernel, "Bool inputs not supported for hardtanh", x)
	case x.dtype.IsInteger():
		return x.Clamp(wholeBound(low), wholeBound(high))
	}
	out := x.unary(op.Clamp, op.Bounds{Low: low, High: high, HasLow: true, HasHigh: true})
	record(out, op.Hardtanh, kernelGrad, op.Number{A: low, B: high}, x).save(x)
	return out
}

// wholeBound is a bound for integers.
func wholeBound(v float64) int64 { return int64(max(min(v, math.MaxInt32), math.MinInt32)) }

// ReLU6 returns min(max(x, 0), 6). It panics for bools.
func (x *Tensor) ReLU6() *Tensor { return x.Hardtanh(0, 6) }

// Hardswish returns x·min(max(x + 3, 0), 6)/6.
func (x *Tensor) Hardswish() *Tensor { return x.elementwise(op.Hardswish, nil) }

// Hardsigmoid returns min(max(x + 3, 0), 6)/6.
func (x *Tensor) Hardsigmoid() *Tensor { return x.elementwise(op.Hardsigmoid, nil) }

// Threshold returns x where it is above threshold, else value; for integers both lose their fractions. It panics for bools.
func (x *Tensor) Threshold(threshold, value float64) *Tensor {
	for _, v := range []float64{threshold, value} {
		fits("threshold", backend.Scalar{F: v, Kind: backend.FloatScalar}, input(op.Threshold, x).t.dtype)
	}
	p := op.Number{A: threshold, B: value}
	out := x.unary(op.Threshold, p)
	record(out, op.Threshold, thresholdGrad, p, x).save(x)
	return out
}

func thresholdGrad(b *backprop, dy *Tensor) {
	b.give(0, dy.MaskedFill(b.saved(0).LeScalar(b.params().(op.Number).A), 0))
}

// Hardshrink returns 0 where |x| ≤ lambda, else x.
func (x *Tensor) Hardshrink(lambda float64) *Tensor { return x.shrunk(op.Hardshrink, lambda) }

// Softshrink returns 0 where |x| ≤ lambda, else x moved by lambda towards 0. It panics where lambda is negative.
func (x *Tensor) Softshrink(lambda float64) *Tensor {
	if x.dtype.IsFloat() && !(lambda >= 0) {
		fail("softshrink", ErrValue, fmt.Sprintf("lambda must be in range [0, %.6g] for input dtype %s, but found %.6g",
			limits[x.dtype].high, x.dtype.ScalarName(), lambda), x)
	}
	return x.shrunk(op.Softshrink, lambda)
}

func (x *Tensor) shrunk(o op.Op, lambda float64) *Tensor {
	p := op.Number{A: lambda}
	out := x.unary(o, p)
	record(out, o, shrinkGrad, p, x).save(x)
	return out
}

func shrinkGrad(b *backprop, dy *Tensor) {
	b.give(0, dy.MaskedFill(b.saved(0).Abs().LeScalar(b.params().(op.Number).A), 0))
}
