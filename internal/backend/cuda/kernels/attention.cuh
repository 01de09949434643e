// Tiles of scores, of EDGE * SIDE queries and as many keys. Each thread has SIDE x SIDE of them, those of queries y and keys x on, as in
// a product; the threads of a row of tiles are neighbours in a warp.
#pragma once

#include "elementary.cuh"
#include "params.cuh"
#include "philox.cuh"
#include "tile.cuh"

// Tiles of float64 are smaller, so that what a block shares stays below 48 KiB.
#define EDGE (sizeof(T) == 4 ? 16 : 8)
#define TILE (EDGE * SIDE)
#define ATTENTION_THREADS (EDGE * EDGE)

using Weights = T[TILE][TILE + 4]; // a tile in shared memory, padded as an Operand

INLINE T larger(T a, T b) { return a > b ? a : b; }
INLINE T plus(T a, T b) { return a + b; }

// Place is what a block works at.
struct Place {
	u64 batch, head, group, y, x;
};

INLINE u64 rowOf(u64 base, const i64 (&strides)[4], u64 batch, u64 head, u64 row) {
	return base + (u64)((i64)batch * strides[0] + (i64)head * strides[1] + (i64)row * strides[2]) * sizeof(T);
}

// products computes the products of TILE rows of two operands, from the given ones on, over an axis of n elements.
INLINE void products(u64 a, const i64 (&as)[4], u64 firstA, u64 mostA, u64 b, const i64 (&bs)[4], u64 firstB, u64 mostB, u64 n,
                     const Place &at, Operand<TILE> &aTile, Operand<TILE> &bTile, T (&sums)[SIDE][SIDE]) {
	auto fromA = Loader<TILE, ATTENTION_THREADS>::of(a, as[2], as[3], firstA, mostA);
	auto fromB = Loader<TILE, ATTENTION_THREADS>::of(b, bs[2], bs[3], firstB, mostB);
#pragma unroll
	for (int i = 0; i < SIDE * SIDE; i++) {
		sums[i / SIDE][i % SIDE] = 0;
	}
#pragma unroll 1
	for (u64 k = 0; k < n; k += DEPTH) {
		u32 depth = n - k < DEPTH ? (u32)(n - k) : DEPTH;
		fromA.fill(aTile, depth);
		fromB.fill(bTile, depth);
		__syncthreads();
		multiply<TILE, TILE>(aTile, bTile, (u32)at.y, (u32)at.x, sums);
		__syncthreads();
	}
}

// weigh adds the product of a tile of weights, [k][row], with rows of an operand, of which `left` are there, to the thread's sums: of the
// columns from first on.
INLINE void weigh(const Weights &w, u64 b, const i64 (&bs)[4], u64 left, u64 first, u64 most, const Place &at, Operand<TILE> &bTile,
                  T (&sums)[SIDE][SIDE]) {
	auto from = Loader<TILE, ATTENTION_THREADS>::of(b, bs[3], bs[2], first, most);
#pragma unroll 1
	for (u32 k = 0; k < TILE && k < left; k += DEPTH) {
		from.fill(bTile, left - k < DEPTH ? (u32)(left - k) : DEPTH);
		__syncthreads();
		multiply<TILE, TILE>(*(const Operand<TILE> *)&w[k], bTile, (u32)at.y, (u32)at.x, sums);
		__syncthreads();
	}
}

// A Span is the keys that a tile of queries sees, from a tile's first on, or of queries that see keys.
struct Span {
	i64 from, to;
};

INLINE Span clipped(i64 from, i64 to, u64 most) {
	from = from < 0 ? 0 : from / TILE * TILE;
	return {from, to > (i64)most ? (i64)most : to};
}

INLINE Span keysOf(const Attention &p, u64 query) {
	i64 first = p.first + (i64)query, last = first + TILE - 1;
	return clipped(p.window > 0 ? first - p.window + 1 : 0, p.causal ? last + 1 : p.window > 0 ? last + p.window : (i64)p.keys, p.keys);
}

INLINE Span queriesOf(const Attention &p, u64 key) {
	i64 first = (i64)key - p.first, last = first + TILE - 1;
	return clipped(p.causal ? first : p.window > 0 ? first - p.window + 1 : 0, p.window > 0 ? last + p.window : (i64)p.queries, p.queries);
}

INLINE bool sees(const Attention &p, i64 first, u64 query, u64 key) {
	i64 away = first + (i64)query - (i64)key;
	return !(p.causal && away < 0) && !(p.window > 0 && (away >= p.window || -away >= p.window));
}

// bend multiplies a tile of products by the scale; where there is a soft cap it makes them tanh(score / softCap), one after the other,
// since the code of sixteen at once would be long. Where the thread has not any score, that saves the work.
INLINE void bend(const Attention &p, bool any, T (&s)[SIDE][SIDE]) {
#pragma unroll
	for (int i = 0; i < SIDE * SIDE; i++) {
		s[i / SIDE][i % SIDE] *= (T)p.scale;
	}
#pragma unroll 1
	for (int n = 0; n < SIDE * SIDE && any && p.softCap > 0; n++) {
		T v = 0;
#pragma unroll
		for (int i = 0; i < SIDE * SIDE; i++) {
			v = i == n ? s[i / SIDE][i % SIDE] : v;
		}
		v = tanh(v / (T)p.softCap);
#pragma unroll
		for (int i = 0; i < SIDE * SIDE; i++) {
			s[i / SIDE][i % SIDE] = i == n ? v : s[i / SIDE][i % SIDE];
		}
	}
}

// A Score is what the softmax gets, and the slope of the soft cap.
struct Score {
	T value, slope;
};

// score returns the score of what bend has made of a product, where the first query stands at a place.
INLINE Score score(const Attention &p, i64 first, const Place &at, u64 query, u64 key, T bent) {
	Score s = {bent, 1};
	if (p.softCap > 0) {
		s = {(T)p.softCap * bent, 1 - bent * bent};
	}
	if (query >= p.queries || key >= p.keys || !sees(p, first, query, key)) {
		return {-(T)INFINITY, s.slope};
	}
	if (p.mask != 0) {
		i64 m = (i64)at.batch * p.maskStrides[0] + (i64)at.head * p.maskStrides[1] + (i64)query * p.maskStrides[2] + (i64)key * p.maskStrides[3];
		if (!p.bools) {
			s.value += load<T>(p.mask, m);
		} else if (load<u8>(p.mask, m) == 0) {
			s.value = -(T)INFINITY;
		}
	}
	return s;
}

INLINE Score score(const Attention &p, const Place &at, u64 query, u64 key, T bent) { return score(p, p.first, at, query, key, bent); }

// dropped returns a bit for each of four keys of a query, from a multiple of four on, that dropout leaves out.
INLINE u32 dropped(const Attention &p, const Place &at, u64 query, u64 key) {
	u64 limit = (u64)(p.keep * 0x1p32);
	Words w = philox(load<u64>(p.seed, 0), key / 4, (at.batch * p.heads + at.head) * p.queries + query);
	return (w.x >= limit) | (w.y >= limit) << 1 | (w.z >= limit) << 2 | (w.w >= limit) << 3;
}
