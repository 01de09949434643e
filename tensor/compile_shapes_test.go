package tensor_test

import (
	"strings"
	"testing"

	"cresset/device"
	"cresset/internal/backend/cuda"
	"cresset/internal/driver"
	"cresset/internal/driver/sim"
	"cresset/internal/emit"
	"cresset/internal/hardware"
	"cresset/tensor"
)

// TestCompiledShapesShareKernels records a function for several shapes: chains, rows that are reduced, sums over first axes and all their gradients. The kernels that were
// written for the first shape compute the others too, whose rows are long enough for as many threads.
func TestCompiledShapesShareKernels(t *testing.T) {
	m, err := hardware.Preset("a100", 1)
	if err != nil {
		t.Fatal(err)
	}
	d, written := sim.New(m, sim.Options{LookupEnv: func(string) (string, bool) { return "", false }}), 0
	load := d.API.ModuleLoadData
	d.API.ModuleLoadData = func(ctx driver.Context, image []byte, jit *driver.JIT) (driver.Module, driver.Result) {
		if strings.Contains(string(image), emit.Prefix) {
			written++
		}
		return load(ctx, image, jit)
	}
	t.Cleanup(cuda.UseDriver(d.API))
	recorded, first := 0, 0
	f := func(in ...*tensor.Tensor) []*tensor.Tensor {
		recorded++
		x, bias := in[0], in[1]
		y := x.Add(bias).Tanh().Mul(x)
		return []*tensor.Tensor{y.Softmax(1).Mul(y), y.Sub(y.MeanAxes([]int{1}, tensor.KeepDim(true))).Exp()}
	}
	compiled := tensor.Compile(f)
	for i, shape := range [][]int{{16, 64}, {40, 128}, {24, 96}} {
		tensor.ManualSeed(6)
		x, bias := tensor.On(device.CUDA(0)).Randn(shape...), tensor.On(device.CUDA(0)).Randn(shape[1])
		run := func(f func(in ...*tensor.Tensor) []*tensor.Tensor) []*tensor.Tensor {
			a, b := x.Detach().SetRequiresGrad(true), bias.Detach().SetRequiresGrad(true)
			ys := f(a, b)
			ys[0].Add(ys[1]).Sum().Backward()
			return []*tensor.Tensor{ys[0].Detach(), ys[1].Detach(), a.Grad(), b.Grad()}
		}
		run(compiled)
		got := run(compiled)
		if recorded != i+1 {
			t.Fatalf("%v: recorded %d times, not %d", shape, recorded, i+1)
		}
		if i == 0 {
			first = written
		}
		if written == 0 || written != first {
			t.Errorf("%v: %d kernels were written in all, and %d for the first shape", shape, written, first)
		}
		for j, want := range run(f) {
			if !sameBits(arrayOf(got[j]), arrayOf(want)) {
				t.Errorf("%v: result %d is %v, want %v", shape, j, got[j], want)
			}
		}
		recorded = i + 1
	}
}
