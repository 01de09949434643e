// Sums in parts whose blocks need no second launch to join them: each block stores its part, counts itself, and the one that finds that it is the last adds all
// parts, in their order. Which block that is does not matter to the result. Products divided along k (split-K, parts.cuh), reductions over first axes and the
// gradients of norms' weights are added so, and by the same rules the regions of compiled functions, whose text internal/emit writes (columns.go).
#pragma once

#include "device.cuh"
#include "params.cuh"

// ended counts, of the blocks that share a counter, those that have stored their part; 0 between launches. Each stream has counters of its own (counters.go), since
// launches of several streams run beside each other.
static __device__ u32 ended[MOST_COUNTS];

// isLast reports, to all threads of the block, whether it is the last of those that share a counter: then it sees what the others have stored. The fence before
// the count and the one after it are what makes them visible. The thread that counts tells the others by `before`, a word of shared memory that the block needs no
// more.
//
// Where some threads of the block have other work, `counts` tells the one that counts, and sync has those wait that ask.
template <class Sync> INLINE bool isLast(u64 counter, u64 blocks, __attribute__((address_space(3))) u32 &before, bool counts, Sync sync) {
	__nvvm_membar_gl();
	sync();
	if (counts) {
		before = __atomic_fetch_add(&ended[counter], 1, __ATOMIC_RELAXED);
		if (before == (u32)blocks - 1) {
			ended[counter] = 0;
		}
	}
	sync();
	if (before != (u32)blocks - 1) {
		return false;
	}
	__nvvm_membar_gl();
	return true;
}

INLINE bool isLast(u64 counter, u64 blocks, __attribute__((address_space(3))) u32 &before) {
	return isLast(counter, blocks, before, threadIdx.x == 0 && threadIdx.y == 0, []() __attribute__((always_inline)) { __syncthreads(); });
}

INLINE bool isLast(u64 counter, u64 blocks) {
	__shared__ u32 before;
	return isLast(counter, blocks, (__attribute__((address_space(3))) u32 &)before);
}

template <int SIZE> struct WordOf { using Type = u64; };
template <> struct WordOf<4> { using Type = u32; };

// left is what another block has stored in this launch, read past the L1 cache, in words of 8 bytes, or one of 4.
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
