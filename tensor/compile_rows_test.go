package tensor_test

import (
	"fmt"
	"math"
	"testing"

	"cresset/device"
	"cresset/dtype"
	"cresset/internal/devicetest"
	"cresset/internal/race"
	"cresset/tensor"
)

// rowForms are functions of x and of a tensor like one of its rows that reduce rows, between elementwise ops.
var rowForms = map[string]func(in ...*tensor.Tensor) []*tensor.Tensor{
	"RMS norm": func(in ...*tensor.Tensor) []*tensor.Tensor {
		x, w := in[0], in[1]
		return []*tensor.Tensor{x.Mul(x.Mul(x).MeanAxes([]int{-1}, true).AddScalar(1e-5).Rsqrt()).Mul(w)}
	},
	"layer norm": func(in ...*tensor.Tensor) []*tensor.Tensor {
		x, w := in[0], in[1]
		d := x.Sub(x.MeanAxes([]int{-1}, true))
		v := d.Mul(d).MeanAxes([]int{-1}, true)
		return []*tensor.Tensor{d.Div(v.AddScalar(1e-5).Sqrt()).Mul(w).Add(w), v}
	},
	"softmax": func(in ...*tensor.Tensor) []*tensor.Tensor {
		x := in[0].MulScalar(0.3).Add(in[1])
		e := x.Sub(x.AMax([]int{-1}, true)).Exp()
		return []*tensor.Tensor{e.Div(e.SumAxes([]int{-1}, true)).MulScalar(2)}
	},
	"masked softmax": func(in ...*tensor.Tensor) []*tensor.Tensor {
		return []*tensor.Tensor{in[0].MulScalar(0.125).Add(in[1]).Softmax(-1).MulScalar(1.25)}
	},
	"log softmax": func(in ...*tensor.Tensor) []*tensor.Tensor {
		y := in[0].Mul(in[1]).LogSoftmax(-1)
		return []*tensor.Tensor{y.Neg(), y}
	},
	"extremes": func(in ...*tensor.Tensor) []*tensor.Tensor {
		x, last := in[0], []int{-1}
		return []*tensor.Tensor{x.AMax(last), x.AMin(last), x.Neg().AMax(last, true).Sub(x.AMin(last, true)), x.Abs().SumAxes(last)}
	},
	"casts": func(in ...*tensor.Tensor) []*tensor.Tensor {
		x := in[0].Float()
		return []*tensor.Tensor{x.Sub(x.MeanAxes([]int{-1}, true)).To(in[0].DType()), x.SumAxes([]int{-1})}
	},
	"last two axes": func(in ...*tensor.Tensor) []*tensor.Tensor {
		x, two := in[0], []int{-2, -1}
		return []*tensor.Tensor{x.Sub(x.SumAxes(two, true)).Mul(x), x.Mean().AddScalar(2)}
	},
}

// TestCompiledRows compares reductions of rows, with ops before, between and behind them, with those of the ops one by one, bit for bit: of a few elements,
// of a warp's and of a block's, where vectors divide rows and where not, of numbers that are not finite and zeros of both signs.
func TestCompiledRows(t *testing.T) {
	devicetest.RunValues(t, func(t *testing.T, dev device.Device) {
		for _, dt := range []dtype.DType{dtype.Float32, dtype.BFloat16, dtype.Float16, dtype.Float64} {
			for i, sizes := range [][]int{{3, 5, 8}, {2, 31}, {9, 32}, {5, 33}, {2, 3, 128}, {3, 200}, {2, 1030}, {2, 2056}, {1, 600}, {1, 8200}, {1, 7}, {70, 2}} {
				if race.Enabled && i%5 != 0 {
					continue
				}
				x := tensor.On(dev).Randn(sizes...).To(dt)
				row := tensor.On(dev).Randn(sizes[len(sizes)-1]).To(dt)
				odd := x.Clone()
				for i, v := range []float64{math.NaN(), math.Inf(1), math.Inf(-1), 0} {
					odd.Select(0, i%sizes[0]).Narrow(-1, i%sizes[len(sizes)-1], 1).FillInPlace(v)
				}
				odd.Select(0, 0).Narrow(-1, 1, 1).FillInPlace(math.Copysign(0, -1))
				for name, f := range rowForms {
					compareCompiled(t, fmt.Sprint(name, " ", dt, sizes), f, x, row)
					compareCompiled(t, fmt.Sprint(name, " ", dt, sizes, " reversed"), f, reversed(x), row)
					compareCompiled(t, fmt.Sprint(name, " ", dt, sizes, " not finite"), f, odd, row)
				}
			}
		}
	})
}

