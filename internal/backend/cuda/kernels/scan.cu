// Scans along runs: those of the table in internal/kgen/recipe, others, and gradients.
//
// Every kernel takes Runs. name_rows_dtype gives each run of contiguous elements a row of threads. Grid: that of RowGrid, outer*inner
// rows. The others go along each run in order, by one thread. Grid: blocks of 256 threads, any number of them: as many as there
// are runs. Floats are added and multiplied in float64; sums of integers are int64.
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

// before joins the accumulators of the threads before this one in its row, and gives the whole row's in all. All threads of the block have
// to come here.
template <class R> INLINE typename R::Acc before(typename R::Acc acc, typename R::Acc &all) {
	using Acc = typename R::Acc;
	__shared__ Acc warps[MOST_WARPS];
	u32 lane = threadIdx.x % WARP, own = threadIdx.y * (blockDim.x / WARP);
#pragma unroll 1
	for (u32 by = 1; by < WARP; by *= 2) {
		Acc below = fromBelow(acc, by);
		acc = lane >= by ? R::join(below, acc) : acc;
	}
	if (lane == WARP - 1) {
		warps[own + threadIdx.x / WARP] = acc;
	}
	Acc below = fromBelow(acc, 1);
	acc = R::zero();
	__syncthreads();
	all = R::zero();
#pragma unroll 1
	for (u32 w = 0; w < blockDim.x / WARP; w++) {
		acc = w == threadIdx.x / WARP ? all : acc;
		all = R::join(all, warps[own + w]);
	}
	__syncthreads(); // the next turn writes here
	return lane == 0 ? acc : R::join(acc, below);
}

// scanRows is scan by a row of threads, each of which takes EACH neighbours at a time; backward from the run's end on. A run
// beyond the last has no elements: the threads of a block stay together.
template <class R, bool backward> INLINE void scanRows(const Runs &p) {
	const int EACH = 2 * GROUP < 8 ? 8 : 2 * GROUP;
	u64 run = row(), n = run < p.outer * p.inner ? p.n : 0;
	i64 start = (i64)(run * p.n);
	bool whole = isWhole(p.in, start, 1) && isWhole(p.out, start, 1) && (!backward || p.n % GROUP == 0) && sizeof(Result) == sizeof(T);
	typename R::Acc carry = R::zero();
#pragma unroll 1
	for (u64 first = 0; first < p.n; first += blockDim.x * EACH) {
		u64 k = first + threadIdx.x * EACH;
		i64 lowest = start + (i64)(backward ? n - k - EACH : k); // of the thread's neighbours
		bool full = whole && k + EACH <= n;
		T v[EACH]; // from the lowest on
		if (full) {
#pragma unroll
			for (int g = 0; g < EACH; g += GROUP) {
				Lanes<T, GROUP> group = Lanes<T, GROUP>::load(p.in, lowest + g);
#pragma unroll
				for (int lane = 0; lane < GROUP; lane++) {
					v[g + lane] = group.at(lane);
				}
			}
		} else {
#pragma unroll
			for (int e = 0; e < EACH; e++) {
				if (k + (backward ? EACH - 1 - e : e) < n) {
					v[e] = load<T>(p.in, lowest + e);
				}
			}
		}
		typename R::Acc own = R::zero(), all;
#pragma unroll
		for (int e = 0; e < EACH; e++) {
			own = k + e < n ? R::take(own, v[backward ? EACH - 1 - e : e], k + e) : own;
		}
		typename R::Acc acc = R::join(carry, before<R>(own, all));
		Result results[EACH];
#pragma unroll
		for (int e = 0; e < EACH; e++) {
			int at = backward ? EACH - 1 - e : e;
			acc = k + e < n ? R::take(acc, v[at], k + e) : acc;
			results[at] = (Result)acc;
		}
		if (full) {
#pragma unroll
			for (int g = 0; g < EACH; g += GROUP) {
				Lanes<T, GROUP> group;
#pragma unroll
				for (int lane = 0; lane < GROUP; lane++) {
					group.put(lane, (T)results[g + lane]);
				}
				group.store(p.out, lowest + g);
			}
		} else {
#pragma unroll
			for (int e = 0; e < EACH; e++) {
				if (k + (backward ? EACH - 1 - e : e) < n) {
					store<Result>(p.out, lowest + e, results[e]);
				}
			}
		}
		carry = R::join(carry, all);
	}
}

#define SCAN(name, R)                                                                    \
	ROW_KERNEL(name, 256)(const Runs p) { scan<R>(p); }                                  \
	ROW_KERNEL(name##_rows, 256)(const Runs p) { scanRows<R, false>(p); }
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
ROW_KERNEL(cumsum_grad_rows, 256)(const Runs p) { scanRows<Sum, true>(p); }
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
