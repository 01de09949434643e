// Reductions of [outer][n][inner] over n, those of the table in internal/kgen/recipe and extremes.
//
// Every kernel takes Reduction. name_dtype gives each result a row of threads. Grid: that of RowGrid, one row for each result and
// part: outer*inner*parts rows; gridDim.x up to 2**31-1. name_columns_dtype lets neighbouring threads take neighbouring
// results, for inner > 1 or n < 32. Grid: blocks of (32, 8) threads, one for each 32 results along x, and one for each part along y.
// dtypes: f32 f64 f16 bf16 i64 i32 u8
#include "last.cuh"
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
	template <class S> using Own = void;
	INLINE Extreme fromLane(Extreme acc, u32 mask) { return {::fromLane(acc.value, mask), ::fromLane(acc.at, mask)}; }
	INLINE Extreme zero() { return {0, -1}; }
	// take is join with an element behind those that acc is of.
	INLINE Extreme take(Extreme acc, T v, u64 at) {
		return acc.at < 0 || Better::than(v, acc.value) || (isNaN(v) && !isNaN(acc.value)) ? Extreme{v, (i64)at} : acc;
	}
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
			put<T>(p.out, at, acc.value);
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

// A Taker takes elements one by one.
template <class R> struct Taker {
	typename R::Acc acc = R::zero();

	template <int N, class At> __device__ __attribute__((always_inline)) void take(const T (&v)[N], At at) {
#pragma unroll
		for (int k = 0; k < N; k++) {
			acc = R::take(acc, v[k], at(k));
		}
	}
};

// A Together takes them as an Adder or a Multiplier does.
template <class A> struct Together {
	A &all;

	template <int N, class At> __device__ __attribute__((always_inline)) void take(const T (&v)[N], At) { all.take(v); }
};

// ownOf is what a thread makes of the elements that each has it take.
template <class R, class Each> INLINE typename R::Acc ownOf(Each each) {
#if FLOATS
	if constexpr (!__is_same(typename R::template Own<T>, void)) {
		return added<T, R::template Own>([&](auto &all) __attribute__((always_inline)) {
			Together<__remove_reference_t(decltype(all))> own{all};
			each(own);
		});
	}
#endif
	Taker<R> own;
	each(own);
	return own.acc;
}

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

// A Part is which elements of a run are taken together.
struct Part {
	u64 first, end;
};

INLINE Part partOf(const Reduction &p, u64 k) {
	if (p.parts == 1) {
		return {0, p.n};
	}
	u64 first = k * p.part;
	first = first < p.n ? first : p.n;
	return {first, p.n - first < p.part ? p.n : first + p.part};
}

// finish leaves the accumulator of a result's part in memory, or the result there. Accumulators of a part lie side by side.
template <class R> INLINE void finish(const Reduction &p, u64 result, u64 part, typename R::Acc acc) {
	if (p.to != 0) {
		store<typename R::Acc>(p.to, (i64)(part * p.outer * p.inner + result), acc);
	} else {
		R::finish(p, result, acc);
	}
}

// A Row is what a row of threads takes: a part of a result.
struct Row {
	u64 result, part;

	// of is that of a number: the parts of a result lie side by side.
	INLINE Row of(const Reduction &p, u64 row) {
		return p.parts == 1 ? Row{row, 0} : Row{row / p.parts, row % p.parts};
	}
};

// reduceRows: rows of threads take every part of every result.
template <class R> INLINE void reduceRows(const Reduction &p) {
	auto [result, part] = Row::of(p, row());
	u64 results = p.outer * p.inner;
	bool mine = result < results; // threads of a warp stay together
	typename R::Acc acc = R::zero();
	if (mine && p.from != 0) {
#pragma unroll 1
		for (u64 k = threadIdx.x; k < p.n; k += blockDim.x) {
			acc = R::join(acc, load<typename R::Acc>(p.from, (i64)(k * results + result)));
		}
	} else if (mine) {
		Run run = runOf(p, result);
		Part of = partOf(p, part);
		acc = ownOf<R>([&](auto &own) __attribute__((always_inline)) {
			turnsOf(p.in, run.start, run.step, of.first, of.end, [&](const auto &v, auto at) __attribute__((always_inline)) { own.take(v, at); });
		});
	}
	acc = joinRow<R>(acc);
	if (mine && threadIdx.x == 0) {
		auto [result, part] = Row::of(p, rowAgain());
		finish<R>(p, result, part, acc);
	}
}