// TestCompiledRowGradients compares gradients of functions that reduce rows with those of the ops one by one.
func TestCompiledRowGradients(t *testing.T) {
	devicetest.RunValues(t, func(t *testing.T, dev device.Device) {
		for _, dt := range []dtype.DType{dtype.Float32, dtype.BFloat16} {
			for name, f := range rowForms {
				x, row := tensor.On(dev).Randn(4, 3, 72).To(dt), tensor.On(dev).Randn(72).To(dt)
				var want []array
				for i, run := range []func(in ...*tensor.Tensor) []*tensor.Tensor{f, tensor.Compile(f)} {
					in := []*tensor.Tensor{x.Detach().SetRequiresGrad(true), row.Detach().SetRequiresGrad(true)}
					run(in...)[0].Float().Tanh().Sum().Backward()
					for k, leaf := range in {
						if leaf.Grad() == nil || i == 1 && k >= len(want) {
							continue
						}
						if got := arrayOf(leaf.Grad()); i == 0 {
							want = append(want, got)
						} else if !sameBits(got, want[k]) {
							t.Errorf("%s of %s, gradient %d:\n%v, want\n%v", name, dt, k, got, want[k])
						}
					}
				}
			}
		}
	})
}

// TestCompiledRowLaunches wants one launch for ops and the reductions of rows among them.
func TestCompiledRowLaunches(t *testing.T) {
	launches := countingLaunches(t, "a100")
	on := tensor.On(device.CUDA(0))
	x, row := on.Randn(4, 3, 64), on.Randn(64)
	want := map[string]int{"last two axes": 2}
	for name, f := range rowForms {
		compiled := tensor.Compile(f)
		compiled(x, row)
		*launches = 0
		compiled(x, row)
		if most := max(want[name], 1); *launches != most {
			t.Errorf("%s: %d launches, want %d", name, *launches, most)
		}
	}
}

// TestCompiledRowBatches wants one launch for functions of one structure that reduce rows of tensors of several sizes, which have as many threads for a row,
// and the bits of the ops one by one.
func TestCompiledRowBatches(t *testing.T) {
	launches := countingLaunches(t, "a100")
	on := tensor.On(device.CUDA(0))
	f := func(xs ...*tensor.Tensor) (out []*tensor.Tensor) {
		for _, x := range xs {
			out = append(out, x.MulScalar(0.5).Softmax(-1), x.Abs().SumAxes([]int{-1}).AddScalar(1))
		}
		return out
	}
	for name, c := range map[string]struct {
		xs   []*tensor.Tensor
		want int
	}{
		"threads are as many": {[]*tensor.Tensor{on.Randn(50, 136), on.Randn(70, 200), on.Randn(3, 5, 256)}, 2},
		"of a row alone":      {[]*tensor.Tensor{on.Randn(1, 136), on.Randn(200), on.Randn(3, 144)}, 4},
		"threads are others":  {[]*tensor.Tensor{on.Randn(50, 64), on.Randn(70, 2000)}, 4},
	} {
		want, compiled := f(c.xs...), tensor.Compile(f)
		compiled(c.xs...)
		*launches = 0
		for i, got := range compiled(c.xs...) {
			if !sameBits(arrayOf(got), arrayOf(want[i])) {
				t.Errorf("%s, result %d: %v, want %v", name, i, got, want[i])
			}
		}
		if *launches > c.want {
			t.Errorf("%s: %d launches, want %d", name, *launches, c.want)
		}
	}
}
