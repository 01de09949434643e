// Elementary functions, by the recipes that the CPU follows.
// dtypes: f32 f64
#include "elementwise.cuh"
#include "trig64.cuh"

UNARY(exp, T, exp(a))
UNARY(expm1, T, expm1(a))
UNARY(log, T, log(a))
UNARY(log1p, T, log1p(a))
UNARY(sin, T, sin(a))
UNARY(cos, T, cos(a))
UNARY(erf, T, erf(a))
UNARY(rsqrt, T, rsqrt(a))
BINARY(pow, T, pow(a, b))
