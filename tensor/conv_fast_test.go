package tensor_test

import (
	"slices"
	"testing"

	"cresset/device"
	"cresset/dtype"
	"cresset/internal/devicetest"
	"cresset/internal/kern/vec"
	. "cresset/tensor"
)

// fastGradients returns a convolution and its gradients for x and the weight.
func fastGradients(x, w, b *Tensor, opts ...ConvOption) (all [3][]float32) {
	x, w = x.Detach().SetRequiresGrad(true), w.Detach().SetRequiresGrad(true)
	y := x.Conv2D(w, b, opts...)
	y.Square().Sum().Backward()
	for i, t := range []*Tensor{y, x.Grad(), w.Grad()} {
		all[i] = Values[float32](t.Detach().Float())
	}
	return all
}

// FastConv changes the bits of what it allows on CPUs that have it, by little, and nothing elsewhere.
func TestFastConv(t *testing.T) {
	devicetest.RunValues(t, func(t *testing.T, dev device.Device) {
		g := On(dev)
		x, w, b := g.Randn(3, 16, 14, 13), g.Randn(18, 16, 3, 3).MulScalar(0.1), g.Randn(18)
		for name, row := range map[string]struct {
			dt      dtype.DType
			opts    []ConvOption
			changes bool
		}{
			"padded":   {dtype.Float32, []ConvOption{Padding(1)}, true},
			"same":     {dtype.Float32, []ConvOption{SamePadding()}, true},
			"strided":  {dtype.Float32, []ConvOption{Stride(2)}, false},
			"float64":  {dtype.Float64, []ConvOption{Padding(1)}, false},
			"bfloat16": {dtype.BFloat16, []ConvOption{Padding(1)}, false},
		} {
			if dev.IsCUDA() && name != "padded" {
				continue // slow, and none of them knows of FastConv
			}
			x, w, b := x.To(row.dt), w.To(row.dt), b.To(row.dt)
			plain := fastGradients(x, w, b, row.opts...)
			fast := fastGradients(x, w, b, append(row.opts, FastConv(true))...)
			if same := slices.Equal(plain[0], fast[0]); same == (row.changes && dev.IsCPU() && vec.HasWinograd()) {
				t.Errorf("%s: FastConv leaves the bits: %v", name, same)
			}
			for i := range plain {
				checkNear(t, name, fast[i], plain[i])
			}
		}
	})
}

func checkNear(t *testing.T, name string, got, want []float32) {
	t.Helper()
	scale := float32(0)
	for _, v := range want {
		scale = max(scale, v, -v)
	}
	for i, v := range want {
		if d := got[i] - v; max(d, -d) > 1e-5*scale {
			t.Fatalf("%s: element %d is %v, without FastConv %v", name, i, got[i], v)
		}
	}
}
