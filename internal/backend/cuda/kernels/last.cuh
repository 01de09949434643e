// Blocks that leave parts of a sum, which the one that ends last joins.
#pragma once

#include "device.cuh"
#include "params.cuh"

// ended counts blocks of those that share a counter; 0 between launches. Each stream has counters of its own, since launches of several run beside each other.
static __device__ u32 ended[MOST_COUNTS];

// isLast reports, to all threads of the block, whether it is the last of those that share a counter, which sees what the others have stored before. They
// tell each other by a word of shared memory that the block needs no more.
INLINE bool isLast(u64 counter, u64 blocks, __attribute__((address_space(3))) u32 &before) {
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

INLINE bool isLast(u64 counter, u64 blocks) {
	__shared__ u32 before;
	return isLast(counter, blocks, (__attribute__((address_space(3))) u32 &)before);
}

template <int SIZE> struct WordOf { using Type = u64; };
template <> struct WordOf<4> { using Type = u32; };

// left is what another block has stored in this launch, in words of 8 bytes, or one of 4.
template <class E> INLINE E left(u64 base, i64 at) {
	using Word = typename WordOf<sizeof(E)>::Type;
	struct Words {
		Word of[sizeof(E) / sizeof(Word)];
	} words;
	auto from = (volatile __attribute__((address_space(1))) Word *)(base + (u64)at * sizeof(E));
#pragma unroll
	for (u32 i = 0; i < sizeof(E) / sizeof(Word); i++) {
		words.of[i] = from[i];
	}
	return bits<E>(words);
}
