// Ranges of numbers.
//
// Every kernel takes Range. Grid: blocks of 256 threads, any number of them: as many as there are elements.
// dtypes: f32 f64 i64 i32 u8
#include "dtype.cuh"
#include "params.cuh"

ROW_KERNEL(arange, 256)(const Range p) {
#pragma unroll 1
	for (u64 i = thread(); i < p.n; i += threads()) {
#if FLOATS
		store<T>(p.out, (i64)i, (T)(p.start + (f64)i * p.step));
#else
		store<T>(p.out, (i64)i, (T)(p.wholeStart + (i64)i * p.wholeStep));
#endif
	}
}

#if FLOATS
using Real = T;
#else
using Real = f64;
#endif

// toT converts as Go does on x86-64, also where a number is beyond T.
INLINE T toT(Real v) {
#if INTEGERS
	return (T)(i64)v;
#else
	return v;
#endif
}

// linspace counts up from start in the first half and down to end in the second, so that both ends are exact.
ROW_KERNEL(linspace, 256)(const Range p) {
	Real start = (Real)p.start, end = (Real)p.end, step = (end - start) / (Real)(i64)(p.n - 1);
#pragma unroll 1
	for (u64 i = thread(); i < p.n; i += threads()) {
		Real v = i < p.n / 2 ? start + step * (Real)(i64)i : end - step * (Real)(i64)(p.n - i - 1);
		store<T>(p.out, (i64)i, toT(p.n == 1 ? start : v));
	}
}
