// How a run of elements becomes one, the same way every time: each thread takes groups of neighbours, a block's width of groups
// apart, in order, then the threads' accumulators are joined pairwise in a fixed tree. So a result depends on the run's length and
// the block's shape, and not on what else is computed or where.
#pragma once

#include "again.cuh"
#include "dtype.cuh"
#include "factors.cuh"
#include "half.cuh"
#include "params.cuh"
#include "vector.cuh"

#if defined(DTYPE_f16) || defined(DTYPE_bf16)
using T = f32;         // what is computed
using Stored = DTYPE;  // what lies in memory
#define FLOATS 1
#define HALVES 1
#else
using Stored = T;
#endif

INLINE T read(u64 base, i64 at) { return wide(load<Stored>(base, at)); }
INLINE void write(u64 base, i64 at, T v) {
	if constexpr (__is_same(T, Stored)) {
		store<T>(base, at, v);
	} else {
		store<Stored>(base, at, Cast<Stored>::of(v));
	}
}

#define WARP 32
#define MOST_WARPS 16
#define GROUP lanes<Stored>() // neighbours that one thread takes: 16 bytes

// joinRow joins the accumulators of the blockDim.x threads of a row, which are a part of a warp, or one or more; every thread gets the
// result. All threads of the block have to come here.
template <class R> INLINE typename R::Acc joinRow(typename R::Acc acc) {
	using Acc = typename R::Acc;
#pragma unroll 1
	for (u32 mask = (blockDim.x < WARP ? blockDim.x : WARP) / 2; mask > 0; mask /= 2) {
		acc = R::join(acc, R::fromLane(acc, mask));
	}
	if (blockDim.x <= WARP) {
		return acc;
	}
	__shared__ Acc warps[MOST_WARPS];
	u32 own = threadIdx.y * (blockDim.x / WARP); // the first warp of the row
	if (threadIdx.x % WARP == 0) {
		warps[own + threadIdx.x / WARP] = acc;
	}
	__syncthreads();
	acc = warps[own];
#pragma unroll 1
	for (u32 w = 1; w < blockDim.x / WARP; w++) {
		acc = R::join(acc, warps[own + w]);
	}
	__syncthreads(); // the next row writes here
	return acc;
}

// row is the number of the row that this thread works on: blocks have blockDim.y rows.
INLINE u64 row() { return (u64)blockIdx.x * blockDim.y + threadIdx.y; }

// rowAgain is row, computed again behind a loop that leaves no registers for it.
INLINE u64 rowAgain() { return (u64)thisBlock() * blockDim.y + threadIdx.y; }

// startOf is where run number r of a contiguous [outer][n][inner] starts; its elements lie inner apart.
template <class P> INLINE i64 startOf(const P &p, u64 r) {
	if (p.inner == 1) {
		return (i64)(r * p.n);
	}
	u64 o = r / p.inner;
	return (i64)(o * p.n * p.inner + (r - o * p.inner));
}

// eachOfRun calls body with the place of every element of a run that is this thread's.
template <class P, class Body> INLINE void eachOfRun(const P &p, u64 r, Body body) {
	i64 start = startOf(p, r);
#pragma unroll 1
	for (u64 k = threadIdx.x; k < p.n; k += blockDim.x) {
		body(start + (i64)(k * p.inner));
	}
}

// isWhole tells whether groups from an element on can be moved at once.
INLINE bool isWhole(u64 base, i64 start, i64 step) { return step == 1 && (base + (u64)start * sizeof(Stored)) % (GROUP * sizeof(Stored)) == 0; }

// turnsOf calls body with the elements of this thread of those from first up to end of a run, a turn of neighbours after the other, and with what tells the number
// of each; first is a multiple of GROUP. Four groups are in flight where they can be moved at once.
template <class Body> INLINE void turnsOf(u64 base, i64 start, i64 step, u64 first, u64 end, Body body) {
	const int MANY = 4;
	const u32 apart = blockDim.x * GROUP;
	bool whole = isWhole(base, start + (i64)first * step, step);
	base += (u64)start * sizeof(Stored);
	u64 k = first + threadIdx.x * GROUP;
	auto each = [&](const Lanes<Stored, GROUP> &group, u64 from) __attribute__((always_inline)) {
		T v[GROUP];
#pragma unroll
		for (int lane = 0; lane < GROUP; lane++) {
			v[lane] = wide(group.at(lane));
		}
		body(v, [&](int lane) { return from + lane; });
	};
	if (whole) {
#pragma unroll 1
		for (; k + (MANY - 1) * apart + GROUP <= end; k += MANY * apart) {
			Lanes<Stored, GROUP> group[MANY];
			u64 from = base + k * sizeof(Stored);
			renew(from);
#pragma unroll
			for (int m = 0; m < MANY; m++, from += apart * sizeof(Stored)) {
				group[m] = Lanes<Stored, GROUP>::load(from, 0);
			}
#pragma unroll
			for (int m = 0; m < MANY; m++) {
				each(group[m], k + m * apart);
			}
		}
	}
#pragma unroll 1
	for (; k < end; k += apart) {
		if (whole && k + GROUP <= end) {
			each(Lanes<Stored, GROUP>::load(base, (i64)k), k);
		} else {
#pragma unroll 1
			for (u64 i = k; i < k + GROUP && i < end; i++) {
				T v[1] = {read(base, (i64)i * step)};
				body(v, [&](int) { return i; });
			}
		}
	}
}

