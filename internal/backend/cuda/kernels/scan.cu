// Scans along runs, in order, by one thread for each run: those of the table in internal/kgen/recipe, and gradients.
//
// Every kernel takes Runs. Grid: blocks of 256 threads, any number of them: as many as there are runs. Floats are added and
// multiplied in float64; sums of integers are int64.
// dtypes: f32 f64 i64 i32 u8
#include "reductions.cuh"

// scan writes for each element the accumulator of the elements up to it.
template <class R> INLINE void scan(const Runs &p) {
#pragma unroll 1
	for (u64 run = thread(); run < p.outer * p.inner; run += threads()) {
		i64 at = startOf(p, run);
		typename R::Acc acc = R::zero();
#pragma unroll 1
		for (u64 k = 0; k < p.n; k++, at += (i64)p.inner) {
			acc = R::take(acc, load<T>(p.in, at), k);
			store<Result>(p.out, at, (Result)acc);
		}
	}
}

#define SCAN(name, R) ROW_KERNEL(name, 256)(const Runs p) { scan<R>(p); }
EACH_SCAN(SCAN)

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
