package ptx

import (
	"math"
	"math/big"
	"math/bits"
	"math/rand/v2"
	"testing"
)

// corner cases of float32 that all pairs of are tried.
var floatCases = []float32{
	0, float32(math.Copysign(0, -1)), 1, -1, 1.5, -2.5, 3.5, 0.5, -0.5, 7, 255.5, 65504, 65520, 1e10, -1e10, 3e38, -3e38, 16777217,
	1e-40, -1e-40, 1.1754944e-38, 1e-45, 2147483648, -2147483648, 9.223372e18, 1.8446744e19, 0x1.fffffep0, 0x1.000002p0,
	float32(math.Inf(1)), float32(math.Inf(-1)), float32(math.NaN()), 0x1.002p-14, 0x1.00ap3, 0x1.018p0, 5e-8, 6e-8,
}

// pairs returns every pair of cases, and random ones of any bits.
func pairs() (x, y []float32) {
	for _, a := range floatCases {
		for _, b := range floatCases {
			x, y = append(x, a), append(y, b)
		}
	}
	r := rand.New(rand.NewPCG(2, 3))
	for range 2000 {
		a := r.Uint32()
		b := a&0x7f800000 + uint32(r.IntN(8)-4)<<23 ^ r.Uint32()&0x807fffff
		x, y = append(x, math.Float32frombits(a)), append(y, math.Float32frombits(b))
	}
	return x, y
}

func same32(a, b float32) bool {
	return math.Float32bits(a) == math.Float32bits(b) || a != a && b != b
}

func same64(a, b float64) bool {
	return math.Float64bits(a) == math.Float64bits(b) || a != a && b != b
}

func truths(v ...bool) (sum float64) {
	for i, on := range v {
		if on {
			sum += float64(int(1) << i)
		}
	}
	return sum
}

// nearestFMA rounds x*y+z once, by exact arithmetic.
func nearestFMA(x, y, z float32) float32 {
	for _, v := range []float32{x, y, z} {
		if math.IsInf(float64(v), 0) || v != v {
			return float32(float64(x)*float64(y) + float64(z))
		}
	}
	exact := precisely(0).Mul(precisely(float64(x)), precisely(float64(y)))
	exact.Add(exact, precisely(float64(z)))
	if exact.Sign() == 0 {
		return float32(float64(x)*float64(y)) + z
	}
	v, _ := exact.Float32()
	return v
}

// precisely returns a number with room for any sum of a product and a number of float64.
func precisely(x float64) *big.Float { return new(big.Float).SetPrec(6400).SetFloat64(x) }

func TestFloat32(t *testing.T) {
	x, y := pairs()
	var h heap
	out := put(&h, make([]float32, 16*len(x)))
	launch(t, &h, "numbers", "f32_ops", uint32(len(x)+127)/128, 128, out, put(&h, x), put(&h, y), uint32(len(x)))
	got := get[float32](&h, out)
	for i := range x {
		x, y := x[i], y[i]
		X := float64(x)
		want := [16]float32{
			x + y, x - y, x * y, x / y, nearestFMA(x, y, x), float32(math.Sqrt(X)),
			float32(math.Floor(X)), float32(math.Ceil(X)), float32(math.Trunc(X)), float32(math.RoundToEven(X)),
			extreme(x, y, false), extreme(x, y, true), float32(math.Abs(X)), -x, float32(math.Copysign(X, float64(y))),
			float32(truths(x < y, x <= y, x == y, x != y, !(x >= y), x != x, x > y)),
		}
		for j, w := range want {
			if g := got[16*i+j]; !same32(g, w) {
				t.Errorf("result %d of %g and %g: got %g (%x), want %g (%x)", j, x, y, g, g, w, w)
			}
		}
	}
}

func extreme(x, y float32, largest bool) float32 {
	switch {
	case x != x:
		return y
	case y != y:
		return x
	case largest:
		return max(x, y)
	}
	return min(x, y)
}

