// Matrix products of any strides: transposed and broadcast operands need no copy.
//
// Every kernel takes Product. A block computes a tile of the result, each thread 4x4 elements of it, from tiles of 16 of the
// common axis in shared memory. An element's products are added in order of k, by fma. Grid: blocks walk over the tiles of
// all matrices, so that any number of blocks is right: as many as there are tiles. product_dtype: 256 threads, tiles of
// 64x64. product_small_dtype: 64 threads, tiles of 32x32, for m or n up to 32.
// dtypes: f64
#include "params.cuh"
#include "tile.cuh"

template <int EDGE> INLINE void product(const Product &p) {
	const int TILE = EDGE * SIDE, THREADS = EDGE * EDGE;
	__shared__ __attribute__((aligned(16))) Operand<TILE> aTile, bTile;
	u64 down = (p.m + TILE - 1) / TILE, across = (p.n + TILE - 1) / TILE;
	u32 y = threadIdx.x / EDGE * SIDE, x = threadIdx.x % EDGE * SIDE;
#pragma unroll 1
	for (u64 tile = blockIdx.x; tile < p.count * down * across; tile += gridDim.x) {
		u64 left = tile / across, firstN = (tile - left * across) * TILE;
		u64 batch = left / down, firstM = (left - batch * down) * TILE;
		u64 a = p.a + batch * p.aStrides[0] * sizeof(T), b = p.b + batch * p.bStrides[0] * sizeof(T);
		auto fromA = Loader<TILE, THREADS>::of(a, p.aStrides[1], p.aStrides[2], firstM, p.m);
		auto fromB = Loader<TILE, THREADS>::of(b, p.bStrides[2], p.bStrides[1], firstN, p.n);
		T sums[SIDE][SIDE] = {};
#pragma unroll 1
		for (u64 k = 0; k < p.k; k += DEPTH) {
			u32 depth = p.k - k < DEPTH ? (u32)(p.k - k) : DEPTH;
			fromA.fill(aTile, depth);
			fromB.fill(bTile, depth);
			__syncthreads();
			multiply<TILE, TILE>(aTile, bTile, y, x, sums);
			__syncthreads();
		}
#pragma unroll
		for (int i = 0; i < SIDE; i++) {
#pragma unroll
			for (int j = 0; j < SIDE; j++) {
				i64 r = (i64)(firstM + y + i), c = (i64)(firstN + x + j), z = (i64)batch;
				if (r < (i64)p.m && c < (i64)p.n) {
					T v = (T)p.alpha * sums[i][j];
					if (p.add != 0 && p.beta != 0) {
						v += (T)p.beta * load<T>(p.add, z * p.addStrides[0] + r * p.addStrides[1] + c * p.addStrides[2]);
					}
					store<T>(p.out, z * p.outStrides[0] + r * p.outStrides[1] + c * p.outStrides[2], v);
				}
			}
		}
	}
}

ROW_KERNEL(product, 256)(const Product p) { product<16>(p); }
ROW_KERNEL(product_small, 64)(const Product p) { product<8>(p); }