// joinColumn joins the accumulators of the 8 threads of a column in order; those of the first row get the result.
template <class R> INLINE typename R::Acc joinColumn(typename R::Acc acc) {
	__shared__ typename R::Acc columns[8][WARP];
	columns[threadIdx.y][threadIdx.x] = acc;
	__syncthreads();
	if (threadIdx.y == 0) {
#pragma unroll 1
		for (int y = 1; y < 8; y++) {
			acc = R::join(acc, columns[y][threadIdx.x]);
		}
	}
	return acc;
}

// reduceColumns: the 8 threads of a column each take every 8th element of a part, and their accumulators are joined in order. Where p.counter says so, the
// last block of a column joins those of its parts, in the order of a launch of their own.
template <class R> INLINE void reduceColumns(const Reduction &p) {
	using Acc = typename R::Acc;
	const int MANY = 8; // elements in flight
	u64 result = (u64)blockIdx.x * WARP + threadIdx.x, results = p.outer * p.inner;
	Acc acc = R::zero();
	if (result < results && p.from != 0) {
#pragma unroll 1
		for (u64 k = threadIdx.y; k < p.n; k += 8) {
			acc = R::join(acc, load<Acc>(p.from, (i64)(k * results + result)));
		}
	} else if (result < results) {
		Run run = runOf(p, result);
		Part of = partOf(p, blockIdx.y);
		u64 start = p.in + (u64)(run.start + (i64)(of.first + threadIdx.y) * run.step) * sizeof(Stored), apart = 8 * (u64)run.step * sizeof(Stored);
		acc = ownOf<R>([&](auto &own) __attribute__((always_inline)) {
			u64 k = of.first + threadIdx.y, from = start;
#pragma unroll 1
			for (; k + (MANY - 1) * 8 < of.end; k += MANY * 8) {
				T v[MANY];
				renew(from);
#pragma unroll
				for (int m = 0; m < MANY; m++, from += apart) {
					v[m] = read(from, 0);
				}
				own.take(v, [&](int m) { return k + m * 8; });
			}
#pragma unroll 1
			for (; k < of.end; k += 8, from += apart) {
				T v[1] = {read(from, 0)};
				own.take(v, [&](int) { return k; });
			}
		});
	}
	result = (u64)thisBlock() * WARP + threadIdx.x;
	bool mine = threadIdx.y == 0 && result < results;
	acc = joinColumn<R>(acc);
	if (mine) {
		finish<R>(p, result, blockIdx.y, acc);
	}
	if (p.counter == 0 || !isLast(p.counter - 1 + blockIdx.x, p.parts)) {
		return;
	}
	acc = R::zero();
#pragma unroll 1
	for (u64 k = threadIdx.y; result < results && k < p.parts; k += 8) {
		acc = R::join(acc, left<Acc>(p.to, (i64)(k * results + result)));
	}
	acc = joinColumn<R>(acc);
	if (mine) {
		R::finish(p, result, acc);
	}
}

// Counts in rows are told the blocks of a multiprocessor that they have registers for: the assembler by itself spills some for more.
template <class R> constexpr int ROW_BLOCKS = __is_base_of(CountNonZero, R) ? 6 : 0;

// Columns are cut into parts for 8 blocks of a multiprocessor, which sums of float32 have registers for when they are told so, and products for 4; 0 leaves the number
// to the assembler.
template <class R> constexpr int COLUMN_BLOCKS = !__is_same(T, f32) ? 0 : __is_same(R, Prod) ? 4 : 8;

// REDUCTION is both kernels of a reduction.
#define REDUCTION(name, R)                                                               \
	KERNEL_OF(JOIN(name, DTYPE), 256, ROW_BLOCKS<R>)(const Reduction p) { reduceRows<R>(p); } \
	KERNEL_OF(JOIN(name##_columns, DTYPE), 256, COLUMN_BLOCKS<R>)(const Reduction p) { reduceColumns<R>(p); }

EACH_REDUCTION(REDUCTION)
#if FLOATS
EACH_FLOAT_REDUCTION(REDUCTION)
#endif
REDUCTION(max, Extremes<Larger>)
REDUCTION(min, Extremes<Smaller>)
