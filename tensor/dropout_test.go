package tensor_test

import (
	"fmt"
	"math"
	"testing"

	"cresset/device"
	"cresset/dtype"
	"cresset/tensor"
)

// dropoutPairs are the dtypes of what is dropped and of the residual.
var dropoutPairs = [][2]dtype.DType{
	{dtype.Float32, dtype.Float32}, {dtype.Float64, dtype.Float64}, {dtype.Float16, dtype.Float16}, {dtype.BFloat16, dtype.BFloat16},
	{dtype.Float16, dtype.Float32}, {dtype.BFloat16, dtype.Float32},
}

// addDropped returns residual + dropout of x, at once or by ops, and the gradients for both of a dy with extremes.
func addDropped(t *testing.T, atOnce bool, dts [2]dtype.DType, shape []int) (all []*tensor.Tensor) {
	t.Helper()
	tensor.ManualSeed(11)
	dev := device.CUDA(0)
	x := tensor.Randn(shape...).To(dev, dts[0]).SetRequiresGrad(true)
	residual := tensor.Randn(shape...).To(dev, dts[1]).SetRequiresGrad(true)
	dy := tensor.Randn(shape...)
	for i, v := range []float32{float32(math.NaN()), float32(math.Inf(-1)), float32(math.Copysign(0, -1)), 3e-41} {
		dy.Flatten(0, -1).Narrow(0, i, 1).FillInPlace(float64(v))
	}
	tensor.ManualSeed(5)
	var y *tensor.Tensor
	if !atOnce {
		y = residual.Add(x.Dropout(0.3))
	} else if y = inner.DropoutAdded(x, 0.3, residual, nil); y == nil {
		t.Fatalf("%v: not computed at once", dts)
	}
	if got := y.GradFn(); got != "AddBackward0" {
		t.Errorf("grad_fn is %s", got)
	}
	y.Backward(tensor.Gradient(dy.To(dev, dts[1])))
	return []*tensor.Tensor{y.Detach(), x.Grad(), residual.Grad()}
}

// TestDropoutIsAddedAsByOps compares the kernel that adds a residual, and that of gradients, with the ops one by one.
func TestDropoutIsAddedAsByOps(t *testing.T) {
	countingLaunches(t, "a100")
	for _, dts := range dropoutPairs {
		for _, shape := range [][]int{{5, 8}, {3, 6}, {3, 7}, {40, 64}} {
			tensor.ManualSeed(11)
			want := addDropped(t, false, dts, shape)
			got := addDropped(t, true, dts, shape)
			for i, name := range []string{"the result", "the gradient for x", "the gradient for the residual"} {
				if got[i].DType() != want[i].DType() || !sameBits(arrayOf(got[i]), arrayOf(want[i])) {
					t.Errorf("%v %v: %s is %v, want %v", dts, shape, name, got[i], want[i])
				}
			}
		}
	}
}

// TestDropoutTakesALaunchEachWay counts launches of dropout, and of dropout whose result is added.
func TestDropoutTakesALaunchEachWay(t *testing.T) {
	launches := countingLaunches(t, "a100")
	for _, dts := range dropoutPairs {
		x := tensor.On(device.CUDA(0)).As(dts[0]).Ones(6, 8).SetRequiresGrad(true)
		residual := tensor.On(device.CUDA(0)).As(dts[1]).Ones(6, 8).SetRequiresGrad(true)
		for name, f := range map[string]func() *tensor.Tensor{
			"dropped": func() *tensor.Tensor { return x.Dropout(0.5) },
			"added":   func() *tensor.Tensor { return inner.DropoutAdded(x, 0.5, residual, nil) },
		} {
			x.ZeroGrad()
			residual.ZeroGrad()
			*launches = 0
			y := f()
			dy := tensor.OnesLike(y)
			there := *launches
			y.Backward(tensor.Gradient(dy))
			back := *launches - there
			if there--; there != 1 || back > 2 { // dy's ones, and a copy of dy for the residual's gradient
				t.Errorf("%v %s: %d launches forward and %d back", dts, name, there, back)
			}
		}
	}
}

// TestDropoutsGradientIsTheMask compares the kernel of the gradient with products, of gradients that lie with gaps and of gradients that are differentiated.
func TestDropoutsGradientIsTheMask(t *testing.T) {
	countingLaunches(t, "a100")
	dev := device.CUDA(0)
	for _, dt := range []dtype.DType{dtype.Float32, dtype.BFloat16} {
		tensor.ManualSeed(4)
		x := tensor.On(dev).As(dt).Ones(6, 10).SetRequiresGrad(true)
		y := x.Dropout(0.25)
		dy := tensor.Randn(10, 12).To(dev, dt).Transpose(0, 1).Slice(0, 0, 12, 2)
		want := y.Detach().Ne(tensor.ZerosLike(y)).To(dt).Mul(dy).MulScalar(1 / 0.75)
		got := tensor.Grad(y, []*tensor.Tensor{x}, tensor.Gradient(dy), tensor.RetainGraph(true))[0]
		if !sameBits(arrayOf(got), arrayOf(want)) {
			t.Errorf("%s: the gradient is %v, want %v", dt, got, want)
		}
		v := dy.Clone().SetRequiresGrad(true)
		g := tensor.Grad(y, []*tensor.Tensor{x}, tensor.Gradient(v), tensor.CreateGraph(true))[0]
		if !sameBits(arrayOf(g.Detach()), arrayOf(want)) {
			t.Errorf("%s: the gradient that can be differentiated is %v, want %v", dt, g, want)
		}
		g.Sum().Backward()
		if mask := y.Detach(); !sameBits(arrayOf(v.Grad()), arrayOf(mask)) {
			t.Errorf("%s: the gradient of the gradient is %v, want %v", dt, v.Grad(), mask)
		}
	}
}

// TestDropoutIsNotAddedWhereOpsHaveTo finds nil where the kernel would give other results than the ops.
func TestDropoutIsNotAddedWhereOpsHaveTo(t *testing.T) {
	countingLaunches(t, "a100")
	on := tensor.On(device.CUDA(0))
	x := on.Ones(4, 6)
	for name, c := range map[string]struct {
		x, residual *tensor.Tensor
		p           float64
	}{
		"nothing dropped":   {x, x, 0},
		"all dropped":       {x, x, 1},
		"other shapes":      {x, on.Ones(6), 0.5},
		"a wide operand":    {x, x.To(dtype.BFloat16), 0.5},
		"doubles":           {x, x.To(dtype.Float64), 0.5},
		"integers":          {x.To(dtype.Int64), x.To(dtype.Int64), 0.5},
		"transposed":        {on.Ones(6, 4).Transpose(0, 1), x, 0.5},
		"of another device": {x, tensor.Ones(4, 6), 0.5},
		"on the CPU":        {tensor.Ones(4, 6), tensor.Ones(4, 6), 0.5},
		"no elements":       {on.Ones(0, 6), on.Ones(0, 6), 0.5},
	} {
		if y := inner.DropoutAdded(c.x, c.p, c.residual, nil); y != nil {
			t.Errorf("%s: got %v", name, fmt.Sprint(y))
		}
	}
}
