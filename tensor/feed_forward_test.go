package tensor_test

import (
	"testing"

	"cresset/device"
	"cresset/dtype"
	"cresset/internal/devicetest"
	"cresset/internal/friend"
	"cresset/tensor"
)

type activation = func(*tensor.Tensor) *tensor.Tensor

func layerOf(x []*tensor.Tensor) friend.Linear[*tensor.Tensor] {
	l := friend.Linear[*tensor.Tensor]{Weight: x[0]}
	if len(x) > 1 {
		l.Bias = x[1]
	}
	return l
}

// feedForwardCases are layers that are computed together, and the ops that they stand for, of the operands x, residual, and the weights
// and biases of the layers.
var feedForwardCases = []struct {
	name        string
	bias        bool
	wide        bool // weights: hidden and back, or gate, up and down
	fused, both func(f activation, x []*tensor.Tensor) *tensor.Tensor
}{
	{"linear", true, false,
		func(f activation, x []*tensor.Tensor) *tensor.Tensor {
			return inner.LinearThen(f, x[0], layerOf(x[2:4]))
		},
		func(f activation, x []*tensor.Tensor) *tensor.Tensor { return f(x[0].Linear(x[2], x[3])) }},
	{"two layers", true, false,
		func(f activation, x []*tensor.Tensor) *tensor.Tensor {
			return inner.FeedForward(f, x[0], layerOf(x[2:4]), layerOf(x[4:6]), nil)
		},
		func(f activation, x []*tensor.Tensor) *tensor.Tensor {
			return f(x[0].Linear(x[2], x[3])).Linear(x[4], x[5])
		}},
	{"two layers and a residual", false, false,
		func(f activation, x []*tensor.Tensor) *tensor.Tensor {
			return inner.FeedForward(f, x[0], layerOf(x[2:3]), layerOf(x[3:4]), x[1])
		},
		func(f activation, x []*tensor.Tensor) *tensor.Tensor {
			return x[1].Add(f(x[0].Linear(x[2], nil)).Linear(x[3], nil))
		}},
	{"gated", false, true,
		func(f activation, x []*tensor.Tensor) *tensor.Tensor {
			return inner.GatedForward(f, x[0], layerOf(x[2:3]), layerOf(x[3:4]), layerOf(x[4:5]), nil)
		},
		func(f activation, x []*tensor.Tensor) *tensor.Tensor {
			return f(x[0].Linear(x[2], nil)).Mul(x[0].Linear(x[3], nil)).Linear(x[4], nil)
		}},
	{"gated and a residual", false, true,
		func(f activation, x []*tensor.Tensor) *tensor.Tensor {
			return inner.GatedForward(f, x[0], layerOf(x[2:3]), layerOf(x[3:4]), layerOf(x[4:5]), x[1])
		},
		func(f activation, x []*tensor.Tensor) *tensor.Tensor {
			return x[1].Add(f(x[0].Linear(x[2], nil)).Mul(x[0].Linear(x[3], nil)).Linear(x[4], nil))
		}},
}

