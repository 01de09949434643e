package nn_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"cresset/cuda"
	"cresset/device"
	"cresset/dtype"
	"cresset/internal/devicetest"
	"cresset/nn"
	"cresset/tensor"
)

// dropping is a part of a model that draws random numbers.
func dropping(dev device.Device, width int) *nn.Sequential {
	return nn.NewSequential(nn.NewLinear(width, width, nn.On(dev)), nn.NewTanh(), nn.NewDropout(0.5), nn.NewLinear(width, width, nn.On(dev)))
}

// through are ways to compute b(b(x)) that keep more or less.
var through = []struct {
	name string
	run  func(b func(x *tensor.Tensor) *tensor.Tensor, x *tensor.Tensor) *tensor.Tensor
}{
	{"one behind the other", func(b func(x *tensor.Tensor) *tensor.Tensor, x *tensor.Tensor) *tensor.Tensor {
		return nn.Checkpoint(b, nn.Checkpoint(b, x))
	}},
	{"one inside of another", func(b func(x *tensor.Tensor) *tensor.Tensor, x *tensor.Tensor) *tensor.Tensor {
		return nn.Checkpoint(func(x *tensor.Tensor) *tensor.Tensor { return b(nn.Checkpoint(b, x.MulScalar(1))) }, x)
	}},
	{"three deep", func(b func(x *tensor.Tensor) *tensor.Tensor, x *tensor.Tensor) *tensor.Tensor {
		return nn.Checkpoint(func(x *tensor.Tensor) *tensor.Tensor {
			return nn.Checkpoint(func(x *tensor.Tensor) *tensor.Tensor { return b(nn.Checkpoint(b, x.MulScalar(1))) }, x.MulScalar(1))
		}, x)
	}},
}

func TestCheckpointChangesNoNumber(t *testing.T) {
	devicetest.Run(t, func(t *testing.T, dev device.Device) {
		tensor.ManualSeed(3)
		net := dropping(dev, 4)
		for _, tracked := range []bool{true, false} {
			input := tensor.On(dev).Randn(3, 4)
			grads := func(run func(b func(x *tensor.Tensor) *tensor.Tensor, x *tensor.Tensor) *tensor.Tensor) string {
				tensor.ManualSeed(5)
				nn.ZeroGrad(net)
				x := input.Clone().SetRequiresGrad(tracked)
				y := run(net.Forward, x)
				y.Square().Sum().Backward()
				all := []any{y.Detach(), tensor.On(dev).Rand(1), x.Grad()}
				for _, p := range nn.Parameters(net) {
					all = append(all, p.Grad())
				}
				return fmt.Sprint(all...)
			}
			want := grads(func(b func(x *tensor.Tensor) *tensor.Tensor, x *tensor.Tensor) *tensor.Tensor { return b(b(x)) })
			for _, way := range through {
				if got := grads(way.run); got != want {
					t.Errorf("%s, tracked %t: got %s, want %s", way.name, tracked, got, want)
				}
			}
		}
	})
}

func TestCheckpointIsDifferentiatedTwice(t *testing.T) {
	x := tensor.Of([]float64{0.5, -1}).SetRequiresGrad(true)
	f := func(x *tensor.Tensor) *tensor.Tensor { return x.Tanh().Square().Mul(x) }
	penalty := func(y *tensor.Tensor) *tensor.Tensor {
		g := tensor.Grad(y.Sum(), []*tensor.Tensor{x}, tensor.CreateGraph(true))[0]
		return tensor.Grad(g.Square().Sum(), []*tensor.Tensor{x})[0]
	}
	if got, want := penalty(nn.Checkpoint(f, x)), penalty(f(x)); !got.AllClose(want, 1e-12, 0) {
		t.Errorf("got %v, want %v", got, want)
	}
}

// TestCheckpointNeedsLessMemory compares the peaks of a deep model on a GPU.
func TestCheckpointNeedsLessMemory(t *testing.T) {
	devicetest.Run(t, func(t *testing.T, dev device.Device) {
		if !dev.IsCUDA() {
			return
		}
		net := dropping(dev, 64)
		usual := peakOf(net, dev, net.Forward)
		saving := peakOf(net, dev, func(x *tensor.Tensor) *tensor.Tensor { return nn.Checkpoint(net.Forward, x) })
		if saving > usual*6/10 {
			t.Errorf("the peak is %d bytes, without checkpoints %d", saving, usual)
		}
	})
}

