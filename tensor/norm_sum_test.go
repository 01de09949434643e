package tensor_test

import (
	"testing"

	"cresset/device"
	"cresset/dtype"
	"cresset/internal/devicetest"
	"cresset/tensor"
)

// sumNorms are norms of x + residual with weight and bias, by one kernel and as two ops.
var sumNorms = []struct {
	name       string
	fused, ops func(in []*tensor.Tensor) (sum, y *tensor.Tensor)
}{
	{"layer_norm",
		func(in []*tensor.Tensor) (sum, y *tensor.Tensor) {
			return inner.LayerNormOfSum(in[0], in[1], []int{37}, in[2], in[3], 1e-5)
		},
		func(in []*tensor.Tensor) (sum, y *tensor.Tensor) {
			sum = in[0].Add(in[1])
			return sum, sum.LayerNorm([]int{37}, in[2], in[3])
		}},
	{"rms_norm",
		func(in []*tensor.Tensor) (sum, y *tensor.Tensor) {
			return inner.RMSNormOfSum(in[0], in[1], []int{37}, in[2])
		},
		func(in []*tensor.Tensor) (sum, y *tensor.Tensor) {
			sum = in[0].Add(in[1])
			return sum, sum.RMSNorm([]int{37}, in[2])
		}},
}

func sumNormOperands(dev device.Device, dt dtype.DType) (in []*tensor.Tensor) {
	tensor.ManualSeed(11)
	for _, shape := range [][]int{{2, 3, 37}, {2, 3, 37}, {37}, {37}} {
		in = append(in, tensor.Randn(shape...).To(dev, dt).SetRequiresGrad(true))
	}
	return in
}

// TestNormOfSumIsTheOpsOneByOne compares, bit by bit, the results, gradients of a residual block around the norm with those of its two ways taken
// apart and added, and gradients of gradients.
func TestNormOfSumIsTheOpsOneByOne(t *testing.T) {
	devicetest.Run(t, func(t *testing.T, dev device.Device) {
		for _, c := range sumNorms {
			for _, types := range [][2]dtype.DType{ // of all operands but the residual, and of that
				{dtype.Float32, dtype.Float32}, {dtype.Float64, dtype.Float64}, {dtype.Float16, dtype.Float16}, {dtype.BFloat16, dtype.BFloat16},
				{dtype.Float32, dtype.Float16}, {dtype.Float32, dtype.BFloat16},
			} {
				in := sumNormOperands(dev, types[0])
				in[1] = in[1].Detach().To(types[1]).SetRequiresGrad(true)
				sum, y := c.fused(in)
				plainSum, plain := c.ops(in)
				same := func(what string, got, want *tensor.Tensor) {
					t.Helper()
					if (got == nil) != (want == nil) || got != nil && !got.CPU().Equal(want.CPU()) {
						t.Errorf("%s of %s: %s differs: %v, want %v", c.name, types, what, got, want)
					}
				}
				same("the sum", sum, plainSum)
				same("the norm", y, plain)

				leaves := in[:3]
				sum.Add(y.Square()).Sum().Backward()
				byNorm := tensor.Grad(plain.Square().Sum(), leaves, tensor.RetainGraph(true))
				bySum := tensor.Grad(plainSum.Sum(), in[:1], tensor.RetainGraph(true))
				both := bySum[0].Add(byNorm[0])
				same("the gradient of x", in[0].Grad(), both)
				same("the gradient of the residual", in[1].Grad(), both.To(types[1]))
				same("the gradient of the weight", in[2].Grad(), byNorm[2])

				twice := func(f func(in []*tensor.Tensor) (sum, y *tensor.Tensor)) []*tensor.Tensor {
					sum, y := f(in)
					g := tensor.Grad(sum.Mul(y).Sum(), leaves, tensor.CreateGraph(true))
					return tensor.Grad(g[0].Square().Sum(), leaves)
				}
				got, want := twice(c.fused), twice(c.ops)
				for i := range want {
					same("a gradient of gradients", got[i], want[i])
				}
			}
		}
	})
}

// TestNormOfSumFallsBack is of operands that the kernel does not take, which is what the ops say of them.
func TestNormOfSumFallsBack(t *testing.T) {
	x, w := tensor.Randn(4, 3), tensor.Ones(3)
	for name, residual := range map[string]*tensor.Tensor{
		"broadcast": tensor.Randn(3), "another dtype": tensor.Randn(4, 3).To(dtype.Float64), "transposed": tensor.Randn(3, 4).Transpose(0, 1),
	} {
		sum, y := inner.LayerNormOfSum(x, residual, []int{3}, nil, nil, 1e-5)
		if want := x.Add(residual); !sum.Equal(want) || !y.Equal(want.LayerNorm([]int{3}, nil, nil)) {
			t.Errorf("%s: got %v and %v", name, sum, y)
		}
		if name == "another dtype" {
			continue
		}
		sum, y = inner.RMSNormOfSum(x, residual, []int{3}, w, 0.5)
		if want := x.Add(residual); !sum.Equal(want) || !y.Equal(want.RMSNorm([]int{3}, w, 0.5)) {
			t.Errorf("%s: got %v and %v", name, sum, y)
		}
	}
}

// TestNormsTakeFewLaunches counts those of norms in a residual block.
func TestNormsTakeFewLaunches(t *testing.T) {
	launches := countingLaunches(t, "a100")
	in := sumNormOperands(device.CUDA(0), dtype.Float32)
	in[1] = in[1].Detach()
	dy := tensor.OnesLike(in[0])
	for _, c := range sumNorms {
		for i, f := range []func(in []*tensor.Tensor) (sum, y *tensor.Tensor){c.fused, c.ops} {
			for _, x := range in {
				x.ZeroGrad()
			}
			*launches = 0
			sum, y := f(in)
			if want := []int{1, 2}[i]; *launches != want {
				t.Errorf("%s: %d launches, want %d", c.name, *launches, want)
			}
			z := sum.Add(y.Neg()).Neg()
			*launches = 0
			z.Backward(tensor.Gradient(dy))
			// Those of both Neg, and that for x, which is added to the one that came from the sum, and for the weights.
			if *launches != 3 {
				t.Errorf("%s: %d launches back, want 3", c.name, *launches)
			}
		}
	}
}
