package tensor

import (
	"fmt"
	"math"
	"testing"

	"cresset/internal/race"
)

// reductionCase is a reduction over axes and what it makes of one row.
type reductionCase struct {
	name   string
	reduce func(x *Tensor, axes []int, keep ...KeepDim) *Tensor
	row    func(row []float64) float64
	smooth bool // it has a gradient
	single bool // it takes exactly one axis
}

var reductionCases = []reductionCase{
	{"sum", (*Tensor).SumAxes, rowSum, true, false},
	{"mean", (*Tensor).MeanAxes, func(r []float64) float64 { return rowSum(r) / float64(len(r)) }, true, false},
	{"prod", func(x *Tensor, axes []int, keep ...KeepDim) *Tensor { return x.ProdAxis(axes[0], keep...) }, func(r []float64) float64 {
		p := 1.0
		for _, v := range r {
			p *= v
		}
		return p
	}, true, true},
	{"var", func(x *Tensor, axes []int, keep ...KeepDim) *Tensor {
		return x.VarAxes(axes, Correction(0.5), KeepDim(kept(keep)))
	}, rowVar, true, false},
	{"std", func(x *Tensor, axes []int, keep ...KeepDim) *Tensor {
		return x.StdAxes(axes, Correction(0.5), KeepDim(kept(keep)))
	},
		func(r []float64) float64 { return math.Sqrt(rowVar(r)) }, true, false},
	{"amax", (*Tensor).AMax, rowMax, true, false},
	{"amin", (*Tensor).AMin, func(r []float64) float64 { return -rowMax(mapped(r, func(v float64) float64 { return -v })) }, true, false},
	{"max", func(x *Tensor, axes []int, keep ...KeepDim) *Tensor {
		values, indices := x.MaxAxis(axes[0], keep...)
		if !values.Shape().Equal(indices.Shape()) {
			panic("values and indices differ in shape")
		}
		return values
	}, rowMax, true, true},
	{"argmax", func(x *Tensor, axes []int, keep ...KeepDim) *Tensor { return x.ArgMaxAxis(axes[0], keep...).Double() }, func(r []float64) float64 {
		best := 0
		for i, v := range r {
			if v > r[best] {
				best = i
			}
		}
		return float64(best)
	}, false, true},
	{"logsumexp", (*Tensor).LogSumExp, func(r []float64) float64 { return math.Log(rowSum(mapped(r, math.Exp))) }, true, false},
	{"norm 0", normCase(0), func(r []float64) float64 { return float64(len(r)) }, false, false},
	{"norm 1", normCase(1), rowNorm(1), true, false},
	{"norm 2", normCase(2), rowNorm(2), true, false},
	{"norm 3", normCase(3), rowNorm(3), true, false},
	{"norm 0.5", normCase(0.5), rowNorm(0.5), true, false},
	{"norm inf", normCase(math.Inf(1)), func(r []float64) float64 { return rowMax(mapped(r, math.Abs)) }, true, false},
	{"norm -inf", normCase(math.Inf(-1)),
		func(r []float64) float64 { return -rowMax(mapped(r, func(v float64) float64 { return -math.Abs(v) })) }, true, false},
	{"count", func(x *Tensor, axes []int, _ ...KeepDim) *Tensor { return x.CountNonZeroAxes(axes...).Double() },
		func(r []float64) float64 { return float64(len(r)) }, false, false},
	{"all", func(x *Tensor, axes []int, keep ...KeepDim) *Tensor { return x.AllAxis(axes[0], keep...).Double() },
		func([]float64) float64 { return 1 }, false, true},
}

func normCase(p float64) func(x *Tensor, axes []int, keep ...KeepDim) *Tensor {
	return func(x *Tensor, axes []int, keep ...KeepDim) *Tensor { return x.NormAxes(p, axes, keep...) }
}

func rowSum(r []float64) float64 {
	sum := 0.0
	for _, v := range r {
		sum += v
	}
	return sum
}

func rowMax(r []float64) float64 {
	best := math.Inf(-1)
	for _, v := range r {
		best = max(best, v)
	}
	return best
}

func rowVar(r []float64) float64 {
	mean := rowSum(r) / float64(len(r))
	return rowSum(mapped(r, func(v float64) float64 { return (v - mean) * (v - mean) })) / (float64(len(r)) - 0.5)
}

func rowNorm(p float64) func(r []float64) float64 {
	return func(r []float64) float64 {
		return math.Pow(rowSum(mapped(r, func(v float64) float64 { return math.Pow(math.Abs(v), p) })), 1/p)
	}
}

func mapped(r []float64, f func(float64) float64) []float64 {
	out := make([]float64, len(r))
	for i, v := range r {
		out[i] = f(v)
	}
	return out
}

