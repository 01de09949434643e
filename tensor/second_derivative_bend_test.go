package tensor

import (
	"math"
	"testing"
)

// TestSecondDerivativesWhereTheFirstBends differentiates gradients at the places where a function or its slope changes its formula, and of nothing.
func TestSecondDerivativesWhereTheFirstBends(t *testing.T) {
	zeros, nan := Zeros(3).Double(), math.NaN()
	for _, c := range []struct {
		name              string
		f                 func(x *Tensor) *Tensor
		in, slope, second []float64
	}{
		{"huber", func(x *Tensor) *Tensor { return HuberLoss(x, zeros, SumReduction) },
			[]float64{0, 0.5, -2}, []float64{0, 0.5, -1}, []float64{1, 1, 0}},
		{"smooth_l1", func(x *Tensor) *Tensor {
			return SmoothL1Loss(x, zeros, SumReduction, Beta(0.5))
		}, []float64{0, 0.25, -2}, []float64{0, 0.5, -1}, []float64{2, 2, 0}},
		{"elu", func(x *Tensor) *Tensor { return x.ELU(2) }, []float64{0, 1, 800}, []float64{2, 1, 1}, []float64{0, 0, 0}},
		{"celu", func(x *Tensor) *Tensor { return x.CELU(2) }, []float64{0, 1}, []float64{1, 1}, []float64{0, 0}},
		{"hardtanh", func(x *Tensor) *Tensor { return x.Hardtanh(-1, 1) }, []float64{-1, 0, nan}, []float64{0, 1, 1}, []float64{0, 0, 0}},
		{"hardsigmoid", (*Tensor).Hardsigmoid, []float64{-3, 0}, []float64{0, float64(float32(1.0 / 6))}, []float64{0, 0}},
		{"mean of nothing", (*Tensor).Mean, nil, nil, nil},
		{"logcumsumexp of nothing", func(x *Tensor) *Tensor { return x.LogCumSumExp(0) }, nil, nil, nil},
	} {
		x, v := FromSlice(c.in).SetRequiresGrad(true), Of(1.0).SetRequiresGrad(true)
		slope := Grad(c.f(x).Mul(v).Sum(), []*Tensor{x}, CreateGraph(true))[0]
		if got := Values[float64](slope); !closeTo(got, c.slope, 0) {
			t.Errorf("%s: the slope is %v, want %v", c.name, got, c.slope)
		}
		second := Grad(slope.Sum(), []*Tensor{x, v}, AllowUnused(true), MaterializeGrads(true))
		if got := Values[float64](second[0]); !closeTo(got, c.second, 0) {
			t.Errorf("%s: the second derivative is %v, want %v", c.name, got, c.second)
		}
		if got := second[1].Float64(); len(c.in) == 0 && got != 0 {
			t.Errorf("%s: the gradient's derivative by its weight is %v", c.name, got)
		}
	}
}

// TestPReLUsWeightGetsNothingOfPositive: its gradient and the derivatives of that have numbers where x is positive, and infinite or its dy is.
func TestPReLUsWeightGetsNothingOfPositive(t *testing.T) {
	x, w := FromSlice([]float64{2, -1, math.Inf(1)}), FromSlice([]float64{0.25}).SetRequiresGrad(true)
	dy := FromSlice([]float64{math.Inf(1), 1, 1}).SetRequiresGrad(true)
	slope := Grad(x.PReLU(w).Mul(dy).Sum(), []*Tensor{w}, CreateGraph(true))[0]
	second := Grad(slope, []*Tensor{dy})[0]
	if got := append(Values[float64](slope), Values[float64](second)...); !closeTo(got, []float64{-1, 0, -1, 0}, 0) {
		t.Errorf("got %v", got)
	}
}
