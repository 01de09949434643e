package tensor_test

import (
	"testing"

	"cresset/device"
	"cresset/dtype"
	"cresset/internal/devicetest"
	"cresset/tensor"
)

// rotated is shapes of queries and of tables that turn them.
type rotated struct {
	name         string
	shape, table []int
	layout       func(x *tensor.Tensor) *tensor.Tensor // of x, with the same elements
}

var rotations = []rotated{
	{"rows", []int{2, 3, 5, 16}, []int{5, 8}, func(x *tensor.Tensor) *tensor.Tensor { return x }},
	{"heads beside each other", []int{2, 3, 5, 32}, []int{1, 1, 5, 16}, func(x *tensor.Tensor) *tensor.Tensor {
		return x.Transpose(1, 2).Contiguous().Transpose(1, 2)
	}},
	{"places of their own, part of heads", []int{2, 3, 5, 40}, []int{2, 1, 5, 16}, func(x *tensor.Tensor) *tensor.Tensor {
		return x.Transpose(1, 2).Contiguous().Transpose(1, 2)
	}},
	{"odd sizes", []int{2, 1, 3, 7}, []int{3, 3}, func(x *tensor.Tensor) *tensor.Tensor { return x }},
	{"gaps between elements", []int{2, 3, 4, 16}, []int{4, 8}, func(x *tensor.Tensor) *tensor.Tensor { return x.Transpose(1, 3).Contiguous().Transpose(1, 3) }},
	{"a part of rows", []int{2, 3, 4, 16}, []int{4, 8}, func(x *tensor.Tensor) *tensor.Tensor {
		return tensor.Cat([]*tensor.Tensor{x, x}, -1).Narrow(-1, 16, 16)
	}},
	{"long rows", []int{2, 600}, []int{300}, func(x *tensor.Tensor) *tensor.Tensor { return x }},
	{"one row", []int{16}, []int{8}, func(x *tensor.Tensor) *tensor.Tensor { return x }},
}

// TestRotationHasTheBitsOfOps compares results and gradients with those of products and sums; half types by tables of float32, as Autocast has it, on GPUs.
func TestRotationHasTheBitsOfOps(t *testing.T) {
	devicetest.Run(t, func(t *testing.T, dev device.Device) {
		for _, dt := range []dtype.DType{dtype.Float32, dtype.Float64, dtype.Float16, dtype.BFloat16} {
			for _, c := range rotations {
				c.compare(t, dev, dt, dt)
				if dt.Size() == 2 && dev.IsCUDA() {
					c.compare(t, dev, dt, dtype.Float32)
				}
			}
		}
	})
}

func (c rotated) compare(t *testing.T, dev device.Device, dt, table dtype.DType) {
	place := tensor.On(device.CPU)
	tensor.ManualSeed(7)
	angles := place.Randn(c.table...)
	cos, sin := angles.Cos().To(dev, table), angles.Sin().To(dev, table)
	x0, dy := place.Randn(c.shape...).To(dev, dt), place.Randn(c.shape...).To(dev, table)
	run := func(f func(x, cos, sin *tensor.Tensor) *tensor.Tensor) (y, grad *tensor.Tensor) {
		x := c.layout(x0).Detach().SetRequiresGrad(true)
		y = f(x, cos, sin)
		y.Backward(tensor.Gradient(dy))
		return y.Detach(), x.Grad()
	}
	got, gotGrad := run(inner.Rotate)
	want, wantGrad := run(turnedByOps)
	if got.DType() != table || !got.Equal(want) {
		t.Errorf("%s of %s by %s on %s: %v, want %v", c.name, dt, table, dev, got, want)
	}
	if gotGrad.DType() != dt || !gotGrad.Equal(wantGrad) {
		t.Errorf("gradient of %s of %s by %s on %s: %v, want %v", c.name, dt, table, dev, gotGrad, wantGrad)
	}
}

