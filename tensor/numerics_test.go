package tensor_test

import (
	"math"
	"slices"
	"testing"

	"cresset/device"
	"cresset/dtype"
	"cresset/internal/devicetest"
	"cresset/tensor"
)

// TestNaNStays wants NaN from every op that compares, on whichever side it stands, in every float dtype, alone and amid
// numbers that a vector holds with it.
func TestNaNStays(t *testing.T) {
	nan := math.NaN()
	devicetest.Run(t, func(t *testing.T, dev device.Device) {
		for _, dt := range floatTypes {
			for _, n := range []int{1, 3, 8, 33} {
				numbers := newArray(n)
				for k := range numbers.v {
					numbers.v[k] = float64(k - 2)
				}
				for at := range n {
					holed := array{numbers.shape, slices.Clone(numbers.v)}
					holed.v[at] = nan
					x, y := holed.tensor(dev, dt), numbers.tensor(dev, dt)
					for name, z := range map[string]*tensor.Tensor{
						"maximum(NaN, y)": x.Maximum(y), "maximum(y, NaN)": y.Maximum(x),
						"minimum(NaN, y)": x.Minimum(y), "minimum(y, NaN)": y.Minimum(x),
						"clamp": x.Clamp(-1, 1), "clamp low": x.Clamp(0, nil), "clamp high": x.Clamp(nil, 0),
						"relu": x.ReLU(), "leaky_relu": x.LeakyReLU(0.1),
					} {
						for k, v := range tensor.Values[float64](z) {
							if math.IsNaN(v) != (k == at) {
								t.Fatalf("%s of %s: element %d of %d is %v, NaN is at %d", name, dt, k, n, v, at)
							}
						}
					}
					for name, z := range map[string]*tensor.Tensor{"max": x.Max(), "min": x.Min(), "sum": x.Sum(), "amax": x.AMax(nil)} {
						if !math.IsNaN(z.Float64()) {
							t.Errorf("%s of %s with NaN at %d of %d is %v", name, dt, at, n, z.Float64())
						}
					}
				}
			}
		}
	})
}

// TestSubnormalsStay computes with numbers below the smallest normal one.
func TestSubnormalsStay(t *testing.T) {
	devicetest.Run(t, func(t *testing.T, dev device.Device) {
		for _, dt := range floatTypes {
			least := precisions[dt].least
			tiny := newArray(40)
			for k := range tiny.v {
				tiny.v[k] = least * float64(k-20)
			}
			x := tiny.tensor(dev, dt)
			twice := array{tiny.shape, slices.Clone(tiny.v)}
			for k := range twice.v {
				twice.v[k] *= 2
			}
			for name, z := range map[string]*tensor.Tensor{
				"x + x": x.Add(x), "2·x": x.MulScalar(2), "x - (-x)": x.Sub(x.Neg()), "x / 0.5": x.DivScalar(0.5),
				"clone": x.Clone().MulScalar(2), "maximum": x.Maximum(x).Add(x), "there and back": x.Double().To(dt).Add(x),
			} {
				if got := arrayOf(z); !sameValues(got, twice) {
					t.Errorf("%s of %s: got %v, want %v", name, dt, got.v, twice.v)
				}
			}
			if sum := x.Add(x).Sum().Float64(); sum != -40*least {
				t.Errorf("sum of %s is %v, want %v", dt, sum, -40*least)
			}
			product := x.Reshape(1, 40).MM(tensor.On(dev).As(dt).Ones(40, 1)).Float64()
			if product != -20*least {
				t.Errorf("product of %s is %v, want %v", dt, product, -20*least)
			}
		}
	})
}

func sameValues(a, b array) bool { return slices.Equal(a.shape, b.shape) && slices.Equal(a.v, b.v) }

// TestElementwiseIsNotContracted wants x·y rounded before the sum, as every device does it.
func TestElementwiseIsNotContracted(t *testing.T) {
	devicetest.Run(t, func(t *testing.T, dev device.Device) {
		x := array{[]int{1}, []float64{1 + 0x1p-23}}.tensor(dev, dtype.Float32)
		y := x.Mul(x).Sub(array{[]int{1}, []float64{1 + 0x1p-22}}.tensor(dev, dtype.Float32))
		if got := y.Float64(); got != 0 {
			t.Errorf("x·x - rounded x·x is %v, want 0", got)
		}
		x = array{[]int{1}, []float64{3}}.tensor(dev, dtype.Float32)
		third := float64(float32(1.0 / 3))
		if got := x.AddScaled(array{[]int{1}, []float64{third}}.tensor(dev, dtype.Float32), -9).Float64(); got != float64(float32(3)-float32(float32(third)*9)) {
			t.Errorf("3 - 9·(1/3) is %v: the product was not rounded", got)
		}
	})
}
