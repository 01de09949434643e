// Which part of a product a block computes, and how a sum becomes an element of the result.
#pragma once

#include "element.cuh"
#include "params.cuh"

#define TOGETHER 8 // rows of tiles whose blocks run beside each other, so that they find operands in the cache

// A Place is a tile of the result, from row m and column n on, of one part of one matrix.
struct Place {
	u32 m, n, part, batch;
};

// placeOf is the place of a block, of which there is one for each tile, part and matrix.
template <int ROWS, int COLUMNS> INLINE Place placeOf(const Product &p, u32 block) {
	u32 down = ((u32)p.m + ROWS - 1) / ROWS, across = ((u32)p.n + COLUMNS - 1) / COLUMNS;
	u32 matrix = block / (down * across), tile = block - matrix * down * across, batch = matrix / (u32)p.parts;
	u32 first = tile / (TOGETHER * across) * TOGETHER, height = min(down - first, (u32)TOGETHER);
	tile -= first * across;
	return {(first + tile % height) * ROWS, tile / height * COLUMNS, matrix - batch * (u32)p.parts, batch};
}

// thisBlock is blockIdx.x, which the compiler takes for another number each time: what was computed from it needs no registers in between.
INLINE u32 thisBlock() {
	u32 id;
	asm volatile("mov.u32 %0, %%ctaid.x;" : "=r"(id));
	return id;
}

// finished is alpha times the sum, plus beta times what is added to it.
INLINE Sum finished(const Product &p, u32 batch, u32 r, u32 c, Sum sum) {
	sum *= (Sum)p.alpha;
	if (p.add != 0 && p.beta != 0) {
		sum += (Sum)p.beta * element(p.add, batch * p.addStrides[0] + r * p.addStrides[1] + c * p.addStrides[2]);
	}
	return sum;
}

// finish stores a sum, or a part of it.
INLINE void finish(const Product &p, const Place &at, u32 r, u32 c, Sum sum) {
	if (p.parts != 1) {
		store<Sum>(p.out, (i64)(((at.part * p.count + at.batch) * p.m + r) * p.n + c), sum);
	} else {
		E e = Cast<E>::of(finished(p, at.batch, r, c, sum));
		store<E>(p.out, at.batch * p.outStrides[0] + r * p.outStrides[1] + c * p.outStrides[2], e);
	}
}

// An End knows where the block's tile lies, once its sums are there: what was computed from the block's number needs no registers until then.
template <int ROWS, int COLUMNS> struct End {
	const Product &p;
	Place at;
	u32 c;

	__device__ __attribute__((always_inline)) End(const Product &p) : p(p), at(placeOf<ROWS, COLUMNS>(p, thisBlock())), c(0) {}

	// turn goes to a column of the tile.
	__device__ __attribute__((always_inline)) void turn(u32 column) { c = at.n + column; }

	// put stores the column's sum of a row of the tile, unless it lies outside.
	__device__ __attribute__((always_inline)) void put(u32 row, Sum sum) const {
		u32 r = at.m + row;
		if (r < p.m && c < p.n) {
			finish(p, at, r, c, sum);
		}
	}
};
