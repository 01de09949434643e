package tensor_test

import (
	"math"
	"testing"

	"cresset/device"
	"cresset/dtype"
	"cresset/internal/devicetest"
	"cresset/tensor"
)

// TestLogitAtItsEnds takes numbers at the ends of [0, 1], beyond them and none at all, which the rows keep away from. Results are those
// of PyTorch 2.15's loops over single elements.
func TestLogitAtItsEnds(t *testing.T) {
	inf, nan := math.Inf(1), math.NaN()
	x := []float64{0, math.Copysign(0, -1), 1, 0.5, -0.5, 1.5, -inf, inf, nan}
	bound := math.Log(3)
	devicetest.Run(t, func(t *testing.T, dev device.Device) {
		for _, tc := range []struct {
			name        string
			eps         []tensor.Eps
			value, grad []float64
		}{
			{"no eps", nil, []float64{-inf, -inf, inf, 0, nan, nan, nan, nan, nan}, []float64{inf, inf, inf, 4, nan, nan, nan, nan, nan}},
			{"a negative eps", []tensor.Eps{-1}, []float64{-inf, -inf, inf, 0, nan, nan, nan, nan, nan}, []float64{inf, inf, inf, 4, nan, nan, nan, nan, nan}},
			{"eps 0", []tensor.Eps{0}, []float64{-inf, -inf, inf, 0, -inf, inf, -inf, inf, nan}, []float64{inf, inf, inf, 4, 0, 0, 0, 0, nan}},
			{"eps 0.25", []tensor.Eps{0.25}, []float64{-bound, -bound, bound, 0, -bound, bound, -bound, bound, nan}, []float64{0, 0, 0, 4, 0, 0, 0, 0, nan}},
		} {
			for _, dt := range []dtype.DType{dtype.Float16, dtype.BFloat16, dtype.Float32, dtype.Float64} {
				a := tensor.Of(x).To(dt, dev).SetRequiresGrad(true)
				y := a.Logit(tc.eps...)
				y.Sum().Backward()
				for k := range x {
					for what, pair := range map[string][2]float64{
						"value":    {tensor.Values[float64](y.Detach())[k], tc.value[k]},
						"gradient": {tensor.Values[float64](a.Grad())[k], tc.grad[k]},
					} {
						got, want := pair[0], pair[1]
						near := got == want || math.Abs(got-want) <= 0x1p-7 || got != got && want != want
						if !near {
							t.Errorf("%s of %v, %s of %v: got %v, want %v", tc.name, dt, what, x[k], got, want)
						}
					}
				}
			}
		}
	})
}
