package selftest

import (
	"fmt"
	"math"

	"cresset/device"
	"cresset/dtype"
	"cresset/internal/friend"
	"cresset/tensor"
)

// inner is what package tensor registers for nn and optim.
var inner = friend.Of[*tensor.Tensor]()

// following are samples of products that compute what follows them, on GPUs; on the CPU they are the ops one by one.
func following() (samples []sample) {
	for _, f := range []struct {
		name string
		f    func(*tensor.Tensor) *tensor.Tensor
	}{
		{"relu", (*tensor.Tensor).ReLU}, {"gelu", (*tensor.Tensor).GELU}, {"gelu tanh", (*tensor.Tensor).GELUTanh}, {"silu", (*tensor.Tensor).SiLU},
	} {
		for _, n := range [][3]int{{3, 130, 70}, {65, 40, 131}, {70, 48, 136}} { // rows, inputs, hidden
			rows, in, hidden := n[0], n[1], n[2]
			samples = append(samples,
				sample{name: sized(f.name+" between layers with a residual", rows, in, hidden), dtypes: followed, roundings: 2048, grad: true,
					in: []operand{of(rows, in), of(hidden, in), of(hidden), of(in, hidden), of(in), of(rows, in)},
					f:  one(func(x []*tensor.Tensor) *tensor.Tensor { return betweenLayers(f.f, x) })},
				sample{name: sized(f.name+" as a gate with a residual", rows, in, hidden), dtypes: followed, roundings: 4096, grad: true,
					in: []operand{of(rows, in), of(hidden, in), of(hidden, in), of(in, hidden), of(rows, in)},
					f:  one(func(x []*tensor.Tensor) *tensor.Tensor { return asGate(f.f, x) })})
		}
	}
	return samples
}

var followed = []dtype.DType{dtype.Float32, dtype.Float16, dtype.BFloat16}

func linear(weight, bias *tensor.Tensor) friend.Linear[*tensor.Tensor] {
	return friend.Linear[*tensor.Tensor]{Weight: weight, Bias: bias}
}

func betweenLayers(f func(*tensor.Tensor) *tensor.Tensor, x []*tensor.Tensor) *tensor.Tensor {
	if y := inner.FeedForward(f, x[0], linear(x[1], x[2]), linear(x[3], x[4]), x[5]); y != nil {
		return y
	}
	return x[5].Add(f(x[0].Linear(x[1], x[2])).Linear(x[3], x[4]))
}

func asGate(f func(*tensor.Tensor) *tensor.Tensor, x []*tensor.Tensor) *tensor.Tensor {
	if y := inner.GatedForward(f, x[0], linear(x[1], nil), linear(x[2], nil), linear(x[3], nil), x[4]); y != nil {
		return y
	}
	return x[4].Add(f(x[0].Linear(x[1], nil)).Mul(x[0].Linear(x[2], nil)).Linear(x[3], nil))
}

// scalings has a check for each dtype of gradients that a scale divides, of finite ones and of one that is not.
func scalings() []Check {
	var checks []Check
	for _, dt := range floats {
		checks = append(checks, Check{"optimizers", "unscale", dt, func(dev device.Device) error {
			for _, last := range []float64{1, math.Inf(1)} {
				want, wantFound := unscaled(device.CPU, dt, last)
				got, found := unscaled(dev, dt, last)
				if found != wantFound {
					return fmt.Errorf("with %g among the gradients found is %g", last, found)
				}
				for i := range want {
					if err := compare(got[i], want[i], 0); err != nil {
						return err
					}
				}
			}
			return nil
		}})
	}
	return checks
}

// unscaled returns gradients over a scale, and whether one was not finite.
func unscaled(dev device.Device, dt dtype.DType, last float64) (grads []*tensor.Tensor, found float64) {
	u, beside := inner.NewUpdates(), tensor.On(dev)
	scale, flag := beside.Full(nil, float32(1024)), beside.Full(nil, float32(0))
	for _, g := range append(ofSizes(dt), transposed(dt)...) {
		g = g.To(dev)
		g.Narrow(0, g.Size(0)-1, 1).FillInPlace(last)
		grads = append(grads, g)
		u.Unscale(g, scale, flag)
	}
	u.Run()
	return grads, flag.Float64()
}
