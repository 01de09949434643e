// How float32 is multiplied as float64 would multiply it, by units for float32: the product is kept as two of them, and its exponent beside, so that it leaves the
// range of neither. Each multiplication is off by some 2**-46 of the product so far.
//
// The thread whose product is not finite, or has been so little between two exponents that digits were lost, multiplies again in float64.
#pragma once

#include "twofold.cuh"

// A Multiplier is the product of what a thread takes.
template <class S> struct Multiplier;

template <> struct Multiplier<f32> {
	Twofold of = {1, 0};
	i32 exponent = 0;
	f32 least = 1; // that the product was before it was scaled
	bool none = false; // whether a factor was 0

	template <int N> __device__ __attribute__((always_inline)) void take(const f32 (&v)[N]) {
#pragma unroll
		for (int k = 0; k < N; k++) {
			none |= v[k] == 0;
			of = times(of, v[k] == 0 ? __builtin_copysignf(1, v[k]) : v[k]);
			f32 size = __builtin_fabsf(of.high);
			least = size < least ? size : least;
			if (k % 4 == 3 || k == N - 1) {
				scale();
			}
		}
	}

	// scale makes it one from 2 to 4, or what is not finite where it has no exponent.
	__device__ __attribute__((always_inline)) void scale() {
		i32 own = (i32)(bits<u32>(of.high) >> 23 & 255) - 128;
		f32 by = twoTo(-own);
		of = settled({of.high * by, of.low * by});
		exponent += own;
	}

	// holds tells whether float32 has held the product.
	__device__ __attribute__((always_inline)) bool holds() const { return isFinite(of) && least >= 0x1p-90f; }

	__device__ __attribute__((always_inline)) f64 value() const {
		i32 most = exponent < -2000 ? -2000 : exponent > 2000 ? 2000 : exponent;
		auto power = [](i32 n) { return bits<f64>((u64)(n + 1023) << 52); };
		return none ? __builtin_copysign(0., (f64)of.high) : whole(of) * power(most / 2) * power(most - most / 2);
	}
};

// Of float64, and of what float32 has not held.
template <> struct Multiplier<f64> {
	f64 product = 1;

	template <class V, int N> __device__ __attribute__((always_inline)) void take(const V (&v)[N]) {
#pragma unroll
		for (int k = 0; k < N; k++) {
			product *= (f64)v[k];
		}
	}
	__device__ __attribute__((always_inline)) f64 value() const { return product; }
};