// TestFeedForwardIsTheOpsOneByOne compares values, gradients and gradients of gradients on GPUs with those of the ops, bit by bit.
func TestFeedForwardIsTheOpsOneByOne(t *testing.T) {
	functions := map[string]activation{
		"relu": (*tensor.Tensor).ReLU, "gelu": (*tensor.Tensor).GELU, "gelu_tanh": (*tensor.Tensor).GELUTanh, "silu": (*tensor.Tensor).SiLU,
	}
	devicetest.RunValues(t, func(t *testing.T, dev device.Device) {
		if dev.IsCPU() {
			x := tensor.Ones(2, 3)
			if inner.LinearThen((*tensor.Tensor).GELU, x, layerOf([]*tensor.Tensor{x})) != nil {
				t.Error("the CPU computed two ops at once")
			}
			return
		}
		for _, c := range feedForwardCases {
			for name, f := range functions {
				for _, dt := range []dtype.DType{dtype.Float32, dtype.BFloat16} {
					var want []*tensor.Tensor
					for i, forward := range []func(activation, []*tensor.Tensor) *tensor.Tensor{c.both, c.fused} {
						in := feedForwardOperands(dev, dt, c.bias, c.wide)
						y := forward(f, in)
						if y == nil {
							t.Fatalf("%s of %s: not computed at once", name, c.name)
						}
						got := []*tensor.Tensor{y.Detach()}
						g := tensor.Grad(y.Square().Sum(), in, tensor.CreateGraph(true), tensor.AllowUnused(true))
						second := tensor.Grad(g[0].Square().Sum(), in[2:], tensor.AllowUnused(true))
						y = forward(f, in)
						y.Square().Sum().Backward()
						for _, x := range in {
							got = append(got, x.Grad())
						}
						got = append(append(got, g...), second...)
						exact := len(got) - len(second) // what is added to a gate's gradients of gradients comes in another order
						if i == 0 {
							want = got
							continue
						}
						for k := range want {
							if k >= exact && alike(got[k], want[k]) {
								continue
							}
							if (got[k] == nil) != (want[k] == nil) || got[k] != nil && !got[k].CPU().Equal(want[k].CPU()) {
								t.Errorf("%s of %s, %s: number %d is %v, want %v", name, c.name, dt, k, got[k], want[k])
							}
						}
					}
				}
			}
		}
	})
}

// TestFeedForwardUnderAutocastIsTheOpsOneByOne is that of float32 operands whose scope casts them.
func TestFeedForwardUnderAutocastIsTheOpsOneByOne(t *testing.T) {
	devicetest.RunValues(t, func(t *testing.T, dev device.Device) {
		if dev.IsCPU() {
			return
		}
		for _, c := range feedForwardCases {
			for _, dt := range []dtype.DType{dtype.Float16, dtype.BFloat16} {
				var want []*tensor.Tensor
				for _, forward := range []func(activation, []*tensor.Tensor) *tensor.Tensor{c.both, c.fused} {
					leaves := feedForwardOperands(dev, dtype.Float32, c.bias, c.wide)
					scope := tensor.NewScope(tensor.Autocast(dt))
					in := append([]*tensor.Tensor{scope.Enter(leaves[0]), scope.Enter(leaves[1])}, leaves[2:]...)
					y := forward((*tensor.Tensor).GELU, in)
					if y == nil {
						t.Fatalf("%s: not computed at once", c.name)
					}
					y.Float().Square().Sum().Backward()
					got := []*tensor.Tensor{y.CPU()}
					for _, x := range leaves {
						got = append(got, x.Grad())
					}
					t.Cleanup(scope.Close)
					if want == nil {
						want = got
						continue
					}
					for k := range want {
						if (got[k] == nil) != (want[k] == nil) || got[k] != nil && (got[k].DType() != want[k].DType() || !got[k].CPU().Equal(want[k].CPU())) {
							t.Errorf("%s, %s: number %d is %v, want %v", c.name, dt, k, got[k], want[k])
						}
					}
				}
			}
		}
	})
}

func feedForwardOperands(dev device.Device, dt dtype.DType, bias, gated bool) []*tensor.Tensor {
	tensor.ManualSeed(7)
	shapes := [][]int{{2, 3, 5}, {2, 3, 5}, {19, 5}}
	if bias {
		shapes = append(shapes, []int{19})
	}
	if gated {
		shapes = append(shapes, []int{19, 5})
	}
	shapes = append(shapes, []int{5, 19})
	if bias {
		shapes = append(shapes, []int{5})
	}
	var in []*tensor.Tensor
	for _, s := range shapes {
		in = append(in, tensor.Randn(s...).To(dev, dt).SetRequiresGrad(true))
	}
	return in
}

// alike reports whether two tensors are the same but for roundings of what was added in another order.
func alike(x, y *tensor.Tensor) bool {
	if x == nil || y == nil {
		return x == y
	}
	bound := map[dtype.DType]float64{dtype.Float32: 1e-5, dtype.BFloat16: 0.03}[y.DType()]
	a, b := x.CPU().To(dtype.Float64), y.CPU().To(dtype.Float64)
	return a.Sub(b).Abs().Max().Item().(float64) <= bound*b.Abs().Max().Item().(float64)
}
