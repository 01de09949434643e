package nn_test

import (
	"math"
	"testing"

	"cresset/device"
	"cresset/dtype"
	"cresset/internal/devicetest"
	"cresset/nn"
	"cresset/tensor"
)

func TestClipGradNorm(t *testing.T) {
	l := nn.NewLinear(2, 1)
	l.Forward(tensor.Of([][]float32{{3, 4}})).Sum().Backward() // gradients 3, 4 and 1
	want := math.Sqrt(26)
	if got := nn.ClipGradNorm(nn.Parameters(l), 100); !(math.Abs(got-want) <= 1e-6) {
		t.Errorf("norm is %v, want %v", got, want)
	}
	nn.ClipGradNorm(nn.Parameters(l), 1)
	if got := nn.ClipGradNorm(nn.Parameters(l), 1); !(math.Abs(got-1) <= 1e-5) {
		t.Errorf("norm is %v after clipping to 1", got)
	}
	nn.ClipGradValue(nn.Parameters(l), 0.25)
	if got := tensor.Values[float64](l.Weight.Grad()); got[0] != 0.25 || got[1] != 0.25 {
		t.Errorf("gradient is %v after clipping to 0.25", got)
	}
}

// TestClipGradNormOnDevice: gradients and norms have the bits of ClipGradNorm's, whether they are clipped, left alone or not finite.
func TestClipGradNormOnDevice(t *testing.T) {
	devicetest.Run(t, func(t *testing.T, dev device.Device) {
		for _, dt := range []dtype.DType{dtype.Float32, dtype.BFloat16, dtype.Float64} {
			for _, scale := range []float64{1e-3, 7, math.Inf(1), math.NaN()} {
				layers := [2]*nn.Linear{}
				for i := range layers {
					layers[i] = nn.NewLinear(3, 5, nn.On(dev), nn.As(dt))
					for _, p := range nn.Parameters(layers[i]) {
						p.SetGrad(tensor.Linspace(-1, 2, p.NumEl()).View(p.Shape()...).MulScalar(scale).To(dev, dt))
					}
				}
				want := nn.ClipGradNorm(nn.Parameters(layers[0]), 1)
				got := nn.ClipGradNormOnDevice(nn.Parameters(layers[1]), 1)
				if got.Device() != layers[0].Weight.Device() || math.Float64bits(got.Float64()) != math.Float64bits(want) {
					t.Errorf("%v: the norm is %v, want %v", dt, got, want)
				}
				a, b := tensor.Values[float64](layers[0].Weight.Grad()), tensor.Values[float64](layers[1].Weight.Grad())
				for i := range a {
					if math.Float64bits(a[i]) != math.Float64bits(b[i]) && !(math.IsNaN(a[i]) && math.IsNaN(b[i])) {
						t.Errorf("%v times %v: gradient %d is %v, want %v", dt, scale, i, b[i], a[i])
					}
				}
			}
		}
	})
	none := nn.NewLinear(2, 1)
	for _, f := range []func(){
		func() { nn.ClipGradNormOnDevice(nn.Parameters(none), 1) },
		func() { nn.ClipGradNormOnDevice(nn.Parameters(none), 1, nn.ErrorIfNonFinite(true)) },
	} {
		if tensor.Try(f) == nil {
			t.Error("a norm without a device, or one that must be waited for")
		}
	}
}
