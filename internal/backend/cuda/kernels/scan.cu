// Running sums and products along runs, in order, by one thread for each run.
//
// Every kernel takes Runs. Grid: blocks of 256 threads, any number of them: as many as there are runs. Floats are added and
// multiplied in float64; sums of integers are int64.
// dtypes: f32 f64 i64 i32 u8
#include "reduction.cuh"

#if FLOATS
using Wide = f64;
using Result = T;
#else
using Wide = i64;
using Result = i64;
#endif

// out[k] = in[0] + … + in[k]
ROW_KERNEL(cumsum, 256)(const Runs p) {
#pragma unroll 1
	for (u64 run = thread(); run < p.outer * p.inner; run += threads()) {
		i64 at = startOf(p, run);
		Wide sum = 0;
#pragma unroll 1
		for (u64 k = 0; k < p.n; k++, at += (i64)p.inner) {
			sum += (Wide)load<T>(p.in, at);
			store<Result>(p.out, at, (Result)sum);
		}
	}
}

#if FLOATS
// out[k] = in[k] + … + in[n-1], the gradient of cumsum for in = dy.
ROW_KERNEL(cumsum_grad, 256)(const Runs p) {
#pragma unroll 1
	for (u64 run = thread(); run < p.outer * p.inner; run += threads()) {
		i64 at = startOf(p, run) + (i64)(p.n * p.inner);
		f64 sum = 0;
#pragma unroll 1
		for (u64 k = 0; k < p.n; k++) {
			at -= (i64)p.inner;
			sum += (f64)load<T>(p.in, at);
			store<T>(p.out, at, (T)sum);
		}
	}
}

// out[k] = dy · Π in[j] over j ≠ k: the products before k and behind it, so that zeros are no exception.
ROW_KERNEL(prod_grad, 256)(const Runs p) {
#pragma unroll 1
	for (u64 run = thread(); run < p.outer * p.inner; run += threads()) {
		i64 at = startOf(p, run);
		f64 before = (f64)load<T>(p.dy, (i64)run), behind = 1;
#pragma unroll 1
		for (u64 k = 0; k < p.n; k++, at += (i64)p.inner) {
			store<T>(p.out, at, (T)before);
			before *= (f64)load<T>(p.in, at);
		}
#pragma unroll 1
		for (u64 k = 0; k < p.n; k++) {
			at -= (i64)p.inner;
			store<T>(p.out, at, (T)((f64)load<T>(p.out, at) * behind));
			behind *= (f64)load<T>(p.in, at);
		}
	}
}
#endif
