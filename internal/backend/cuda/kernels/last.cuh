// Blocks that leave parts of a sum, which the one that ends last joins.
#pragma once

#include "device.cuh"
#include "params.cuh"

// ended counts blocks of those that share a counter; 0 between launches. Each stream has counters of its own, since launches of several run beside each other.
static __device__ u32 ended[MOST_COUNTS];

// isLast reports, to all threads of the block, whether it is the last of those that share a counter, which sees what the others have stored before.
INLINE bool isLast(u64 counter, u64 blocks) {
	__shared__ u32 before;
	__nvvm_membar_gl();
	__syncthreads();
	if (threadIdx.x == 0 && threadIdx.y == 0) {
		before = __atomic_fetch_add(&ended[counter], 1, __ATOMIC_RELAXED);
		if (before == (u32)blocks - 1) {
			ended[counter] = 0;
		}
	}
	__syncthreads();
	if (before != (u32)blocks - 1) {
		return false;
	}
	__nvvm_membar_gl();
	return true;
}

// left is what another block has stored in this launch, in words of 8 bytes.
template <class E> INLINE E left(u64 base, i64 at) {
	struct Words {
		u64 of[sizeof(E) / 8];
	} words;
	auto from = (volatile __attribute__((address_space(1))) u64 *)(base + (u64)at * sizeof(E));
#pragma unroll
	for (u32 i = 0; i < sizeof(E) / 8; i++) {
		words.of[i] = from[i];
	}
	return bits<E>(words);
}
