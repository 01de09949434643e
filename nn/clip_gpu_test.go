package nn_test

import (
	"errors"
	"fmt"
	"iter"
	"math"
	"testing"

	"cresset/cuda"
	"cresset/device"
	"cresset/dtype"
	"cresset/internal/devicetest"
	"cresset/internal/race"
	"cresset/nn"
	"cresset/tensor"
)

// withGradients returns parameters, each in a place of its own, whose gradients have these shapes; the last is there transposed.
func withGradients(scale float64, places []place, shapes ...[]int) (ps []*tensor.Tensor) {
	for i, shape := range shapes {
		at := places[i%len(places)]
		n := 1
		for _, extent := range shape {
			n *= extent
		}
		values := make([]float64, n)
		for k := range values {
			values[k] = scale * math.Sin(float64(i+3*k))
		}
		g := tensor.FromSlice(values, shape...).To(at.dev, at.dt)
		if i == len(shapes)-1 {
			g = g.T().Contiguous().T()
		}
		p := tensor.Parameter(tensor.ZerosLike(g))
		p.SetGrad(g)
		ps = append(ps, p)
	}
	return ps
}

type place struct {
	dev device.Device
	dt  dtype.DType
}

func listed(ps []*tensor.Tensor) iter.Seq2[string, *tensor.Tensor] {
	return func(yield func(string, *tensor.Tensor) bool) {
		for i, p := range ps {
			if !yield(fmt.Sprint(i), p) {
				return
			}
		}
	}
}

// gradientShapes are those of gradients of several chunks and of one, without elements and without axes.
var gradientShapes = [][]int{{9001}, {0, 3}, {}, {2, 5}, {33, 130}, {7, 9}}

// TestClippingOnGPUsIsTheCPUs, for gradients that are clipped, short enough, infinite and NaN, in one dtype or several, on one device or several.
func TestClippingOnGPUsIsTheCPUs(t *testing.T) {
	if race.Enabled {
		t.Skip("it looks at values, and the interpreter is slow under the race detector")
	}
	devicetest.Use(t, "2")
	first, second := device.CUDA(0), device.CUDA(1)
	for name, places := range map[string][]place{
		"float32":  {{first, dtype.Float32}},
		"float64":  {{first, dtype.Float64}},
		"float16":  {{first, dtype.Float16}},
		"bfloat16": {{first, dtype.BFloat16}},
		"dtypes":   {{first, dtype.Float32}, {first, dtype.BFloat16}, {first, dtype.Float16}},
		"devices":  {{first, dtype.Float32}, {second, dtype.Float32}, {device.CPU, dtype.Float32}, {second, dtype.BFloat16}},
	} {
		for _, scale := range []float64{1, 1e-3, math.Inf(1), math.NaN()} {
			host := make([]place, len(places))
			for i := range places {
				host[i] = place{device.CPU, places[i].dt}
			}
			want := withGradients(scale, host, gradientShapes...)
			wantNorm := nn.ClipGradNorm(listed(want), 1)
			for form, clip := range map[string]func(ps iter.Seq2[string, *tensor.Tensor]) float64{
				"waiting":   func(ps iter.Seq2[string, *tensor.Tensor]) float64 { return nn.ClipGradNorm(ps, 1) },
				"on device": func(ps iter.Seq2[string, *tensor.Tensor]) float64 { return nn.ClipGradNormOnDevice(ps, 1).Float64() },
				"known norm": func(ps iter.Seq2[string, *tensor.Tensor]) float64 {
					nn.ClipGradsWithNorm(ps, 1, wantNorm)
					return wantNorm
				},
			} {
				got := withGradients(scale, places, gradientShapes...)
				if norm := clip(listed(got)); !(math.Abs(norm-wantNorm) <= 1e-7*wantNorm) && fmt.Sprint(norm) != fmt.Sprint(wantNorm) {
					t.Errorf("%s times %v, %s: norm is %v, want %v", name, scale, form, norm, wantNorm)
				}
				for i := range got {
					if at, ok := farthest(got[i].Grad(), want[i].Grad()); !ok {
						t.Errorf("%s times %v, %s: gradient %d differs at %d", name, scale, form, i, at)
					}
				}
			}
		}
	}
}

