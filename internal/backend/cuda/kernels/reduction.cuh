// How a run of elements becomes one, the same way every time: each thread takes the elements that lie a block's width apart,
// in order, then the threads' accumulators are joined pairwise in a fixed tree. So a result depends on the run's length and
// the block's shape, and not on what else is computed or where.
#pragma once

#include "dtype.cuh"
#include "params.cuh"

#define WARP 32
#define MOST_WARPS 8

// joinRow joins the accumulators of the blockDim.x threads of a row, which are one warp or all threads of the block; every
// thread gets the result. All of them have to come here.
template <class R> INLINE typename R::Acc joinRow(typename R::Acc acc) {
	using Acc = typename R::Acc;
#pragma unroll
	for (u32 mask = WARP / 2; mask > 0; mask /= 2) {
		acc = R::join(acc, R::fromLane(acc, mask));
	}
	if (blockDim.x == WARP) {
		return acc;
	}
	__shared__ Acc warps[MOST_WARPS];
	if (threadIdx.x % WARP == 0) {
		warps[threadIdx.x / WARP] = acc;
	}
	__syncthreads();
	acc = warps[0];
#pragma unroll 1
	for (u32 w = 1; w < blockDim.x / WARP; w++) {
		acc = R::join(acc, warps[w]);
	}
	__syncthreads(); // the next row writes here
	return acc;
}

// row is the number of the row that this thread works on: blocks have blockDim.y rows.
INLINE u64 row() { return (u64)blockIdx.x * blockDim.y + threadIdx.y; }

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

// RUNS is a kernel whose body a row of threads runs for each run of P: all of a row's threads, or none of them.
#define RUNS(name, P, body)                                                              \
	ROW_KERNEL(name, 256)(const P p) {                                                   \
		if (u64 run = row(); run < p.outer * p.inner) {                                  \
			body(p, run);                                                                \
		}                                                                                \
	}

// What sums, products and counts accumulate in, and what they result in.
#if FLOATS
using Wide = f64;
using Result = T;
#else
using Wide = i64;
using Result = i64;
#endif

// Accumulators of plain numbers.
template <class A> struct Number {
	using Acc = A;
	INLINE A fromLane(A acc, u32 mask) { return ::fromLane(acc, mask); }
};

// Ways to join plain numbers.
template <class A> struct Total : Number<A> {
	INLINE A join(A a, A b) { return a + b; }
};
template <class A> struct Most : Number<A> {
	INLINE A join(A a, A b) { return a < b || b != b ? b : a; }
};
