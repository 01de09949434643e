// The gradients of attention on the tensor cores of compute capability 9.0: in each block a producer brings tiles through the TMA, and two warpgroups compute scores
// again and what follows from them, as attention_slope.cuh says.
#pragma once

#include "attention_groups.cuh"
#include "attention_slope.cuh"

// Tiles are what a block has in shared memory: RESIDENT lines of two operands, which take HELD bytes for 64 lines and OWN for all, and stages of TALL columns of two
// others, of PANEL bytes each.
template <int WIDE, int RESIDENT, int TALL> struct Tiles {
	static const int WIDTH = WIDE, BOXES = (WIDE + 63) / 64, LINES = RESIDENT, COLUMNS = TALL, HELD = BOXES * 64 * 128, OWN = LINES / 64 * HELD, PANEL = BOXES * COLUMNS * 128;

	// used tells the producer that the warp needs a stage no more.
	INLINE void used(u32 barrier) {
		if (threadIdx.x % 32 == 0) {
			arriveAt(barrier);
		}
	}
};

// A Source is an operand that the TMA reads: rows of a head of a batch.
struct Source {
	const TensorMap &map;
	u32 head, batch;

	// load copies ROWS rows from one on, in boxes of 64 elements.
	template <int BOXES, int ROWS> INLINE void load(const Source &s, u32 to, u32 row, u32 barrier) {
#pragma unroll
		for (u32 b = 0; b < BOXES; b++) {
			loadBox(to + b * ROWS * 128, s.map, b * 64, row, s.head, s.batch, barrier);
		}
	}
};

INLINE Source queriesOf(const MappedAttentionGrad &m, const Head &at) { return {m.mapQ, (u32)at.head * m.headQ, (u32)at.batch * m.batchQ}; }
INLINE Source doutOf(const MappedAttentionGrad &m, const Head &at) { return {m.mapDOut, (u32)at.head * m.headDOut, (u32)at.batch * m.batchDOut}; }
INLINE Source keysOf(const MappedAttentionGrad &m, const Head &at) { return {m.mapK, (u32)at.group * m.headK, (u32)at.batch * m.batchK}; }
INLINE Source valuesOf(const MappedAttentionGrad &m, const Head &at) { return {m.mapV, (u32)at.group * m.headV, (u32)at.batch * m.batchV}; }

// loadOwn brings the block's lines of two operands, of which the second's lie behind the first's.
template <class S> INLINE void loadOwn(u32 shared, const Source &a, const Source &b, u32 line, u32 barrier) {
	expectBytes(barrier, 2 * S::OWN);
#pragma unroll
	for (u32 g = 0; g < S::LINES / 64; g++) {
		Source::load<S::BOXES, 64>(a, shared + g * S::HELD, line + g * 64, barrier);
		Source::load<S::BOXES, 64>(b, shared + S::OWN + g * S::HELD, line + g * 64, barrier);
	}
}

// overlaps reports whether scores are scaled and perhaps hidden, no more.
INLINE bool overlaps(const Attention &p) { return !(p.softCap > 0 || p.mask != 0 || p.keep < 1 || !(p.scale > 0)); }

// anew returns v, from which the compiler computes in each turn of a loop: descriptors that it keeps throughout take too many registers.
INLINE u32 anew(u32 v) {
	asm volatile("" : "+r"(v));
	return v;
}

// warpgroup returns the number of the thread's warpgroup, the same in all lanes.
INLINE u32 warpgroup() { return (u32)__nvvm_shfl_sync_idx_i32(0xffffffff, (i32)(threadIdx.x / 128), 0, 31); }

template <int N> INLINE void clear(FragmentC (&s)[N]) {
#pragma unroll
	for (int n = 0; n < N; n++) {
		s[n] = {};
	}
}

template <int N> INLINE void scale(FragmentC (&sums)[N], f32 by) {
#pragma unroll
	for (int i = 0; i < N * 4; i++) {
		sums[i / 4].v[i % 4] *= by;
	}
}

// putPart stores the 16 lines of sums of a warp, which pass through the lines of an operand that no warp multiplies any more.
template <int WIDTH, int HELD> INLINE void putPart(u32 held, u64 to, const i64 (&strides)[4], const Head &at, u64 head, u32 line, u64 most, u64 width, const FragmentC (&sums)[WIDTH / 8]) {
	if (line < (u32)most) {
		putLines<WIDTH>(held + threadIdx.x % 128 / 32 * (HELD / 4), lineOf(to, strides, at.batch, head, line), strides[2], strides[3], (u32)most - line, (u32)width, sums);
	}
}

#define GRADIENT(kind, width, gradient, tiles) \
	extern "C" __global__ __attribute__((launch_bounds(384, 1))) void JOIN(attention_##kind##_wgmma_##width, DTYPE)( \
		const __attribute__((grid_constant)) MappedAttentionGrad m) { \
		gradient<tiles<width>>(m); \
	}