// farthest returns where x is not what y on the CPU is, within a rounding of its dtype; NaN is like NaN.
func farthest(x, y *tensor.Tensor) (at int, ok bool) {
	tolerance := 2e-7
	if x.DType().Size() == 2 {
		tolerance = 1.0 / 128
	}
	got, want := tensor.Values[float64](x.To(device.CPU)), tensor.Values[float64](y)
	for i, w := range want {
		if d := math.Abs(got[i] - w); got[i] != w && !(d <= tolerance*math.Abs(w)+1e-7) && !(math.IsNaN(w) && math.IsNaN(got[i])) {
			return i, false
		}
	}
	return 0, true
}

// TestClippingTakesThreeLaunches for any number of gradients of a dtype: their norms, the norm of those, and the clipping; with
// two dtypes the first and the last are two each.
func TestClippingTakesThreeLaunches(t *testing.T) {
	driver := devicetest.Use(t, "1")
	single, half := place{device.CUDA(0), dtype.Float32}, place{device.CUDA(0), dtype.BFloat16}
	shapes := gradientShapes[:5]
	for want, places := range map[int][]place{3: {single}, 5: {single, half}} {
		ps := withGradients(1, places, append(shapes, []int{4, 4}, []int{4, 4})...)
		last := ps[len(ps)-1]
		last.SetGrad(last.Grad().Contiguous())
		before := driver.Calls("cuLaunchKernel")
		nn.ClipGradNormOnDevice(listed(ps), 1)
		if got := driver.Calls("cuLaunchKernel") - before; got != want {
			t.Errorf("%d launches, want %d", got, want)
		}
	}
}

// TestClippingInAGraph: a replay clips the gradients that are there then.
func TestClippingInAGraph(t *testing.T) {
	devicetest.Use(t, "1")
	places := []place{{device.CUDA(0), dtype.Float32}, {device.CUDA(0), dtype.BFloat16}}
	ps := withGradients(1, places, gradientShapes...)
	norm := tensor.On(device.CUDA(0)).Zeros().Double()
	graph, err := cuda.Capture(func() error {
		norm.CopyInPlace(nn.ClipGradNormOnDevice(listed(ps), 1))
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	defer graph.Close()
	for _, scale := range []float64{3, 1e-3, 7} {
		want := withGradients(scale, places, gradientShapes...)
		for i := range ps {
			ps[i].Grad().CopyInPlace(want[i].Grad())
		}
		wantNorm := nn.ClipGradNorm(listed(want), 1)
		if err := graph.Replay(); err != nil {
			t.Fatal(err)
		}
		if got := norm.Float64(); got != wantNorm {
			t.Errorf("times %v: norm is %v, want %v", scale, got, wantNorm)
		}
		for i := range ps {
			if !ps[i].Grad().Equal(want[i].Grad()) {
				t.Errorf("times %v: gradient %d differs", scale, i)
			}
		}
	}
}

// TestGradientsOfOneMemoryAreClippedTwice, as by two ops in place.
func TestGradientsOfOneMemoryAreClippedTwice(t *testing.T) {
	devicetest.Run(t, func(t *testing.T, dev device.Device) {
		ps := withGradients(0, []place{{dev, dtype.Float32}}, []int{4, 2}, []int{4, 2})
		g := tensor.On(dev).Ones(4, 2)
		ps[0].SetGrad(g)
		ps[1].SetGrad(g)
		nn.ClipGradNorm(listed(ps), 2)
		if got := tensor.Values[float64](g.To(device.CPU))[7]; math.Abs(got-0.25) > 1e-6 {
			t.Errorf("got %v, want 0.25", got)
		}
	})
}

func TestClippingCannotBeCompiled(t *testing.T) {
	devicetest.Use(t, "1")
	p := tensor.Parameter(tensor.On(device.CUDA(0)).Ones(4))
	clipped := tensor.Compile(func(x *tensor.Tensor) *tensor.Tensor {
		y := x.MulScalar(2)
		p.SetGrad(y)
		nn.ClipGradNormOnDevice(listed([]*tensor.Tensor{p}), 1)
		return y
	})
	if err := tensor.Try(func() { clipped(tensor.On(device.CUDA(0)).Ones(4)) }); !errors.Is(err, tensor.ErrCompile) {
		t.Errorf("got %v", err)
	}
}
