// How exact sums of products of int8 become elements of the result, two neighbours of a row at once.
#pragma once

#include "parts.cuh"
#include "quantized.cuh"

struct Two {
	E of[2];
} __attribute__((aligned(2 * sizeof(E))));

// finish stores two neighbours, the first of which lies inside.
INLINE void finish(const Quantized &p, const Place &at, u32 r, u32 c, i32 first, i32 second) {
	bool both = c + 1 < p.n;
	if (p.parts != 1) {
		i64 i = (i64)((at.part * p.m + r) * p.n + c);
		store<i32>(p.partials, i, first);
		if (both) {
			store<i32>(p.partials, i + 1, second);
		}
		return;
	}
	E low = biased(p, c, counted(p, r, c, first));
	if (p.n % 2 == 0) {
		store<Two>(p.out, (i64)(r * p.n + c) / 2, Two{low, biased(p, c + 1, counted(p, r, c + 1, second))});
		return;
	}
	store<E>(p.out, (i64)(r * p.n + c), low);
	if (both) {
		storeResult(p, r, c + 1, counted(p, r, c + 1, second));
	}
}

// addParts makes elements of the partials.
template <int ROWS, int COLUMNS, int THREADS, int HIGH, class Sync> INLINE void addParts(const Quantized &p, const Place &at, u32 thread, Sync sync) {
	joinParts<i32, ROWS, COLUMNS, THREADS, HIGH>(p, at, thread, sync, [&](u32 r, u32 c, i32 sum) __attribute__((always_inline)) {
		storeResult(p, r, c, counted(p, r, c, sum));
	});
}
