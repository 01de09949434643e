// The first elements of lines in their order, of parts of them: each block finds the key of the last that its part gives, digit by digit
// from the highest, and copies those before it, and as many of its equals as there is room for, in the order of the line.
//
// The kernel takes Sort. Grid: blocks of 256 threads, one for each part of each line. out and outFrom have k elements for each part, the
// last fewer where it has not so many, line by line.
// dtypes: f32 f64 i64 i32 u8
#include "radix.cuh"

// A Bound is the key of the last element that a part gives, as far as its highest bits are known, and how many that have them it gives.
struct Bound {
	Key key, known;
	u32 equals;
};

// narrow finds the next digit of the bound.
INLINE void narrow(const Sort &p, u64 line, u64 first, u64 end, int shift, u32 *counts, Bound &bound) {
	__shared__ u32 digit, equals;
	counts[threadIdx.x] = 0;
	__syncthreads();
#pragma unroll 1
	for (u64 turn = first; turn < end; turn += RADIX_THREADS) {
		u64 k = turn + threadIdx.x;
		Key key = k < end ? keyOf(p, load<T>(p.in, placeOf(p, line, k))) : 0;
		u32 own = (u32)(key >> shift) % DIGITS, lanes = alike(own, k < end && (key & bound.known) == bound.key);
		if (lanes >> threadIdx.x % 32 & 1 && (lanes & ((1u << threadIdx.x % 32) - 1)) == 0) {
			__atomic_fetch_add(&counts[own], countOf(lanes), __ATOMIC_RELAXED);
		}
	}
	__syncthreads();
	u32 before = 0;
#pragma unroll 1
	for (u32 d = 0; d < threadIdx.x; d++) {
		before += counts[d];
	}
	if (before < bound.equals && bound.equals <= before + counts[threadIdx.x]) {
		digit = threadIdx.x;
		equals = bound.equals - before;
	}
	__syncthreads();
	bound.key |= (Key)digit << shift;
	bound.known |= (Key)(DIGITS - 1) << shift;
	bound.equals = equals;
	__syncthreads();
}

// rankOf is how many threads of the block before this one have what it has, and all is how many have.
INLINE u32 rankOf(bool has, u32 *warps, u32 &all) {
	u32 lanes = ballot(has), rank = 0;
	if (threadIdx.x % 32 == 0) {
		warps[threadIdx.x / 32] = countOf(lanes);
	}
	__syncthreads();
	all = 0;
#pragma unroll
	for (u32 w = 0; w < RADIX_WARPS; w++) {
		rank = w == threadIdx.x / 32 ? all : rank;
		all += warps[w];
	}
	__syncthreads();
	return rank + countOf(lanes & ((1u << threadIdx.x % 32) - 1));
}

ROW_KERNEL(top_parts, 256)(const Sort p) {
	__shared__ u32 counts[DIGITS];
	u64 line = blockIdx.x / p.parts, part = blockIdx.x - line * p.parts, first = part * p.part;
	u64 end = first + p.part < p.n ? first + p.part : p.n, last = p.n - (p.parts - 1) * p.part, wide = (p.parts - 1) * p.k + (last < p.k ? last : p.k);
	Bound bound = {0, 0, (u32)(end - first < p.k ? end - first : p.k)};
#pragma unroll 1
	for (int shift = sizeof(T) * 8 - 8; shift >= 0; shift -= 8) {
		narrow(p, line, first, end, shift, counts, bound);
	}
	i64 out = (i64)(line * wide + part * p.k);
	u32 less = 0, equal = 0; // before the turn
#pragma unroll 1
	for (u64 turn = first; turn < end; turn += RADIX_THREADS) {
		u64 k = turn + threadIdx.x;
		i64 at = k < end ? placeOf(p, line, k) : 0;
		T v = k < end ? load<T>(p.in, at) : (T)0;
		Key key = keyOf(p, v) & bound.known;
		bool below = k < end && key < bound.key, same = k < end && key == bound.key;
		u32 belows, sames, lesser = less + rankOf(below, counts, belows), equals = equal + rankOf(same, counts, sames);
		if (below || (same && equals < bound.equals)) {
			i64 to = out + lesser + (equals < bound.equals ? equals : bound.equals);
			store<T>(p.out, to, v);
			store<u32>(p.outFrom, to, originOf(p, at, k));
		}
		less += belows;
		equal += sames;
	}
}
