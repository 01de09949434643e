// The elementary functions by one name for both types of float.
#pragma once

#include "elementary.cuh"
#include "elementary64.cuh"
#include "rounding.cuh"

#define FUNCTION(name)                                                                   \
	INLINE f32 name(f32 v) { return name##f(v); }                                        \
	INLINE f64 name(f64 v) { return name##64(v); }

FUNCTION(exp)
FUNCTION(expm1)
FUNCTION(log)
FUNCTION(log1p)
FUNCTION(sin)
FUNCTION(cos)
FUNCTION(tanh)
FUNCTION(sigmoid)
FUNCTION(erf)
FUNCTION(silu)
FUNCTION(gelu)
FUNCTION(geluslope)
FUNCTION(gelutanh)
FUNCTION(softplus)

INLINE f32 pow(f32 a, f32 b) { return powf(a, b); }
INLINE f64 pow(f64 a, f64 b) { return pow64(a, b); }
INLINE f32 rsqrt(f32 v) { return rsqrtf(v); }
INLINE f64 rsqrt(f64 v) { return 1 / sqrt(v); }
