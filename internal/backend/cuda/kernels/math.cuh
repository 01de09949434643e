// Functions that are one instruction for either type of float, by one name.
#pragma once

#include "device.cuh"

#define INFINITY __builtin_huge_val()
#define NAN __builtin_nan("")

INLINE f32 abs(f32 v) { return __builtin_fabsf(v); }
INLINE f64 abs(f64 v) { return __builtin_fabs(v); }
INLINE f32 sqrt(f32 v) { return __builtin_sqrtf(v); }
INLINE f64 sqrt(f64 v) { return __builtin_sqrt(v); }
INLINE f32 trunc(f32 v) { return __builtin_truncf(v); }
INLINE f64 trunc(f64 v) { return __builtin_trunc(v); }
INLINE f32 floor(f32 v) { return __builtin_floorf(v); }
INLINE f64 floor(f64 v) { return __builtin_floor(v); }
INLINE f32 ceil(f32 v) { return __builtin_ceilf(v); }
INLINE f64 ceil(f64 v) { return __builtin_ceil(v); }
INLINE f32 rint(f32 v) { return __builtin_rintf(v); }
INLINE f64 rint(f64 v) { return __builtin_rint(v); }
INLINE f32 copysign(f32 v, f32 sign) { return __builtin_copysignf(v, sign); }
INLINE f64 copysign(f64 v, f64 sign) { return __builtin_copysign(v, sign); }
INLINE f32 fma(f32 a, f32 b, f32 c) { return __builtin_fmaf(a, b, c); }
INLINE f64 fma(f64 a, f64 b, f64 c) { return __builtin_fma(a, b, c); }
