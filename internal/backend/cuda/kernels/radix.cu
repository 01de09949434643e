// Sorting long lines by a digit of 8 bits after the other, from the lowest, each time stably: radix_count counts the digits of tiles, a
// running sum of the counts tells where the elements of a tile go, and radix_scatter moves them.
//
// Every kernel takes Sort. Grid: blocks of 256 threads, which walk over the tiles of all lines, so that any number of blocks is right:
// as many as there are tiles. A tile has RADIX_TILE neighbours, of which each warp takes its share in order.
// dtypes: f32 f64 i64 i32 u8
#include "radix.cuh"

#define EACH (RADIX_TILE / RADIX_THREADS)
#define SHARE (RADIX_TILE / RADIX_WARPS) // elements of a warp

using Seen = u32[RADIX_WARPS][DIGITS];

// A Tile is what a block works at.
struct Tile {
	u64 line, number, first;
};

// eachTile calls body with every tile of this block.
template <class Body> INLINE void eachTile(const Sort &p, u64 tiles, Body body) {
#pragma unroll 1
	for (u64 t = blockIdx.x; t < p.outer * p.inner * tiles; t += gridDim.x) {
		u64 line = t / tiles, number = t - line * tiles;
		body(Tile{line, number, number * RADIX_TILE});
	}
}

// note counts an element of a warp, and returns how many of its digit came before it in the warp.
INLINE u32 note(Seen &seen, u32 digit, bool inside) {
	u32 lane = threadIdx.x % 32, warp = threadIdx.x / 32, lanes = alike(digit, inside), before = lanes & ((1u << lane) - 1);
	u32 rank = inside ? seen[warp][digit] + countOf(before) : 0;
	syncWarp();
	if (inside && before == 0) {
		seen[warp][digit] = rank + countOf(lanes);
	}
	syncWarp();
	return rank;
}

INLINE void forget(Seen &seen) {
#pragma unroll
	for (int w = 0; w < RADIX_WARPS; w++) {
		seen[w][threadIdx.x] = 0;
	}
	__syncthreads();
}

// numberOf is the element of a tile that a thread takes in a round.
INLINE u64 numberOf(const Tile &t, int round) { return t.first + threadIdx.x / 32 * SHARE + round * 32 + threadIdx.x % 32; }

ROW_KERNEL(radix_count, 256)(const Sort p) {
	__shared__ Seen seen;
	u64 tiles = (p.n + RADIX_TILE - 1) / RADIX_TILE;
	eachTile(p, tiles, [&](Tile t) {
		forget(seen);
#pragma unroll 1
		for (int round = 0; round < EACH; round++) {
			u64 k = numberOf(t, round);
			bool inside = k < p.n;
			u32 digit = inside ? digitOf(p, keyOf(p, load<T>(p.in, placeOf(p, t.line, k)))) : 0;
			note(seen, digit, inside);
		}
		__syncthreads();
		u32 all = 0;
#pragma unroll
		for (int w = 0; w < RADIX_WARPS; w++) {
			all += seen[w][threadIdx.x];
		}
		store<i32>(p.counts, (i64)((t.line * DIGITS + threadIdx.x) * tiles + t.number), (i32)all);
		__syncthreads();
	});
}

ROW_KERNEL(radix_scatter, 256)(const Sort p) {
	__shared__ Seen seen;
	u64 tiles = (p.n + RADIX_TILE - 1) / RADIX_TILE;
	eachTile(p, tiles, [&](Tile t) {
		T v[EACH];
		u32 from[EACH], rank[EACH];
		forget(seen);
#pragma unroll
		for (int round = 0; round < EACH; round++) {
			u64 k = numberOf(t, round);
			bool inside = k < p.n;
			i64 at = inside ? placeOf(p, t.line, k) : 0;
			v[round] = inside ? load<T>(p.in, at) : (T)0;
			from[round] = inside ? originOf(p, at, k) : 0;
		}
#pragma unroll
		for (int round = 0; round < EACH; round++) {
			rank[round] = note(seen, digitOf(p, keyOf(p, v[round])), numberOf(t, round) < p.n);
		}
		__syncthreads();
		u64 place = threadIdx.x * tiles + t.number; // of the digit's count among those of the line
		u32 before = place == 0 ? 0 : (u32)load<i64>(p.offsets, (i64)(t.line * DIGITS * tiles + place - 1));
#pragma unroll
		for (int w = 0; w < RADIX_WARPS; w++) {
			u32 count = seen[w][threadIdx.x];
			seen[w][threadIdx.x] = before;
			before += count;
		}
		__syncthreads();
#pragma unroll
		for (int round = 0; round < EACH; round++) {
			if (numberOf(t, round) < p.n) {
				put(p, t.line, seen[threadIdx.x / 32][digitOf(p, keyOf(p, v[round]))] + rank[round], {v[round], from[round]});
			}
		}
		__syncthreads();
	});
}
