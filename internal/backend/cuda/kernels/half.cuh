// Casts: the values that the CPU's casts have, which are those of x86-64, whatever the device's own conversions do.
#pragma once

#include "device.cuh"

struct f16 { u16 bits; };
struct bf16 { u16 bits; };
struct boolean { u8 byte; };

// wide is a number in the type that its casts start from: float32 for the half types, a byte for bool.
template <class S> INLINE S wide(S v) { return v; }
INLINE u8 wide(boolean v) { return v.byte; }
INLINE f32 wide(bf16 v) { return bits<f32>((u32)v.bits << 16); }
INLINE f32 wide(f16 v) {
	f32 wide;
	asm("cvt.f32.f16 %0, %1;" : "=f"(wide) : "h"(v.bits));
	return wide;
}

// truncate32 drops the fraction; what is out of range, and NaN, becomes the least number, as on x86-64.
template <class S> INLINE i32 truncate32(S v) {
	const i32 least = -0x7fffffff - 1;
	return v > (S)-2147483649.0 && v < (S)2147483648.0 ? (i32)v : least;
}
template <class S> INLINE i64 truncate64(S v) {
	const i64 least = -0x7fffffffffffffff - 1;
	return v >= (S)-0x1p63 && v < (S)0x1p63 ? (i64)v : least;
}

// Cast<D>::of converts a wide number to D.
template <class D> struct Cast {
	template <class S> INLINE D of(S v) {
		if constexpr (__is_integral(D) && __is_floating_point(S)) {
			if constexpr (sizeof(D) == 8) {
				return truncate64(v);
			} else {
				return (D)truncate32(v);
			}
		} else {
			return (D)v;
		}
	}
};
template <> struct Cast<boolean> {
	template <class S> INLINE boolean of(S v) { return {(u8)(v != 0)}; }
};
template <> struct Cast<bf16> {
	template <class S> INLINE bf16 of(S number) {
		f32 v = (f32)number;
		if (v != v) {
			return {0x7fc0};
		}
		u32 word = bits<u32>(v);
		return {(u16)((word + 0x7fff + (word >> 16 & 1)) >> 16)};
	}
};
template <> struct Cast<f16> {
	template <class S> INLINE f16 of(S number) {
		f32 v = (f32)number;
		u16 nearest;
		asm("cvt.rn.f16.f32 %0, %1;" : "=h"(nearest) : "f"(v));
		return {v == v ? nearest : (u16)(0x7e00 | (bits<u32>(v) >> 16 & 0x8000))};
	}
};
