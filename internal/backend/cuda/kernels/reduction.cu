// Reductions of [outer][n][inner] over n, those of the table in internal/kgen/recipe and extremes.
//
// Every kernel takes Reduction. name_dtype gives each result a row of threads. Grid: blocks of (32, 8) threads up to
// n = 1024 and of (256, 1) beyond, one row for each result and part: outer*inner*parts rows; gridDim.x up to 2**31-1.
// name_columns_dtype lets neighbouring threads take neighbouring results, for inner > 1 or n < 32. Grid: blocks of (32, 8)
// threads, one for each 32 results; it knows no parts.
// dtypes: f32 f64 i64 i32 u8
#include "reductions.cuh"

// isNaN is of any number; an integer always is one.
INLINE bool isNaN(T v) { return v != v; }

// An Extreme is an element and its place in the run; a place of -1 is none yet.
struct Extreme {
	T value;
	i64 at;
};

// Extremes keep the first of equal elements, and the first NaN before any number. Better is the order of numbers.
template <class Better> struct Extremes {
	using Acc = Extreme;
	INLINE Extreme fromLane(Extreme acc, u32 mask) { return {::fromLane(acc.value, mask), ::fromLane(acc.at, mask)}; }
	INLINE Extreme zero() { return {0, -1}; }
	INLINE Extreme take(Extreme acc, T v, u64 at) { return join(acc, {v, (i64)at}); }
	INLINE Extreme join(Extreme a, Extreme b) {
		if (a.at < 0 || b.at < 0) {
			return a.at < 0 ? b : a;
		}
		bool same = a.value == b.value || (isNaN(a.value) && isNaN(b.value));
		bool second = same ? b.at < a.at : isNaN(b.value) || (!isNaN(a.value) && Better::than(b.value, a.value));
		return second ? b : a;
	}
	INLINE void finish(const Reduction &p, u64 at, Extreme acc) {
		if (p.out != 0) {
			store<T>(p.out, at, acc.value);
		}
		if (p.index != 0) {
			store<i64>(p.index, at, acc.at);
		}
	}
};
struct Larger {
	INLINE bool than(T a, T b) { return a > b; }
};
struct Smaller {
	INLINE bool than(T a, T b) { return a < b; }
};

// A Run is where the elements of a result lie.
struct Run {
	i64 start, step;
};

INLINE Run runOf(const Reduction &p, u64 result) {
	u64 o = result, i = 0;
	if (p.inner != 1) {
		o = result / p.inner;
		i = result - o * p.inner;
	}
	return {(i64)o * p.strides[0] + (i64)i * p.strides[2], p.strides[1]};
}

// reduceRows: rows of threads take part k of result r, for every r and k, the parts of a result side by side.
template <class R> INLINE void reduceRows(const Reduction &p) {
	u64 result = row(), part = 0;
	if (p.parts != 1) {
		part = result % p.parts;
		result /= p.parts;
	}
	if (result >= p.outer * p.inner) {
		return; // with it goes the whole row
	}
	typename R::Acc acc = R::zero();
	if (p.from != 0) {
#pragma unroll 1
		for (u64 k = threadIdx.x; k < p.n; k += blockDim.x) {
			acc = R::join(acc, load<typename R::Acc>(p.from, result * p.n + k));
		}
	} else {
		Run run = runOf(p, result);
		u64 each = (p.n + p.parts - 1) / p.parts, first = part * each;
		u64 end = first + each < p.n ? first + each : p.n;
#pragma unroll 1
		for (u64 k = first + threadIdx.x; k < end; k += blockDim.x) {
			acc = R::take(acc, load<T>(p.in, run.start + (i64)k * run.step), k);
		}
	}
	acc = joinRow<R>(acc);
	if (threadIdx.x != 0) {
		return;
	}
	if (p.to != 0) {
		store<typename R::Acc>(p.to, result * p.parts + part, acc);
	} else {
		R::finish(p, result, acc);
	}
}

// reduceColumns: the 8 threads of a column each take every 8th element, and their accumulators are joined in order.
template <class R> INLINE void reduceColumns(const Reduction &p) {
	using Acc = typename R::Acc;
	__shared__ Acc columns[8][WARP];
	u64 result = (u64)blockIdx.x * WARP + threadIdx.x;
	Acc acc = R::zero();
	if (result < p.outer * p.inner) {
		Run run = runOf(p, result);
#pragma unroll 1
		for (u64 k = threadIdx.y; k < p.n; k += 8) {
			acc = R::take(acc, load<T>(p.in, run.start + (i64)k * run.step), k);
		}
	}
	columns[threadIdx.y][threadIdx.x] = acc;
	__syncthreads();
	if (threadIdx.y != 0 || result >= p.outer * p.inner) {
		return;
	}
#pragma unroll 1
	for (int y = 1; y < 8; y++) {
		acc = R::join(acc, columns[y][threadIdx.x]);
	}
	R::finish(p, result, acc);
}

// REDUCTION is both kernels of a reduction.
#define REDUCTION(name, R)                                                               \
	ROW_KERNEL(name, 256)(const Reduction p) { reduceRows<R>(p); }                       \
	ROW_KERNEL(name##_columns, 256)(const Reduction p) { reduceColumns<R>(p); }

EACH_REDUCTION(REDUCTION)
#if FLOATS
EACH_FLOAT_REDUCTION(REDUCTION)
#endif
REDUCTION(max, Extremes<Larger>)
REDUCTION(min, Extremes<Smaller>)
