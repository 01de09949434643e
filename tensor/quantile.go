package tensor

import (
	"fmt"

	"cresset/dtype"
	"cresset/internal/op"
)

// QuantileOption is an option of Quantile and NaNQuantile: OverAxis, KeepDim or Between.
type QuantileOption interface{ quantileOption() }

// OverAxis is the axis along which Quantile goes, and whose parts Unique compares; all elements are one line unless it is given.
type OverAxis int

// Between says what Quantile returns between two elements a and b: "linear", as it does unless given, a + (b-a)·fraction, or
// "lower", "higher", "nearest" and "midpoint".
type Between string

func (OverAxis) quantileOption() {}
func (KeepDim) quantileOption()  {}
func (Between) quantileOption()  {}

// Quantile returns the elements below which the share q of the sorted elements lies. q is a number, or a tensor of x's dtype with at
// most one axis, which comes first in the result. Where a line has a NaN the result is NaN. It panics for integers and half types.
func (x *Tensor) Quantile(q any, opts ...QuantileOption) *Tensor {
	return x.quantile("quantile", q, opts, false)
}

// NaNQuantile is Quantile of the elements that are not NaN; NaN where there are no others.
func (x *Tensor) NaNQuantile(q any, opts ...QuantileOption) *Tensor {
	return x.quantile("nanquantile", q, opts, true)
}

func (x *Tensor) quantile(name string, q any, opts []QuantileOption, skip bool) *Tensor {
	if a := autocastOf(x, nil); a != nil {
		x = a.one(name, x)
	}
	refuseNil(name, "input", 1, x)
	between, keep := "linear", false
	axis, whole := 0, true
	for _, opt := range opts {
		switch o := opt.(type) {
		case OverAxis:
			axis, whole = x.axis(name, int(o)), false
		case KeepDim:
			keep = bool(o)
		case Between:
			between = string(o)
		}
	}
	shares := x.shares(name, q, between)
	lines := x.Reshape(-1)
	shape := Shape{}
	switch {
	case whole && keep:
		for range x.layout.Rank() {
			shape = append(shape, 1)
		}
	case !whole:
		shape = reducedShape(x.layout.Shape(), x.reducedAxis(name, axis, keep))
		if x.layout.Rank() > 0 {
			lines = x.MoveAxis([]int{axis}, []int{-1})
		}
	}
	if lines.layout.Shape()[lines.layout.Rank()-1] == 0 {
		fail(name, ErrShape, "quantile() input tensor must be non-empty", x)
	}
	values := lines.quantiles(shares.Reshape(-1), between, skip) // [*, q]
	values = values.MoveAxis([]int{-1}, []int{0})
	return values.Reshape(append(shares.Shape(), shape...)...)
}

// shares checks q, and returns it as a tensor.
func (x *Tensor) shares(name string, q any, between string) *Tensor {
	if x.dtype != dtype.Float32 && x.dtype != dtype.Float64 {
		fail(name, ErrDType, "quantile() input tensor must be either float or double dtype", x)
	}
	v := operandOf(name, q)
	if v.t == nil {
		if f := v.s.Float(); !(f >= 0 && f <= 1) {
			fail(name, ErrValue, fmt.Sprintf("quantile() q must be in the range [0, 1] but got %v", f), x)
		}
		v.t = x.empty(op.Fill, x.dtype, Shape{}).fill(v.s)
	}
	switch {
	case v.t.layout.Rank() > 1:
		fail(name, ErrShape, "quantile() q must be a scalar or 1D tensor", x, v.t)
	case v.t.dtype != x.dtype:
		fail(name, ErrDType, "quantile() q tensor must be same dtype as the input tensor", x, v.t)
	case v.t.storage.device != x.storage.device:
		fail(name, ErrDevice, "quantile() q tensor must be on the same device as the input tensor", x, v.t)
	}
	switch between {
	case "linear", "lower", "higher", "midpoint", "nearest":
	default:
		fail(name, ErrValue, "quantile() interpolation must be one of linear, lower, higher, midpoint or nearest, but got "+between, x)
	}
	if v.t.storage.device.IsCPU() && !v.t.GeScalar(0).LogicalAnd(v.t.LeScalar(1)).All().Item().(bool) {
		fail(name, ErrValue, "quantile() q values must be in the range [0, 1]", x, v.t)
	}
	return v.t
}

// quantiles returns those of lines along the last axis, for shares of all lines, as the last axis.
func (x *Tensor) quantiles(shares *Tensor, between string, skip bool) *Tensor {
	last := x.layout.Rank() - 1
	n := x.layout.Shape()[last]
	sorted, _ := x.Sort(last)
	nan := x.IsNaN()
	var rank *Tensor
	if skip {
		numbers := nan.LogicalNot().SumAxes([]int{last}, true)
		rank = shares.Mul(numbers.SubScalar(1)).Clamp(0, nil)
	} else {
		shape := x.Shape()
		shape[last] = shares.layout.Size()
		rank = Where(nan.AnyAxis(last, true), n-1, shares.MulScalar(n-1)).Expand(shape...)
	}
	switch between {
	case "lower":
		rank = rank.Floor()
	case "higher":
		rank = rank.Ceil()
	case "nearest":
		rank = rank.Round()
	}
	below := rank.To(dtype.Int64)
	low := sorted.Gather(last, below)
	switch between {
	case "linear":
		return low.Lerp(sorted.Gather(last, rank.Ceil().To(dtype.Int64)), rank.Sub(below))
	case "midpoint":
		return low.Lerp(sorted.Gather(last, rank.Ceil().To(dtype.Int64)), 0.5)
	}
	return low
}
