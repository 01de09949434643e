package dtype

import "math"

// F16 is an IEEE 754 binary16 number: 1 sign, 5 exponent and 10 mantissa bits.
type F16 uint16

// BF16 is a bfloat16 number: the upper half of a float32.
type BF16 uint16

const (
	f32Sign = 0x8000_0000
	f32Inf  = 0x7f80_0000
	f32Half = 0x3f00_0000 // 0.5

	f16Inf = 0x7c00
	f16NaN = 0x7e00

	// What c10::BFloat16 gives for every NaN.
	bf16NaN = 0x7fc0
)

// Float32 returns h's value, which is exact. A NaN keeps its sign and payload.
func (h F16) Float32() float32 {
	// The exponent is 112 too small; scaling corrects it, for subnormals too.
	bits := math.Float32bits(math.Float32frombits(uint32(h&0x7fff)<<13) * 0x1p112)
	if bits >= 0x4780_0000 { // infinity and NaNs came out as 2**16 and above
		bits |= f32Inf
	}
	return math.Float32frombits(bits | uint32(h&0x8000)<<16)
}

// ToF16 returns the F16 nearest to x, ties to even; what is too large becomes infinite, and a NaN the quiet one with x's
// sign, as in c10::Half.
func ToF16(x float32) F16 {
	bits := math.Float32bits(x)
	sign := F16(bits >> 16 & 0x8000)
	bits &^= f32Sign
	if bits-0x3880_0000 >= 0x4780_0000-0x3880_0000 { // not in [2**-14, 2**16)
		return sign | toF16Special(bits)
	}
	bits += 0xfff + bits>>13&1 - 112<<23
	return sign | F16(bits>>13)
}

// toF16Special is ToF16 for magnitudes outside F16's normal range.
func toF16Special(bits uint32) F16 {
	if bits > f32Inf {
		return f16NaN
	}
	if bits >= 0x4780_0000 {
		return f16Inf
	}
	// The last bit of a float32 near 0.5 is worth F16's smallest subnormal, so that the addition rounds.
	sum := math.Float32frombits(bits) + math.Float32frombits(f32Half)
	return F16(math.Float32bits(sum) - f32Half)
}

// F16FromFloat64 returns ToF16(float32(x)): rounded twice, as c10::Half does.
func F16FromFloat64(x float64) F16 { return ToF16(float32(x)) }

// Float32 returns b's value, which is exact.
func (b BF16) Float32() float32 { return math.Float32frombits(uint32(b) << 16) }

// ToBF16 returns the BF16 nearest to x, ties to even; what is too large becomes infinite, and every NaN the same one, as in
// c10::BFloat16.
func ToBF16(x float32) BF16 {
	if x != x {
		return bf16NaN
	}
	bits := math.Float32bits(x)
	return BF16((bits + 0x7fff + bits>>16&1) >> 16)
}

// BF16FromFloat64 returns ToBF16(float32(x)): rounded twice, as c10::BFloat16 does.
func BF16FromFloat64(x float64) BF16 { return ToBF16(float32(x)) }
