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
