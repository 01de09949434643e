package cli

import (
	"math"
	"testing"

	"cresset/dtype"
	"cresset/internal/devicetest"
	"cresset/tensor"
)

// TestStatistics compares statistics with those by definition, of every dtype, of numbers that are far from zero, and of a tensor
// that is not contiguous.
func TestStatistics(t *testing.T) {
	devicetest.JudgesValues(t)
	nan, inf := math.NaN(), math.Inf(1)
	noise := tensor.Randn(pieceElements + 3*blockElements + 5)
	cases := map[string]*tensor.Tensor{
		"empty":       tensor.Empty(0),
		"no finite":   tensor.Of([]float64{nan, inf, -inf}),
		"finite last": tensor.Cat([]*tensor.Tensor{tensor.Full([]int{blockElements}, nan), tensor.Of([]float64{-1, 0, 3})}, 0),
		"far":         noise.Double().AddScalar(1e6),
		"transposed":  noise.Narrow(0, 0, 6000).View(2, 3000).Transpose(0, 1),
		"too large":   tensor.Of([]float64{math.MaxFloat64, math.MaxFloat64}),
	}
	for dt := dtype.Bool; dt < dtype.Count; dt++ {
		cases[dt.Name()] = noise.MulScalar(2).To(dt)
	}
	for name, x := range cases {
		got, err := newStatistics(x, func() error { return nil })
		if err != nil {
			t.Fatal(err)
		}
		want := statisticsOf(tensor.Values[float64](x))
		if got.Zeros != want.Zeros || got.NaN != want.NaN || got.Inf != want.Inf {
			t.Errorf("%s: got %+v, want %+v", name, got, want)
		}
		for i, pair := range [][2]*float64{{got.Min, want.Min}, {got.Max, want.Max}, {got.Mean, want.Mean}, {got.Std, want.Std}} {
			a, b := pair[0], pair[1]
			if (a == nil) != (b == nil) || a != nil && math.Abs(*a-*b) > 1e-12*math.Abs(*b) {
				t.Errorf("%s: statistic %d is %v, want %v", name, i, textOf(a), textOf(b))
			}
		}
	}
}

// statisticsOf is newStatistics by definition.
func statisticsOf(values []float64) *statistics {
	s, finite, least, most := &statistics{}, []float64(nil), math.Inf(1), math.Inf(-1)
	for _, v := range values {
		switch {
		case math.IsNaN(v):
			s.NaN++
		case math.IsInf(v, 0):
			s.Inf++
		default:
			finite, least, most = append(finite, v), min(least, v), max(most, v)
		}
		if v == 0 {
			s.Zeros++
		}
	}
	if len(finite) == 0 {
		return s
	}
	n := float64(len(finite))
	mean := sumOf(finite, func(v float64) float64 { return v }) / n
	squares := sumOf(finite, func(v float64) float64 { return (v - mean) * (v - mean) })
	s.Min, s.Max, s.Mean, s.Std = finiteOr(least), finiteOr(most), finiteOr(mean), finiteOr(math.Sqrt(squares/n))
	return s
}

// sumOf returns the sum of f over values, added in halves, whose error grows with the logarithm of their number.
func sumOf(values []float64, f func(float64) float64) float64 {
	if len(values) == 1 {
		return f(values[0])
	}
	half := len(values) / 2
	return sumOf(values[:half], f) + sumOf(values[half:], f)
}

func textOf(v *float64) any {
	if v == nil {
		return nil
	}
	return *v
}

func BenchmarkStatistics(b *testing.B) {
	x := tensor.Randn(1 << 22)
	for _, dt := range []dtype.DType{dtype.Float32, dtype.Float64, dtype.BFloat16, dtype.Float16, dtype.Int8, dtype.Int64, dtype.Bool} {
		y := x.MulScalar(4).To(dt)
		b.Run(dt.Name(), func(b *testing.B) {
			b.SetBytes(int64(y.NumEl() * dt.Size()))
			for b.Loop() {
				if _, err := newStatistics(y, func() error { return nil }); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
