// Scans along runs, in order, by one thread for each run: those of the table in internal/kgen/recipe, others, and gradients.
//
// Every kernel takes Runs. Grid: blocks of 256 threads, any number of them: as many as there are runs. Floats are added and
// multiplied in float64; sums of integers are int64.
// dtypes: f32 f64 i64 i32 u8
#include "elementary.cuh"
#include "math.cuh"
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

// runningExtreme writes for each element the most extreme of those up to it, and the last place of it; NaN is beyond any number.
template <class Reaches> INLINE void runningExtreme(const Runs &p, Reaches reaches) {
#pragma unroll 1
	for (u64 run = thread(); run < p.outer * p.inner; run += threads()) {
		i64 at = startOf(p, run), from = 0;
		T best = load<T>(p.in, at);
#pragma unroll 1
		for (u64 k = 0; k < p.n; k++, at += (i64)p.inner) {
			T v = load<T>(p.in, at);
			if (reaches(v, best) || v != v) {
				best = v;
				from = (i64)k;
			}
			store<T>(p.out, at, best);
			store<i64>(p.index, at, from);
		}
	}
}

ROW_KERNEL(cummax, 256)(const Runs p) {
	runningExtreme(p, [](T v, T best) { return v >= best; });
}
ROW_KERNEL(cummin, 256)(const Runs p) {
	runningExtreme(p, [](T v, T best) { return v <= best; });
}

#if FLOATS
// out[k] = log Σ e**in[j] over j ≤ k: sum counts in units of e**most, so that nothing overflows.
ROW_KERNEL(logcumsumexp, 256)(const Runs p) {
#pragma unroll 1
	for (u64 run = thread(); run < p.outer * p.inner; run += threads()) {
		i64 at = startOf(p, run);
		f64 most = -INFINITY, sum = 0;
#pragma unroll 1
		for (u64 k = 0; k < p.n; k++, at += (i64)p.inner) {
			f64 v = (f64)load<T>(p.in, at);
			if (v > most) {
				sum = sum * exp(most - v) + 1;
				most = v;
			} else {
				sum += v == most ? 1 : exp(v - most);
			}
			store<T>(p.out, at, (T)(most + log(sum)));
		}
	}
}

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
