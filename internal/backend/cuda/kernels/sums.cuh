// How float32 is added as float64 would add it, by units for float32: GPUs for games have one unit for float64 beside 32 or 64 of those.
//
// A sum is kept as two float32, which together hold 48 bits of it. What rounding takes off when a number is added to the first goes to the second, exactly (TwoSum), and
// so does what it takes off a product (by a fused multiply-add). Each addition is off by at most 2**-47 of the sum so far, so that k of them make an error of at most
// k·2**-47·Σ|v|: the result is the float32 nearest to the sum, but where the sum lies so near to the middle between two.
//
// What float32 cannot hold is added again in float64, by the thread whose sum is not finite, or is of squares and so little that bits of them are below float32's
// range. So infinities, NaN and sums whose parts overflow come out as in float64. What threads have is joined in float64.
#pragma once

#include "device.cuh"

// lost is what a + b has beyond sum, to which it was rounded.
INLINE f32 lost(f32 a, f32 b, f32 sum) {
	f32 from = sum - a;
	return (a - (sum - from)) + (b - from);
}

// plus adds v, and a rest that is small beside it, to a sum in two parts.
INLINE void plus(f32 &high, f32 &low, f32 v) {
	f32 sum = high + v, rest = low + lost(high, v, sum);
	high = sum + rest;
	low = rest - (high - sum);
}
INLINE void plus(f32 &high, f32 &low, f32 v, f32 rest) {
	low += rest;
	plus(high, low, v);
}

// An Adder is the sum of what a thread takes.
template <class S> struct Adder;

template <> struct Adder<f32> {
	f32 high, low;
	bool squares; // are among what was added

	template <int N> __device__ __attribute__((always_inline)) void take(const f32 (&v)[N]) {
#pragma unroll
		for (int k = 0; k < N; k++) {
			plus(high, low, v[k]);
		}
	}
	__device__ __attribute__((always_inline)) void take(f32 v) { plus(high, low, v); }

	template <int N> __device__ __attribute__((always_inline)) void takeProducts(const f32 (&a)[N], const f32 (&b)[N]) {
#pragma unroll
		for (int k = 0; k < N; k++) {
			f32 v = a[k] * b[k];
			plus(high, low, v, __builtin_fmaf(a[k], b[k], -v));
		}
	}

	// takeSquare takes a number as small as a square, and its rest.
	__device__ __attribute__((always_inline)) void takeSquare(f32 v, f32 rest) {
		squares = true;
		plus(high, low, v, rest);
	}

	// takeSquares takes the squares of the distances from a number.
	template <int N> __device__ __attribute__((always_inline)) void takeSquares(const f32 (&v)[N]) {
		squares = true;
		takeProducts(v, v);
	}
	template <int N> __device__ __attribute__((always_inline)) void takeSquares(const f32 (&v)[N], f64 from) {
		squares = true;
		f32 near = (f32)from, rest = (f32)(from - (f64)near);
#pragma unroll
		for (int k = 0; k < N; k++) {
			f32 away = v[k] - near, more = lost(v[k], -near, away) - rest, square = away * away;
			plus(high, low, square, __builtin_fmaf(2 * away, more, __builtin_fmaf(away, away, -square)));
		}
	}

	// scale makes it by times as much.
	__device__ __attribute__((always_inline)) void scale(f32 by) {
		f32 more = low * by, was = high;
		high = low = 0;
		plus(high, low, was * by, __builtin_fmaf(was, by, -(was * by)) + more);
	}

	// holds tells whether float32 has held the sum.
	__device__ __attribute__((always_inline)) bool holds() const {
		return __builtin_fabsf(high) < __builtin_inff() && (!squares || high >= 0x1p-70f);
	}
	__device__ __attribute__((always_inline)) f64 value() const { return (f64)high + (f64)low; }
};

// Of float64, and of what float32 has not held.
template <> struct Adder<f64> {
	f64 sum;

	template <class V, int N> __device__ __attribute__((always_inline)) void take(const V (&v)[N]) {
#pragma unroll
		for (int k = 0; k < N; k++) {
			sum += (f64)v[k];
		}
	}
	__device__ __attribute__((always_inline)) void take(f64 v) { sum += v; }
	template <class V, int N> __device__ __attribute__((always_inline)) void takeProducts(const V (&a)[N], const V (&b)[N]) {
#pragma unroll
		for (int k = 0; k < N; k++) {
			sum += (f64)a[k] * (f64)b[k];
		}
	}
	template <class V, int N> __device__ __attribute__((always_inline)) void takeSquares(const V (&v)[N], f64 from = 0) {
#pragma unroll
		for (int k = 0; k < N; k++) {
			sum += ((f64)v[k] - from) * ((f64)v[k] - from);
		}
	}
	__device__ __attribute__((always_inline)) void scale(f64 by) { sum *= by; }
	__device__ __attribute__((always_inline)) f64 value() const { return sum; }
};

// added is the sum of what add has an Adder take, several sums that are taken at once, or a product.
template <class S, template <class> class A = Adder, class Add> INLINE auto added(Add add) {
	A<S> sum = {};
	add(sum);
	if constexpr (sizeof(S) == 4) {
		if (!sum.holds()) {
			A<f64> again = {};
			add(again);
			return again.value();
		}
	}
	return sum.value();
}