func TestFloat64(t *testing.T) {
	fx, fy := pairs()
	x, y := make([]float64, len(fx)), make([]float64, len(fx))
	for i := range fx {
		x[i], y[i] = float64(fx[i])*(1+0x1p-40), float64(fy[i])*(1-0x1p-45)
	}
	var h heap
	out := put(&h, make([]float64, 16*len(x)))
	launch(t, &h, "numbers", "f64_ops", uint32(len(x)+127)/128, 128, out, put(&h, x), put(&h, y), uint32(len(x)))
	got := get[float64](&h, out)
	for i := range x {
		x, y := x[i], y[i]
		low, high := min(x, y), max(x, y)
		if x != x || y != y {
			if low = x; x != x {
				low = y
			}
			high = low
		}
		want := [16]float64{
			x + y, x - y, x * y, x / y, math.FMA(x, y, x), math.Sqrt(x),
			math.Floor(x), math.Ceil(x), math.Trunc(x), math.RoundToEven(x), low, high, math.Abs(x), -x, 1 / x,
			truths(x < y, x <= y, x == y, x != y, !(x >= y), x != x, x > y),
		}
		for j, w := range want {
			if g := got[16*i+j]; !same64(g, w) {
				t.Errorf("result %d of %g and %g: got %g, want %g", j, x, y, g, w)
			}
		}
	}
}

func TestIntegers(t *testing.T) {
	cases := []uint32{0, 1, 2, 3, 7, 31, 32, 33, 100, 0x7fffffff, 0x80000000, 0x80000001, 0xffffffff, 0xfffffffe, 0x12345678, 0xdeadbeef}
	var x, y []uint32
	for _, a := range cases {
		for _, b := range cases {
			x, y = append(x, a), append(y, b)
		}
	}
	r := rand.New(rand.NewPCG(4, 5))
	for range 500 {
		x, y = append(x, r.Uint32()), append(y, r.Uint32()>>r.IntN(32))
	}
	var h heap
	out := put(&h, make([]uint64, 24*len(x)))
	launch(t, &h, "numbers", "int_ops", uint32(len(x)+63)/64, 64, out, put(&h, x), put(&h, y), uint32(len(x)))
	got := get[uint64](&h, out)
	for i := range x {
		// C++ leaves divisions by zero and the absolute value of the least number open.
		for j, w := range intOps(x[i], y[i]) {
			if open := j < 4 && y[i] == 0 || j == 19 && x[i] == 1<<31; !open && got[24*i+j] != w {
				t.Errorf("result %d of %#x and %#x: got %#x, want %#x", j, x[i], y[i], got[24*i+j], w)
			}
		}
	}
}

// intOps is int_ops in Go.
func intOps(x, y uint32) [24]uint64 {
	X, Y := uint64(x)<<32|uint64(y), uint64(y)<<20^uint64(x)
	d := max(y, 1)
	sd := int32(d)
	high, _ := bits.Mul64(X, Y)
	o := [24]uint64{
		uint64(x / d), uint64(x % d), uint64(int64(int32(x) / sd)), uint64(int64(int32(x) % sd)),
		X / (Y | 1), X % (Y | 1), uint64(int64(X) / int64(Y|1)),
		uint64(bits.LeadingZeros32(y | 1)), uint64(bits.LeadingZeros64(Y | 1)),
		uint64(x) * uint64(y), high, uint64((x ^ y) >> 7), uint64(bits.RotateLeft32(x, int(y&31))),
		uint64(int64(X) >> (y & 63)), X >> (y & 63), uint64(-x),
		uint64(x&y | (^x&0x0f0f0f0f ^ y)), uint64(y), min(Y, X),
		0, uint64(uint32(uint16(x))*uint32(uint16(y)) + uint32(uint16(x>>16))),
		uint64(int64(int32(x) >> (y & 31))), uint64(int64(max(int32(x), int32(y)))), X ^ Y,
	}
	if int32(x) < int32(y) {
		o[17] = uint64(x)
	}
	o[18] = uint64(min(int64(X), int64(Y)))
	abs := int32(x)
	if abs < 0 {
		abs = -abs
	}
	if int64(X) < 0 {
		o[19] = -X
	} else {
		o[19] = X
	}
	o[19] += uint64(int64(abs))
	return o
}
