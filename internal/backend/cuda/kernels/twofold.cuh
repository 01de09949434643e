// Double-single numbers (Dekker, 1971), which have twice the digits of float32 as the sum of two: what a thread needs float64 for beside its loop, or for each element, by units for float32
// (sums.cuh says why). An operation is off by some 2**-46 of its result, or of what is added.
#pragma once

#include "sums.cuh"

// The first of a Twofold is what a float32 would be; where that is not finite the second says nothing.
struct Twofold {
	f32 high, low;
};

INLINE Twofold twofold(f64 v) {
	f32 high = (f32)v;
	return {high, (f32)(v - (f64)high)};
}
INLINE bool isFinite(Twofold v) { return __builtin_fabsf(v.high) < __builtin_inff(); }
INLINE f64 whole(Twofold v) { return isFinite(v) ? (f64)v.high + (f64)v.low : (f64)v.high; }

// spans tells whether a number is finite and so large that float32 has all digits of the second below it. Products of what does not are made in float64.
INLINE bool spans(f32 v) { return __builtin_fabsf(v) >= 0x1p-90f && __builtin_fabsf(v) <= 0x1p126f; }

INLINE Twofold add(Twofold a, Twofold b) {
	f32 sum = a.high + b.high;
	return {sum, a.low + b.low + lost(a.high, b.high, sum)};
}
INLINE Twofold add(Twofold a, f32 b) {
	f32 sum = a.high + b;
	return {sum, a.low + lost(a.high, b, sum)};
}

// settled has a second that is small beside the first again, as a few additions leave it large.
INLINE Twofold settled(Twofold v) {
	f32 high = v.high + v.low;
	return {high, v.low - (high - v.high)};
}
INLINE Twofold times(Twofold a, Twofold b) {
	f32 product = a.high * b.high, rest = __builtin_fmaf(a.high, b.high, -product);
	return {product, __builtin_fmaf(a.high, b.low, __builtin_fmaf(a.low, b.high, rest))};
}
INLINE Twofold times(Twofold a, f32 b) {
	f32 product = a.high * b;
	return {product, __builtin_fmaf(a.low, b, __builtin_fmaf(a.high, b, -product))};
}

// twoTo is 2**n for n from -126 to 127, 0 below, and infinite for 128.
INLINE f32 twoTo(i32 n) { return n < -126 ? 0 : bits<f32>((u32)(n + 127) << 23); }

// product is times where that spans, or a factor is zero, and else NaN.
INLINE Twofold product(Twofold a, Twofold b) {
	Twofold all = settled(times(a, b));
	f32 nothing = a.high * b.high; // with its sign
	bool none = a.high == 0 || b.high == 0;
	return {none ? nothing : spans(all.high) ? all.high : __builtin_nanf(""), none ? nothing : all.low};
}

// power is v**n for n > 0.
INLINE Twofold power(f32 v, u32 n) {
	Twofold all = {v, 0};
#pragma unroll 1
	for (u32 k = 1; k < n; k++) {
		all = times(all, v);
	}
	return all;
}

INLINE f64 whole(f64 v) { return v; }
INLINE f64 add(f64 a, f64 b) { return a + b; }
INLINE f64 settled(f64 v) { return v; }

// A Fine is what sums of T in a thread are joined in, and a Joining joins them.
template <class T> struct FineOf {
	using Type = f64;
};
template <> struct FineOf<f32> {
	using Type = Twofold;
};
template <class T> using Fine = typename FineOf<T>::Type;
template <class T> struct Joining {
	using Acc = Fine<T>;
	INLINE Acc join(Acc a, Acc b) { return add(a, b); }
	INLINE Acc fromLane(Acc acc, u32 mask) {
		if constexpr (sizeof(T) == 4) {
			return {::fromLane(acc.high, mask), ::fromLane(acc.low, mask)};
		} else {
			return ::fromLane(acc, mask);
		}
	}
};

// away is v less a number.
INLINE Twofold away(f32 v, f32 from) {
	f32 distance = v - from;
	return {distance, lost(v, -from, distance)};
}
INLINE Twofold away(f32 v, Twofold from) {
	Twofold distance = away(v, from.high);
	return {distance.high, distance.low - from.low};
}

// inverse is 1 / v.
INLINE Twofold inverse(f32 v) {
	f32 near = 1 / v;
	return {near, __builtin_fmaf(-near, v, 1) * near};
}

INLINE f64 inverse(f64 v) { return 1 / v; }

// inverseRoot is 1 / √v, rounded: what is near it, and a step of Newton's.
INLINE f32 inverseRoot(Twofold v) {
	f32 near = 1 / __builtin_sqrtf(v.high), square = near * near;
	f32 off = __builtin_fmaf(-v.high, square, 1);
	off = __builtin_fmaf(-v.high, __builtin_fmaf(near, near, -square), off);
	off = __builtin_fmaf(-v.low, square, off);
	return __builtin_fmaf(0.5f * near, off, near);
}
