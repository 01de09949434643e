package tensor_test

import (
	"fmt"
	"testing"

	"cresset/device"
	"cresset/dtype"
	"cresset/internal/devicetest"
	"cresset/tensor"
)

// TestCompiledSums compares sums over first axes, beside ops that compute what is summed, with those of the ops one by one, bit for bit: of few rows and
// of so many that blocks share them, of columns that do not fill blocks, on the CPU and on a GPU.
func TestCompiledSums(t *testing.T) {
	devicetest.RunValues(t, func(t *testing.T, dev device.Device) {
		for _, dt := range []dtype.DType{dtype.Float32, dtype.BFloat16, dtype.Float16, dtype.Float64} {
			for _, sizes := range [][]int{{1, 16}, {3, 5, 40}, {1000, 33}, {2, 300, 64}, {0, 20}, {7, 5}} {
				x := tensor.On(dev).Randn(sizes...).To(dt)
				row := tensor.On(dev).Randn(sizes[len(sizes)-1]).To(dt)
				first := make([]int, len(sizes)-1)
				for i := range first {
					first[i] = i
				}
				sums := func(in ...*tensor.Tensor) []*tensor.Tensor {
					x, row := in[0], in[1]
					y := x.Mul(row).Tanh()
					total := y.SumAxes(first)
					return []*tensor.Tensor{y, total, total.AddScalar(1), x.SumAxes(first, true), x.BFloat16().SumAxes(first), y.MulScalar(2).Float().SumAxes(first),
						x.Half().SumAxes(first).Float()}
				}
				compareCompiled(t, fmt.Sprint(dt, sizes), sums, x, row)
				compareCompiled(t, fmt.Sprint(dt, sizes, " reversed"), sums, reversed(x), row)
			}
		}
	})
}

// compareCompiled wants the bits of a function's results from the function that is compiled, twice.
func compareCompiled(t *testing.T, name string, f func(x ...*tensor.Tensor) []*tensor.Tensor, x ...*tensor.Tensor) {
	t.Helper()
	want, compiled := f(x...), tensor.Compile(f)
	for range 3 {
		for i, got := range compiled(x...) {
			if !sameBits(arrayOf(got), arrayOf(want[i])) {
				t.Fatalf("%s, result %d: %v, want %v", name, i, got, want[i])
			}
		}
	}
}

// TestCompiledSumLaunches wants one launch for an op and the sums of what it computes, however many rows there are, and for the gradients of several
// biases.
func TestCompiledSumLaunches(t *testing.T) {
	launches := countingLaunches(t, "a100")
	on := tensor.On(device.CUDA(0))
	for _, c := range []struct {
		name string
		f    func(x ...*tensor.Tensor) []*tensor.Tensor
		want int
	}{
		{"a sum", func(x ...*tensor.Tensor) []*tensor.Tensor { return []*tensor.Tensor{x[0].SumAxes([]int{0})} }, 1},
		{"a cast and sums", func(x ...*tensor.Tensor) []*tensor.Tensor {
			y := x[0].BFloat16()
			return []*tensor.Tensor{y, y.SumAxes([]int{0}), x[0].SumAxes([]int{0})}
		}, 1},
		{"a sum of halves that is cast", func(x ...*tensor.Tensor) []*tensor.Tensor {
			return []*tensor.Tensor{x[0].BFloat16().SumAxes([]int{0}).Float()}
		}, 1},
		{"sums of several", func(x ...*tensor.Tensor) []*tensor.Tensor {
			return []*tensor.Tensor{x[0].SumAxes([]int{0}), x[1].SumAxes([]int{0}), x[2].SumAxes([]int{0})}
		}, 1},
		{"what reads a sum", func(x ...*tensor.Tensor) []*tensor.Tensor {
			return []*tensor.Tensor{x[0].Sub(x[0].SumAxes([]int{0}))}
		}, 2},
	} {
		xs := []*tensor.Tensor{on.Randn(500, 40), on.Randn(700, 24), on.Randn(3, 100)}
		want, compiled := c.f(xs...), tensor.Compile(c.f)
		compiled(xs...)
		*launches = 0
		got := compiled(xs...)
		if *launches != c.want {
			t.Errorf("%s: %d launches, want %d", c.name, *launches, c.want)
		}
		for i := range want {
			if !sameBits(arrayOf(got[i]), arrayOf(want[i])) {
				t.Errorf("%s, result %d: %v, want %v", c.name, i, got[i], want[i])
			}
		}
	}
}

// TestCompiledNormsOfHalves compares norms under Autocast, which compute in float32 between products of halves, with those of the ops one by one: their
// kernels cast what comes and goes.
func TestCompiledNormsOfHalves(t *testing.T) {
	devicetest.Use(t, "a100:1")
	on := tensor.On(device.CUDA(0))
	for _, dt := range []dtype.DType{dtype.BFloat16, dtype.Float16} {
		for _, width := range []int{24, 33, 2100} {
			x, other := on.Randn(5, width).To(dt), on.Randn(5, width).To(dt)
			weight, bias := on.Randn(width), on.Randn(width)
			for name, norm := range map[string]func(x *tensor.Tensor) *tensor.Tensor{
				"layer norm": func(x *tensor.Tensor) *tensor.Tensor { return x.LayerNorm([]int{width}, weight, bias, 1e-5) },
				"RMS norm":   func(x *tensor.Tensor) *tensor.Tensor { return x.RMSNorm([]int{width}, weight, 1e-5) },
			} {
				f := func(x, other *tensor.Tensor) *tensor.Tensor { return norm(x.Float()).To(dt).Mul(other) }
				compiled := tensor.Compile(f)
				var want []array
				for i, run := range []func(x, other *tensor.Tensor) *tensor.Tensor{f, compiled, compiled} {
					leaf := x.Detach().SetRequiresGrad(true)
					y := run(leaf, other)
					y.Backward(tensor.Gradient(other))
					got := []array{arrayOf(y.Detach()), arrayOf(leaf.Grad())}
					if i == 0 {
						want = got
					}
					if !sameBits(got[0], want[0]) || !sameBits(got[1], want[1]) {
						t.Errorf("%s of %d in %s, run %d: other bits", name, width, dt, i)
					}
				}
			}
		}
	}
}
