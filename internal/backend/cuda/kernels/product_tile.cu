// Matrix products by fma, from tiles in shared memory that are loaded while the ones before are multiplied.
//
// Every kernel takes Product. A warp computes 32x64 of the result, a thread 8x8 of it, in quarters of 4x4; an element's products are added in
// order of k. product_ROWSxCOLUMNS_ab: a block's tile, of which each warp has its part, and how operands lie: k along the common axis, m or n
// across it, both aligned for vectors of 4; or loosely, with any strides. Where the common axis is divided into parts, product_join adds
// them in order, or where there are counters, in kernels with parts.cuh, the block of a tile that ends last. Grid: a block for each tile, part and
// matrix, of 32 threads for each warp.
// dtypes: f32
#include "operand.cuh"
#include "result.cuh"

template <int ROWS, int COLUMNS, int WARP, class A, class B> INLINE void product(const Product &p) {
	Place at = placeOf<ROWS, COLUMNS>(p, blockIdx.x);
	u32 begin = at.part * (u32)p.part, left = min((u32)p.k - begin, (u32)p.part);
	A a(p.a + at.batch * p.aStrides[0] * sizeof(T), p.aStrides[1], p.aStrides[2], at.m, (u32)p.m, begin, left);
	B b(p.b + at.batch * p.bStrides[0] * sizeof(T), p.bStrides[2], p.bStrides[1], at.n, (u32)p.n, begin, left);
	auto fetch = [&](u32 left) __attribute__((always_inline)) {
		A::fetch(a, left, p.aStrides[1], p.aStrides[2]);
		B::fetch(b, left, p.bStrides[2], p.bStrides[1]);
	};
	auto put = [&](Tile<ROWS> &as, Tile<COLUMNS> &bs) __attribute__((always_inline)) {
		A::put(a, as, p.aStrides[1], p.aStrides[2]);
		B::put(b, bs, p.bStrides[2], p.bStrides[1]);
	};
	multiplyTiles<ROWS, COLUMNS, WARP, End<ROWS, COLUMNS>>(p, left, fetch, put);
}

// Two large tiles share a multiprocessor, and as many threads of small ones.
#define TILE_KERNEL(name, most) \
	extern "C" __global__ __attribute__((launch_bounds(most, 512 / (most)))) void JOIN(name, DTYPE)(const Product p)

#define PRODUCTS(rows, columns, warp, threads) \
	TILE_KERNEL(product_##rows##x##columns##_kk, threads) { \
		product<rows, columns, warp, Deep<rows, threads>, Deep<columns, threads>>(p); \
	} \
	TILE_KERNEL(product_##rows##x##columns##_kn, threads) { \
		product<rows, columns, warp, Deep<rows, threads>, Wide<columns, threads>>(p); \
	} \
	TILE_KERNEL(product_##rows##x##columns##_mk, threads) { \
		product<rows, columns, warp, Wide<rows, threads>, Deep<columns, threads>>(p); \
	} \
	TILE_KERNEL(product_##rows##x##columns##_mn, threads) { \
		product<rows, columns, warp, Wide<rows, threads>, Wide<columns, threads>>(p); \
	} \
	TILE_KERNEL(product_##rows##x##columns##_loose, threads) { \
		product<rows, columns, warp, Loose<rows, threads>, Loose<columns, threads>>(p); \
	}

PRODUCTS(128, 128, 64, 256)
PRODUCTS(64, 64, 32, 128)
