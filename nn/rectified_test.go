package nn_test

import (
	"math"
	"slices"
	"testing"

	"cresset/device"
	"cresset/dtype"
	"cresset/internal/devicetest"
	"cresset/nn"
	"cresset/tensor"
)

// inTurn passes x through the modules of a chain one by one.
func inTurn(s *nn.Sequential, x *tensor.Tensor) *tensor.Tensor {
	for _, m := range s.Modules {
		x = m.Forward(x)
	}
	return x
}

// TestSequentialJoinsReLU compares a chain with its modules in turn, bit by bit: values, and gradients of all parameters.
func TestSequentialJoinsReLU(t *testing.T) {
	nets := map[string]struct {
		shape []int
		net   func() *nn.Sequential
	}{
		"mlp": {[]int{6, 5}, func() *nn.Sequential {
			return nn.NewSequential(nn.NewLinear(5, 8), nn.NewReLU(), nn.NewReLU(), nn.NewLinear(8, 7, nn.Bias(false)), nn.NewReLU(), nn.NewLinear(7, 3))
		}},
		"ends in relu": {[]int{2, 3, 5}, func() *nn.Sequential {
			return nn.NewSequential(nn.NewLinear(5, 8), nn.NewReLU())
		}},
		"cnn": {[]int{2, 3, 6, 6}, func() *nn.Sequential {
			return nn.NewSequential(nn.NewConv2D(3, 4, 3, nn.Padding(1)), nn.NewReLU(), nn.NewMaxPool2D(2),
				nn.NewConv2D(4, 4, 1, nn.Groups(2), nn.Bias(false)), nn.NewReLU(), nn.NewFlatten(), nn.NewLinear(36, 5), nn.NewReLU())
		}},
		"no batch": {[]int{0, 5}, func() *nn.Sequential {
			return nn.NewSequential(nn.NewLinear(5, 8), nn.NewReLU(), nn.NewLinear(8, 7))
		}},
	}
	devicetest.Run(t, func(t *testing.T, dev device.Device) {
		for name, c := range nets {
			for _, dt := range []dtype.DType{dtype.Float32, dtype.Float64, dtype.BFloat16} {
				tensor.ManualSeed(3)
				joined, single := nn.To(c.net(), dev, dt), nn.To(c.net(), dev, dt)
				if err := nn.LoadState(single, nn.State(joined)); err != nil {
					t.Fatal(err)
				}
				x := tensor.Randn(c.shape...).To(dev, dt)
				y, z := joined.Forward(x), inTurn(single, x)
				if !sameBits(y, z) || y.GradFn() != z.GradFn() {
					t.Errorf("%s in %s: got %v, want %v", name, dt, y, z)
				}
				y.Sum().Backward()
				z.Sum().Backward()
				want := nn.ParameterList(single)
				for i, p := range nn.ParameterList(joined) {
					if !sameBits(p.Grad(), want[i].Grad()) {
						t.Errorf("%s in %s: gradient %d is %v, want %v", name, dt, i, p.Grad(), want[i].Grad())
					}
				}
			}
		}
	})
}

func sameBits(x, y *tensor.Tensor) bool {
	same := func(a, b float64) bool { return math.Float64bits(a) == math.Float64bits(b) }
	return slices.Equal(x.Shape(), y.Shape()) &&
		slices.EqualFunc(tensor.Values[float64](x.Detach()), tensor.Values[float64](y.Detach()), same)
}

// negated is a layer with a Forward of its own.
type negated struct{ *nn.Linear }

func (n negated) Forward(x *tensor.Tensor) *tensor.Tensor { return n.Linear.Forward(x).Neg() }

// double sees what a layer hands to it.
type double struct{ *nn.ReLU }

func (d double) Forward(x *tensor.Tensor) *tensor.Tensor { return d.ReLU.Forward(x).MulScalar(2) }

func TestSequentialJoinsNoOtherModules(t *testing.T) {
	for name, s := range map[string]*nn.Sequential{
		"layer":      nn.NewSequential(negated{nn.NewLinear(5, 8)}, nn.NewReLU()),
		"activation": nn.NewSequential(nn.NewLinear(5, 8), double{nn.NewReLU()}),
	} {
		x := tensor.Randn(3, 5)
		if y, z := s.Forward(x), inTurn(s, x); !sameBits(y, z) {
			t.Errorf("%s: got %v, want %v", name, y, z)
		}
	}
}
