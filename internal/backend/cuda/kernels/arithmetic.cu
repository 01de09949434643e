// Sums, products, signs, roundings and limits. Integers wrap; maximum, minimum and clamp keep NaN.
// dtypes: f32 f64 i64 i32 u8 bool
#include "elementwise.cuh"
#include "math.cuh"

#if NUMBERS
INLINE T clamp(T v, T low, T high) {
	v = v < low ? low : v;
	return v > high ? high : v;
}

BINARY(add, T, (T)(a + b))
BINARY(sub, T, (T)(a - b))
BINARY(mul, T, (T)(a * b))
BINARY(maximum, T, a < b || b != b ? b : a)
BINARY(minimum, T, b < a || b != b ? b : a)
UNARY(neg, T, (T)-a)
UNARY(abs, T, a <= 0 ? (T)(0 - a) : a)
UNARY(sign, T, (T)((a > 0) - (a < 0)))
UNARY(square, T, (T)(a * a))
UNARY(clamp, T, clamp(a, scalar<T>(p, 0), scalar<T>(p, 1)))
#endif

#if FLOATS
BINARY(div, T, a / b)
UNARY(reciprocal, T, 1 / a)
UNARY(sqrt, T, sqrt(a))
UNARY(floor, T, floor(a))
UNARY(ceil, T, ceil(a))
UNARY(round, T, rint(a))
UNARY(trunc, T, trunc(a))
#endif

#if BOOLS
BINARY(add, T, (T)(a | b))
BINARY(mul, T, (T)(a & b))
#endif
