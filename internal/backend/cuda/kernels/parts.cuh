// Split-K: how the parts of a product's common axis become its elements in the launch that computes them, by the last block of a tile (last.cuh).
#pragma once

#include "async.cuh"
#include "last.cuh"
#include "result.cuh"

// joinParts has the block of a tile that ends last add the partials in their order, and take have each sum with its row and column: a thread so many rows of a
// column at once that loads enough are on their way. `thread` is one of THREADS that do so, which sync has wait for each other.
template <class Sum, int ROWS, int COLUMNS, int THREADS, int HIGH, class P, class Sync, class Take>
INLINE void joinParts(const P &p, const Place &at, u32 thread, Sync sync, Take take) {
	if (!isLast(p.counter - 1 + at.tile, p.parts, *(__attribute__((address_space(3))) u32 *)dynamic, thread == 0, sync)) {
		return;
	}
	const u64 step = at.partials.step * sizeof(Sum);
#pragma unroll 1
	for (u32 i = thread; i < ROWS / HIGH * COLUMNS; i += THREADS) {
		u32 r = at.m + i / COLUMNS * HIGH, c = at.n + i % COLUMNS;
		if (r >= p.m || c >= p.n) {
			continue;
		}
		u32 high = min((u32)p.m - r, HIGH);
		u64 from = p.partials + (at.partials.from + r * at.partials.pitch + c) * sizeof(Sum) - at.part * step;
		Sum sums[HIGH] = {};
#pragma unroll 2
		for (u32 part = 0; part < (u32)p.parts; part++) {
#pragma unroll
			for (u32 k = 0; k < HIGH; k++) { // those outside are the last row again
				sums[k] += left<Sum>(from, (i64)(min(k, high - 1) * at.partials.pitch));
			}
			from += step;
		}
#pragma unroll 1
		for (u32 k = 0; k < high; k++) {
			take(r + k, c, sums[0]);
#pragma unroll
			for (int next = 1; next < HIGH; next++) {
				sums[next - 1] = sums[next];
			}
		}
	}
}

// addParts makes elements of a product's partials, as product_join does.
template <int ROWS, int COLUMNS, int THREADS, int HIGH, class Sync> INLINE void addParts(const Product &p, const Place &at, u32 thread, Sync sync) {
	joinParts<Sum, ROWS, COLUMNS, THREADS, HIGH>(p, at, thread, sync, [&](u32 r, u32 c, Sum sum) __attribute__((always_inline)) {
		put(p, at.batch * p.outStrides[0] + r * p.outStrides[1] + c * p.outStrides[2], finished(p, at.batch, r, c, sum));
	});
}

// addParts of the block's tile, by all of its threads.
template <int ROWS, int COLUMNS, int THREADS> INLINE void addParts(const Product &p) {
	if (p.counter != 0) {
		Place at = placeOf<ROWS, COLUMNS>(p, thisBlock());
		if (at.parts != 1) {
			addParts<ROWS, COLUMNS, THREADS, 16>(p, at, threadIdx.x, []() __attribute__((always_inline)) { __syncthreads(); });
		}
	}
}
