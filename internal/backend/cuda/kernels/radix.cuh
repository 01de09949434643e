// Keys: unsigned integers in the order of elements, digit by digit. Zeros of both signs have one key, and all NaNs the largest.
#pragma once

#include "sort.cuh"

#define DIGITS 256
#define RADIX_THREADS 256
#define RADIX_WARPS (RADIX_THREADS / 32)

#if defined(DTYPE_f64) || defined(DTYPE_i64)
using Key = u64;
#else
using Key = u32;
#endif

INLINE Key keyOf(const Sort &p, T v) {
	[[maybe_unused]] const Key top = (Key)1 << (sizeof(Key) * 8 - 1);
#if FLOATS
	Key k = bits<Key>(v == 0 ? (T)0 : v);
	k = (k & top) != 0 ? ~k : k | top;
	k = v != v ? ~(Key)0 : k;
#elif defined(DTYPE_u8)
	Key k = v;
#else
	Key k = p.most != 0 ? ((Key)v > (Key)p.most ? (Key)p.most : (Key)v) : (Key)v ^ top;
#endif
	return p.descending ? ~k : k;
}

INLINE u32 digitOf(const Sort &p, Key key) { return (u32)(key >> p.shift) % DIGITS; }

INLINE void syncWarp() { __nvvm_bar_warp_sync(0xffffffff); }
INLINE u32 ballot(bool v) { return __nvvm_vote_ballot_sync(0xffffffff, v); }

// alike are the lanes of the warp that count and have the digit of this one.
INLINE u32 alike(u32 digit, bool counts) {
	u32 lanes = ballot(counts);
#pragma unroll
	for (int b = 0; b < 8; b++) {
		bool one = digit >> b & 1;
		u32 ones = ballot(one);
		lanes &= one ? ones : ~ones;
	}
	return lanes;
}

INLINE u32 countOf(u32 lanes) { return __builtin_popcount(lanes); }