// peakOf returns how many bytes a step through eight parts takes, beside the model.
func peakOf(net *nn.Sequential, dev device.Device, part func(x *tensor.Tensor) *tensor.Tensor) int64 {
	nn.ZeroGrad(net)
	s := tensor.NewScope()
	defer s.Close()
	x := s.Enter(tensor.On(dev).Rand(64, 64))
	before := cuda.MemoryAllocated()
	cuda.ResetPeakMemoryStats()
	for range 8 {
		x = part(x)
	}
	x.Sum().Backward()
	return cuda.MaxMemoryAllocated() - before
}

func TestCheckpointMistakes(t *testing.T) {
	x := tensor.Ones(2).SetRequiresGrad(true)
	runs := 0
	changing := nn.Checkpoint(func(x *tensor.Tensor) *tensor.Tensor {
		if runs++; runs > 1 {
			return x.Exp()
		}
		return x.Exp().Exp()
	}, x)
	for _, test := range []struct {
		text string
		do   func()
	}{
		{"Number of tensors saved during forward: 2\nNumber of tensors saved during recomputation: 1", func() { changing.Sum().Backward() }},
		{"modified by an inplace operation", func() {
			y := x.MulScalar(2)
			z := nn.Checkpoint((*tensor.Tensor).Exp, y)
			y.Detach().AddScalarInPlace(1)
			z.Sum().Backward()
		}},
		{"second time", func() {
			y := nn.Checkpoint((*tensor.Tensor).Exp, x).Sum()
			y.Backward()
			y.Backward()
		}},
	} {
		if err := tensor.Try(test.do); !errors.Is(err, tensor.ErrAutograd) || !strings.Contains(fmt.Sprint(err), test.text) {
			t.Errorf("got %v, want %s", err, test.text)
		}
	}
	x.ZeroGrad()
	y := nn.Checkpoint((*tensor.Tensor).Exp, x).Sum()
	y.Backward(tensor.RetainGraph(true))
	y.Backward()
	if got := x.Grad().DivScalar(2); !got.AllClose(x.Detach().Exp(), 1e-6, 0) {
		t.Errorf("two walks give %v", got)
	}
}

// TestCheckpointKeepsAutocast computes a part again in the dtypes of the first time.
func TestCheckpointKeepsAutocast(t *testing.T) {
	devicetest.Run(t, func(t *testing.T, dev device.Device) {
		tensor.ManualSeed(3)
		net := dropping(dev, 4)
		input := tensor.On(dev).Randn(3, 4)
		step := func(run func(b func(x *tensor.Tensor) *tensor.Tensor, x *tensor.Tensor) *tensor.Tensor) (string, []dtype.DType) {
			tensor.ManualSeed(5)
			nn.ZeroGrad(net)
			s := tensor.NewScope(tensor.Autocast(dtype.BFloat16))
			defer s.Close()
			var dtypes []dtype.DType
			y := run(func(x *tensor.Tensor) *tensor.Tensor {
				y := net.Forward(x)
				dtypes = append(dtypes, y.DType())
				return y
			}, s.Enter(input))
			y.Float().Square().Sum().Backward()
			all := []any{y.Detach()}
			for _, p := range nn.Parameters(net) {
				all = append(all, p.Grad())
			}
			return fmt.Sprint(all...), dtypes
		}
		want, _ := step(func(b func(x *tensor.Tensor) *tensor.Tensor, x *tensor.Tensor) *tensor.Tensor { return b(b(x)) })
		for _, way := range through {
			got, dtypes := step(way.run)
			if got != want {
				t.Errorf("%s: got %s, want %s", way.name, got, want)
			}
			if slices.Contains(dtypes, dtype.Float32) {
				t.Errorf("%s: computed in %v", way.name, dtypes)
			}
		}
	})
}