// reduceByRow gathers each row of the reduced axes in row-major order and calls f with it.
func reduceByRow(values []float64, shape Shape, axes []int, f func([]float64) float64) []float64 {
	reduced := make([]bool, len(shape))
	for _, a := range axes {
		reduced[a] = true
	}
	kept := 1
	for i, d := range shape {
		if !reduced[i] {
			kept *= d
		}
	}
	rows := make([][]float64, kept)
	for i, v := range values {
		at, step := 0, 1
		for k, rest := len(shape)-1, i; k >= 0; k-- {
			if !reduced[k] {
				at += rest % shape[k] * step
				step *= shape[k]
			}
			rest /= shape[k]
		}
		rows[at] = append(rows[at], v)
	}
	out := make([]float64, kept)
	for i, r := range rows {
		out[i] = f(r)
	}
	return out
}

func TestReductionsOverAnyAxesAndLayout(t *testing.T) {
	ManualSeed(2)
	shape := Shape{3, 4, 35} // more columns than are gathered at a time
	for _, v := range variantsOf(shape) {
		x := v.view(Like(Zeros(1).Double()).Randn(v.base...))
		for _, axes := range [][]int{{0}, {1}, {2}, {0, 1}, {0, 2}, {1, 2}, {0, 1, 2}} {
			for _, c := range reductionCases {
				if c.single && len(axes) > 1 {
					continue
				}
				want := reduceByRow(Values[float64](x), shape, axes, c.row)
				if got := Values[float64](c.reduce(x, axes, KeepDim(false))); !closeTo(got, want, 1e-12) {
					t.Errorf("%s of a %s tensor over %v: got %v, want %v", c.name, v.name, axes, got, want)
				}
				low := Values[float64](c.reduce(x.Float(), axes, true).Double())
				if !closeTo(low, want, 2e-6) {
					t.Errorf("%s of a %s float32 tensor over %v: got %v, want %v", c.name, v.name, axes, low, want)
				}
			}
		}
	}
}

func TestGradientsOfReductions(t *testing.T) {
	if race.Enabled {
		t.Skip("differences of a few elements, which no threads share, take long under the race detector")
	}
	ManualSeed(3)
	for _, v := range variantsOf(Shape{2, 3, 4}) {
		if v.name == "expanded" {
			continue // equal elements: a maximum has no derivative there
		}
		leaf := Like(Zeros(1).Double()).Randn(v.base...)
		for _, axes := range [][]int{{0}, {1}, {2}, {0, 2}, {0, 1, 2}} {
			for _, c := range reductionCases {
				if !c.smooth || c.single && len(axes) > 1 {
					continue
				}
				name := fmt.Sprintf("%s of a %s tensor over %v", c.name, v.name, axes)
				gradCheck(t, name, func(in []*Tensor) *Tensor { return c.reduce(v.view(in[0]), axes, false) }, leaf)
				gradCheck(t, name+" kept", func(in []*Tensor) *Tensor { return c.reduce(v.view(in[0]), axes, true) }, leaf)
			}
		}
		for axis := range 3 {
			gradCheck(t, "cumsum of a "+v.name+" tensor", func(in []*Tensor) *Tensor { return v.view(in[0]).CumSum(axis) }, leaf)
			gradCheck(t, "softmax of a "+v.name+" tensor", func(in []*Tensor) *Tensor { return v.view(in[0]).Softmax(axis) }, leaf)
		}
	}
}

func TestReductionsOfNothing(t *testing.T) {
	nan := math.NaN()
	for _, c := range []struct {
		name string
		got  *Tensor
		want []float64
	}{
		{"sum", Zeros(0).Sum(), []float64{0}},
		{"prod", Zeros(0).Prod(), []float64{1}},
		{"mean", Zeros(0).Mean(), []float64{nan}},
		{"var", Zeros(0).Var(), []float64{nan}},
		{"norm", Zeros(0).Norm(), []float64{0}},
		{"logsumexp", Zeros(0).LogSumExp(nil), []float64{math.Inf(-1)}},
		{"any", Zeros(0).Any(), []float64{0}},
		{"all", Zeros(0).All(), []float64{1}},
		{"count", Zeros(0).CountNonZero(), []float64{0}},
		{"sum of no rows", Zeros(0, 2).SumAxes([]int{0}), []float64{0, 0}},
		{"prod of no rows", Zeros(0, 2).ProdAxis(0), []float64{1, 1}},
		{"mean of no rows", Zeros(2, 0).MeanAxes([]int{1}), []float64{nan, nan}},
		{"sum of no columns", Zeros(0, 2).SumAxes([]int{1}), nil},
		{"argmax of no columns", Zeros(0, 2).ArgMaxAxis(1), nil},
		{"amax of no columns", Zeros(0, 2, 40).AMax([]int{1}), nil},
		{"cumsum", Zeros(2, 0).CumSum(0), nil},
	} {
		if got := Values[float64](c.got); !closeTo(got, c.want, 0) {
			t.Errorf("%s: got %v, want %v", c.name, got, c.want)
		}
	}
	x := Zeros(0, 2).SetRequiresGrad(true)
	x.ProdAxis(0).Sum().Backward()
	x.Mean().Backward()
	if got := x.Grad().Shape(); !got.Equal(Shape{0, 2}) {
		t.Errorf("the gradient of nothing has shape %v", got)
	}
}