// A Share is the elements of a thread of a chunk of a run, in registers: so the run is read once.
template <int VALUES> struct Share {
	static const int GROUPS = VALUES / GROUP;
	T of[GROUPS][GROUP];
	u32 count; // of the chunk

	// chunk is how many elements the threads of a row hold.
	INLINE u64 chunk() { return (u64)blockDim.x * VALUES; }

	// groups calls body with every group of this thread that begins in the chunk, and the number of its first element there.
	template <class Body> __device__ __attribute__((always_inline)) void groups(Body body) {
#pragma unroll
		for (int g = 0; g < GROUPS; g++) {
			u32 k = (g * blockDim.x + threadIdx.x) * GROUP;
			if (k >= count) {
				break;
			}
			body(of[g], k);
		}
	}

	// each calls body with every element; behind the end of a run lie as many as make a group, with the value of read.
	template <class Body> __device__ __attribute__((always_inline)) void each(Body body) {
		groups([&](T (&v)[GROUP], u32) {
#pragma unroll
			for (int lane = 0; lane < GROUP; lane++) {
				body(v[lane]);
			}
		});
	}

	// eachInside is each without those behind the end.
	template <class Body> __device__ __attribute__((always_inline)) void eachInside(Body body) {
		groups([&](T (&v)[GROUP], u32 k) {
#pragma unroll
			for (int lane = 0; lane < GROUP; lane++) {
				if (k + lane < count) {
					body(v[lane]);
				}
			}
		});
	}

	// with calls body with every element, its number in the chunk, and that of another share.
	template <class Body> __device__ __attribute__((always_inline)) void with(const Share &other, Body body) {
#pragma unroll
		for (int g = 0; g < GROUPS; g++) {
			u32 k = (g * blockDim.x + threadIdx.x) * GROUP;
			if (k >= count) {
				break;
			}
#pragma unroll
			for (int lane = 0; lane < GROUP; lane++) {
				body(of[g][lane], other.of[g][lane], k + lane);
			}
		}
	}

	// turns calls body with every group and that of another share; behind the end of a run lie as many as make a group.
	template <class Body> __device__ __attribute__((always_inline)) void turns(const Share &other, Body body) const {
#pragma unroll
		for (int g = 0; g < GROUPS; g++) {
			if ((g * blockDim.x + threadIdx.x) * GROUP >= count) {
				break;
			}
			body(of[g], other.of[g]);
		}
	}

	// read loads the chunk from first on of a run of n, and `behind` for what would lie behind its end.
	__device__ __attribute__((always_inline)) void read(u64 base, i64 start, u64 first, u64 n, T behind) {
		bool whole = isWhole(base, start, 1);
		count = first >= n ? 0 : n - first < chunk() ? (u32)(n - first) : (u32)chunk();
		base += (u64)(start + (i64)first) * sizeof(Stored);
		groups([&](T (&v)[GROUP], u32 k) {
			if (whole && k + GROUP <= count) {
				Lanes<Stored, GROUP> group = Lanes<Stored, GROUP>::load(base, k);
#pragma unroll
				for (int lane = 0; lane < GROUP; lane++) {
					v[lane] = wide(group.at(lane));
				}
			} else {
#pragma unroll
				for (int lane = 0; lane < GROUP; lane++) {
					v[lane] = k + lane < count ? ::read(base, k + lane) : behind;
				}
			}
		});
	}

	// add adds a chunk of another run of n as an op by itself would: what lies here is rounded to what lies in memory, and so is the sum.
	__device__ __attribute__((always_inline)) void add(u64 base, i64 start, u64 first, u64 n) {
		auto rounded = [](T v) { return wide(Cast<Stored>::of(v)); };
		Share other;
		other.read(base, start, first, n, 0);
		with(other, [&](T &v, T w, u32) { v = rounded(rounded(v) + w); });
	}

	// write stores what value makes of every element, and of its number in the chunk, which begins at first.
	template <class Value> __device__ __attribute__((always_inline)) void write(u64 base, i64 start, u64 first, Value value) {
		bool whole = isWhole(base, start, 1);
		base += (u64)(start + (i64)first) * sizeof(Stored);
		groups([&](T (&v)[GROUP], u32 k) {
			Lanes<Stored, GROUP> group;
#pragma unroll
			for (int lane = 0; lane < GROUP; lane++) {
				group.put(lane, Cast<Stored>::of(value(v[lane], k + lane)));
			}
			if (whole && k + GROUP <= count) {
				group.store(base, k);
			} else {
#pragma unroll
				for (int lane = 0; lane < GROUP; lane++) {
					if (k + lane < count) {
						store<Stored>(base, k + lane, group.at(lane));
					}
				}
			}
		});
	}
};

// What is joined of sums, products and counts, and what they result in.
#if FLOATS
using Wide = f64;
using Result = T;
#else
using Wide = i64;
using Result = i64;
#endif

// put stores a result: of the module's type, or a count.
template <class E> INLINE void put(u64 base, u64 at, E v) {
	if constexpr (__is_same(E, T)) {
		write(base, (i64)at, v);
	} else {
		store<E>(base, (i64)at, v);
	}
}

// Accumulators of plain numbers. A thread's elements of float32 or float64 are taken by an Own, or one by one where that is void.
template <class A> struct Number {
	using Acc = A;
	template <class S> using Own = void;
	INLINE A fromLane(A acc, u32 mask) { return ::fromLane(acc, mask); }
	INLINE A fromBelow(A acc, u32 by) { return ::fromBelow(acc, by); }
	INLINE A pick(bool first, A a, A b) { return first ? a : b; }
};

// Ways to join plain numbers.
template <class A> struct Total : Number<A> {
	INLINE A join(A a, A b) { return a + b; }
};
template <class A> struct Most : Number<A> {
	INLINE A join(A a, A b) { return a < b || b != b ? b : a; }
};
