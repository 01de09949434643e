package ptx

import (
	"math"
	"math/rand/v2"
	"testing"
)

// conversionCase is a kernel out[i] = (To)x[i] with its reference in Go.
type conversionCase struct {
	name string
	run  func(t *testing.T, name string)
}

func converts[To, From comparable](name string, x []From, want func(From) To) conversionCase {
	return conversionCase{name, func(t *testing.T, name string) {
		var h heap
		out := put(&h, make([]To, len(x)))
		launch(t, &h, "numbers", name, uint32(len(x)+63)/64, 64, out, put(&h, x), uint32(len(x)))
		for i, g := range get[To](&h, out) {
			if w := want(x[i]); g != w && (g == g || w == w) {
				t.Errorf("%v: got %v, want %v", x[i], g, w)
			}
		}
	}}
}

func TestConversions(t *testing.T) {
	x, _ := pairs()
	f := append(append([]float32{}, floatCases...), x[len(x)-1000:]...)
	d := make([]float64, len(f))
	for i := range f {
		d[i] = float64(f[i]) * (1 + 0x1p-30)
	}
	r := rand.New(rand.NewPCG(8, 9))
	ints := []int64{0, 1, -1, 7, 1 << 24, 1<<24 + 1, 1<<53 + 1, -(1<<53 + 1), 1<<62 + 1, math.MinInt64, math.MaxInt64, 2047, 2049, 65504, 65519, 65520, -70000, 0x4000004000000001}
	for range 500 {
		ints = append(ints, int64(r.Uint64())>>r.IntN(64))
	}
	narrow := make([]int32, len(ints))
	unsigned := make([]uint64, len(ints))
	bytes := make([]uint8, 256)
	for i, v := range ints {
		narrow[i], unsigned[i] = int32(v), uint64(v)
	}
	for i := range bytes {
		bytes[i] = uint8(i)
	}
	for _, tc := range []conversionCase{
		converts("f32_to_s32", f, func(x float32) int32 { return saturated(float64(x), math.MinInt32, math.MaxInt32) }),
		converts("f32_to_f64", f, func(x float32) float64 { return float64(x) }),
		converts("f64_to_f32", d, func(x float64) float32 { return float32(x) }),
		converts("f64_to_s32", d, func(x float64) int32 {
			if x != x {
				return math.MinInt32
			}
			return saturated(x, math.MinInt32, math.MaxInt32)
		}),
		converts("s32_to_f32", narrow, func(x int32) float32 { return float32(x) }),
		converts("s64_to_f32", ints, func(x int64) float32 { return float32(x) }),
		converts("u64_to_f32", unsigned, func(x uint64) float32 { return float32(x) }),
		converts("s64_to_f64", ints, func(x int64) float64 { return float64(x) }),
		converts("s64_to_s32", ints, func(x int64) int32 { return int32(x) }),
		converts("s32_to_s64", narrow, func(x int32) int64 { return int64(x) }),
		converts("u8_to_f32", bytes, func(x uint8) float32 { return float32(x) }),
		converts("u8_to_f64", bytes, func(x uint8) float64 { return float64(x) }),
		converts("f32_to_bool", f, func(x float32) uint8 { return uint8(bit(x != 0)) }),
		converts("f32_to_s64", f, func(x float32) int64 {
			switch {
			case x != x:
				return math.MinInt64
			case x >= 1<<63:
				return math.MaxInt64
			case x <= -1<<63:
				return math.MinInt64
			}
			return int64(x)
		}),
		converts("f32_to_u32", f, func(x float32) uint32 {
			switch {
			case !(x > 0):
				return 0
			case x >= 1<<32:
				return math.MaxUint32
			}
			return uint32(x)
		}),
		converts("f32_to_u64", f, func(x float32) uint64 {
			switch {
			case x != x:
				return 1 << 63
			case !(x > 0):
				return 0
			case x >= 1<<64:
				return math.MaxUint64
			}
			return uint64(x)
		}),
	} {
		t.Run(tc.name, func(t *testing.T) { tc.run(t, tc.name) })
	}
}

func saturated(x, low, high float64) int32 {
	switch {
	case x != x:
		return 0
	case x <= low:
		return int32(low)
	case x >= high:
		return int32(high)
	}
	return int32(x)
}
