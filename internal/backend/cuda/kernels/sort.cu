// Sorting the lines of [outer][n][inner]: equal elements keep their order, and NaN counts as the largest number. Lines up to a
// tile are sorted at once; of longer ones every tile, and then neighbouring runs are merged until one is left.
//
// Every kernel takes Sort. sort_tiles: blocks of 256 threads, each of which sorts TILE elements: TILE/width lines, or a tile of
// a line; they walk over the tiles, so that any number of blocks is right: as many as there are tiles. sort_merge: blocks of
// 256 threads, any number of them: as many as there are elements.
// dtypes: f32 f64 i64 i32 u8
#include "sort.cuh"

#define TILE 1024
#define NOBODY 0xffffffff // the origin of the padding behind the end of a line

INLINE bool less(T a, T b) { return a < b || (b != b && a == a); }

// precedes orders items without ties.
INLINE bool precedes(const Sort &p, const Item &a, const Item &b) {
	if (a.from == NOBODY || b.from == NOBODY) {
		return a.from != NOBODY;
	}
	if (less(a.value, b.value)) {
		return !p.descending;
	}
	if (less(b.value, a.value)) {
		return p.descending;
	}
	return a.from < b.from;
}

// order sorts runs of width elements of a tile by Batcher's bitonic network.
INLINE void order(const Sort &p, T *values, u32 *from) {
#pragma unroll 1
	for (u32 size = 2; size <= p.width; size *= 2) {
#pragma unroll 1
		for (u32 apart = size / 2; apart > 0; apart /= 2) {
			__syncthreads();
#pragma unroll 1
			for (u32 pair = threadIdx.x; pair < TILE / 2; pair += blockDim.x) {
				u32 a = 2 * pair - (pair & (apart - 1)), b = a + apart;
				Item left = {values[a], from[a]}, right = {values[b], from[b]};
				bool rising = (a & size & (p.width - 1)) == 0; // every run ends up rising
				if (precedes(p, right, left) == rising) {
					values[a] = right.value;
					from[a] = right.from;
					values[b] = left.value;
					from[b] = left.from;
				}
			}
		}
	}
	__syncthreads();
}

ROW_KERNEL(sort_tiles, 256)(const Sort p) {
	__shared__ T values[TILE];
	__shared__ u32 from[TILE];
	u64 lines = p.outer * p.inner, tiles = (p.n + p.width - 1) / p.width; // of a line
#pragma unroll 1
	for (u64 first = (u64)blockIdx.x * TILE; first < lines * tiles * p.width; first += (u64)gridDim.x * TILE) {
#pragma unroll 1
		for (u32 i = threadIdx.x; i < TILE; i += blockDim.x) {
			u64 run = (first + i) / p.width, line = run / tiles, k = (run - line * tiles) * p.width + (i & (p.width - 1));
			bool inside = line < lines && k < p.n;
			i64 at = inside ? placeOf(p, line, k) : 0;
			values[i] = inside ? load<T>(p.in, at) : (T)0;
			from[i] = inside ? originOf(p, at, k) : NOBODY;
		}
		order(p, values, from);
#pragma unroll 1
		for (u32 i = threadIdx.x; i < TILE; i += blockDim.x) {
			if (from[i] != NOBODY) {
				u64 run = (first + i) / p.width, line = run / tiles;
				put(p, line, (run - line * tiles) * p.width + (i & (p.width - 1)), {values[i], from[i]});
			}
		}
		__syncthreads();
	}
}

// Merges neighbouring runs of width elements: an item's new place is its place in its own run and how many of the other run
// precede it.
ROW_KERNEL(sort_merge, 256)(const Sort p) {
#pragma unroll 1
	for (u64 i = thread(); i < p.outer * p.inner * p.n; i += threads()) {
		u64 line = i / p.n, at = i - line * p.n, run = at / p.width;
		Item item = {load<T>(p.in, (i64)i), load<u32>(p.inFrom, (i64)i)};
		u64 other = (run ^ 1) * p.width, low = other < p.n ? other : p.n, high = other + p.width < p.n ? other + p.width : p.n;
		u64 start = low;
#pragma unroll 1
		while (low < high) {
			u64 middle = (low + high) / 2;
			i64 place = (i64)(line * p.n + middle);
			if (precedes(p, {load<T>(p.in, place), load<u32>(p.inFrom, place)}, item)) {
				low = middle + 1;
			} else {
				high = middle;
			}
		}
		put(p, line, (run & ~(u64)1) * p.width + (at - run * p.width) + (low - start), item);
	}
}
