// The sine and cosine of float64: the recipes below 2**32 in size, and a reduction by hand beyond, since a recipe has no
// integers of 128 bits. internal/kern/trig64.go has the same steps in Go, so that the bits agree.
#pragma once

#include "elementary.cuh"
#include "math.cuh"

// twoOverPi64 holds the bits of 2/π after the point, behind 64 zeros.
static __device__ const u64 twoOverPi64[21] = {
	0x0000000000000000, 0xa2f9836e4e441529, 0xfc2757d1f534ddc0, 0xdb6295993c439041,
	0xfe5163abdebbc561, 0xb7246e3a424dd2e0, 0x06492eea09d1921c, 0xfe1deb1cb129a73e,
	0xe88235f52ebb4484, 0xe99c7026b45f7e41, 0x3991d639835339f4, 0x9c845f8bbdf9283b,
	0x1ff897ffde05980f, 0xef2f118b5a0a6d1f, 0x6d367ecf27cb09b7, 0x4f463f669e5fea2d,
	0x7527bac7ebe5f17b, 0x3d0739f78a5292ea, 0x6bfb5fb11f8d5d08, 0x56033046fc7b6bab,
	0xf0cfbc209af4361d,
};

// window64 is 64 bits of 2/π from bit 64*word + shift on.
INLINE u64 window64(u32 word, u32 shift) {
	u64 second = shift == 0 ? 0 : twoOverPi64[word + 1] >> (64 - shift);
	return twoOverPi64[word] << shift | second;
}

// A Quadrant is an angle as n*π/2 + head + tail with |head| <= π/4.
struct Quadrant {
	u64 n;
	f64 head, tail;
};

INLINE u64 mulHigh(u64 a, u64 b) { return (u64)((unsigned __int128)a * b >> 64); }
INLINE f64 power2(i32 n) { return bits<f64>((u64)(n + 1023) << 52); } // 2**n, -1022 <= n <= 1023

// reduceByHalfPi takes a finite a > π/4 (Payne and Hanek): a is m * 2**e, and of 2/π only the 192 bits count from which m
// makes less than a multiple of 4 and not too little.
INLINE Quadrant reduceByHalfPi(f64 a) {
	u64 all = bits<u64>(a), m = (all & 0xfffffffffffffull) | 0x10000000000000ull;
	u32 at = (u32)(all >> 52) - 1075 + 62, word = at / 64, shift = at % 64;
	// The product's upper 128 bits of 192; what overflows them is a multiple of 4.
	u64 second = window64(word + 1, shift), low = m * second + mulHigh(m, window64(word + 2, shift));
	u64 high = m * window64(word, shift) + mulHigh(m, second) + (low < m * second);

	u64 n = high >> 62;
	high = high << 2 | low >> 62, low <<= 2;
	f64 sign = 1;
	if (high >> 63) { // more than half a quadrant: back from the next one
		n++, sign = -1;
		high = ~high, low = ~low;
	}
	i32 zeros = 0;
	if (high == 0) {
		high = low, low = 0, zeros = 64;
	}
	i32 more = high == 0 ? 0 : __builtin_clzll(high);
	high = more == 0 ? high : high << more | low >> (64 - more);
	low <<= more;
	f64 scale = power2(-53 - zeros - more);
	f64 turn = sign * (f64)(high >> 11) * scale;
	f64 turnTail = sign * (f64)((high & 0x7ff) << 42 | low >> 22) * (scale * 0x1p-53);
	const f64 halfPi = 0x1.921fb54442d18p+0, halfPiTail = 0x1.1a62633145c07p-54;
	f64 head = turn * halfPi;
	return {n, head, fma(turn, halfPi, -head) + fma(turn, halfPiTail, turnTail * halfPi)};
}

// sine is that of the angle.
INLINE f64 sine(Quadrant q) {
	f64 y = q.n & 1 ? fma(-q.tail, q.head, cosnear(q.head)) : fma(q.tail, cosnear(q.head), sinnear(q.head));
	return q.n & 2 ? -y : y;
}

// sinFar is the sine of x + n*π/2 where x is not below 2**32 in size.
INLINE f64 sinFar(f64 x, u64 n) {
	if (!(abs(x) < INFINITY)) {
		return NAN;
	}
	Quadrant q = reduceByHalfPi(abs(x));
	q.n += n;
	return x < 0 ? -sine(q) : sine(q);
}

INLINE f64 tanFar(f64 x) {
	if (!(abs(x) < INFINITY)) {
		return NAN;
	}
	Quadrant q = reduceByHalfPi(abs(x));
	f64 y = tannear(q.head);
	y = fma(q.tail, fma(y, y, 1), y);
	y = q.n & 1 ? -1 / y : y;
	return x < 0 ? -y : y;
}

INLINE f64 tan(f64 x) { return abs(x) < 0x1p32 ? tannear(x) : tanFar(x); }
INLINE f64 sin(f64 x) { return abs(x) < 0x1p32 ? sinnear(x) : sinFar(x, 0); }
INLINE f64 cos(f64 x) { return abs(x) < 0x1p32 ? cosnear(x) : sinFar(abs(x), 1); }