// TestRotationIsOneLaunch counts launches of rows that heads cut, whose gradient is not copied to be joined again.
func TestRotationIsOneLaunch(t *testing.T) {
	launches := countingLaunches(t, "a100")
	place := tensor.On(device.CUDA(0))
	x := place.Ones(2, 3, 4*16).SetRequiresGrad(true)
	cos, sin, dy := place.Ones(3, 8), place.Ones(3, 8), place.Ones(2, 4, 3, 16)
	*launches = 0
	y := inner.Rotate(x.View(2, 3, 4, 16).Transpose(1, 2), cos, sin)
	there := *launches
	y.Backward(tensor.Gradient(dy))
	if back := *launches - there; there != 1 || back != 1 {
		t.Errorf("%d launches, and %d for the gradient, want one each", there, back)
	}
}

// TestRotationCompiled compares a compiled function, which rotates between chains, and its gradient with what it does as it is.
func TestRotationCompiled(t *testing.T) {
	devicetest.Run(t, func(t *testing.T, dev device.Device) {
		place := tensor.On(dev).As(dtype.BFloat16)
		tensor.ManualSeed(5)
		x0, cos, sin := place.Randn(2, 3, 4, 16), place.Rand(4, 8), place.Rand(4, 8)
		f := func(x *tensor.Tensor) *tensor.Tensor {
			return inner.Rotate(x.MulScalar(3).Transpose(1, 2), cos.Unsqueeze(1), sin.Unsqueeze(1)).SiLU().AddScalar(1)
		}
		run := func(f func(x *tensor.Tensor) *tensor.Tensor) (y, grad *tensor.Tensor) {
			x := x0.Detach().SetRequiresGrad(true)
			y = f(x)
			y.Sum().Backward()
			return y.Detach(), x.Grad()
		}
		compiled := tensor.Compile(f)
		want, wantGrad := run(f)
		for range 2 {
			if got, gotGrad := run(compiled); !got.Equal(want) || !gotGrad.Equal(wantGrad) {
				t.Errorf("%v and %v, want %v and %v", got, gotGrad, want, wantGrad)
			}
		}
	})
}

// TestRotationIsDifferentiatedTwice wants of a gradient that is recorded the gradient that turns back.
func TestRotationIsDifferentiatedTwice(t *testing.T) {
	x := tensor.Of([]float64{1, 2, 3, 4}).SetRequiresGrad(true)
	cos, sin := tensor.Of([]float64{0.5, 2}), tensor.Of([]float64{0.25, -1})
	slope := func(f func(x, cos, sin *tensor.Tensor) *tensor.Tensor) *tensor.Tensor {
		first := tensor.Grad(f(x, cos, sin).Square().Sum(), []*tensor.Tensor{x}, tensor.CreateGraph(true))[0]
		return tensor.Grad(first.Square().Sum(), []*tensor.Tensor{x})[0]
	}
	if got, want := slope(inner.Rotate), slope(turnedByOps); !got.Equal(want) {
		t.Errorf("%v, want %v", got, want)
	}
}

// TestRotationLeavesToOps names what one kernel does not do.
func TestRotationLeavesToOps(t *testing.T) {
	x, table := tensor.Ones(2, 4), tensor.Ones(2, 2)
	for name, y := range map[string]*tensor.Tensor{
		"another dtype":         inner.Rotate(x, table.Double(), table.Double()),
		"half types on the CPU": inner.Rotate(x.Half(), table, table),
		"tables with gradients": inner.Rotate(x, table.SetRequiresGrad(true), table),
		"integers":              inner.Rotate(x.Long(), table.Detach().Long(), table.Detach().Long()),
		"too long tables":       inner.Rotate(x, tensor.Ones(2, 3), tensor.Ones(2, 3)),
		"tables of more rows":   inner.Rotate(x, tensor.Ones(3, 2, 2), tensor.Ones(3, 2, 2)),
		"tables that differ":    inner.Rotate(x, tensor.Ones(2, 2), tensor.Ones(1, 2)),
	} {
		if y != nil {
			t.Errorf("%s: %v", name, y)
		}
	}
}
