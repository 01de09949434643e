// Matrix products by fma, from tiles in shared memory that are loaded while the ones before are multiplied.
//
// Every kernel takes Product. A warp computes 32x64 of the result, a thread 8x8 of it, in quarters of 4x4; an element's products are added in
// order of k. product_ROWSxCOLUMNS_ab: a block's tile, of which each warp has its part, and how operands lie: k along the common axis, m or n
// across it, both aligned for vectors of 4; or loosely, with any strides. Where the common axis is divided into parts, product_join adds
// them in order. Grid: a block for each tile, part and matrix, of 32 threads for each warp.
// dtypes: f32
#include "operand.cuh"
#include "result.cuh"

// four loads neighbours from an address in shared memory at once, which the compiler would do one by one.
INLINE Four four(u32 at) {
	Four v;
	asm volatile("ld.shared.v4.f32 {%0, %1, %2, %3}, [%4];"
				 : "=f"(v.x), "=f"(v.y), "=f"(v.z), "=f"(v.w) : "r"(at) : "memory");
	return v;
}

INLINE u32 sharedAddress(const T *p) { return (u32)(u64)(const __attribute__((address_space(3))) T *)p; }

// A warp computes 32 rows and WARP columns of the block's tile.
template <int ROWS, int COLUMNS, int WARP, class A, class B> INLINE void product(const Product &p) {
	const int WARPS = ROWS * COLUMNS / (32 * WARP), SIDES = WARP / 32;
	__shared__ union __attribute__((aligned(16))) {
		struct {
			Tile<ROWS> as[2];
			Tile<COLUMNS> bs[2];
		};
		T ends[WARPS][8][WARP];
	} shared;
	u32 warp = threadIdx.x / 32, lane = threadIdx.x % 32;
	u32 y = warp / (COLUMNS / WARP) * 32, x = warp % (COLUMNS / WARP) * WARP;
	const u32 fromA = sharedAddress(&shared.as[0][0][y + lane / 8 * 4]), fromB = sharedAddress(&shared.bs[0][0][x + lane % 8 * 4]);
	Place at = placeOf<ROWS, COLUMNS>(p, blockIdx.x);
	u32 begin = at.part * (u32)p.part, left = min((u32)p.k - begin, (u32)p.part);
	A a(p.a + at.batch * p.aStrides[0] * sizeof(T), p.aStrides[1], p.aStrides[2], at.m, (u32)p.m, begin);
	B b(p.b + at.batch * p.bStrides[0] * sizeof(T), p.bStrides[2], p.bStrides[1], at.n, (u32)p.n, begin);
	Four sums[8][SIDES];
#pragma unroll
	for (int i = 0; i < 8; i++) {
#pragma unroll
		for (int s = 0; s < SIDES; s++) {
			sums[i][s] = Four(0);
		}
	}
	A::fetch(a, left);
	B::fetch(b, left);
	A::put(a, shared.as[0]);
	B::put(b, shared.bs[0]);
	__syncthreads();
	u32 side = 0;
#pragma unroll 1
	while (true) {
		bool more = left > STEPS;
		if (more) {
			left -= STEPS;
			A::fetch(a, left);
			B::fetch(b, left);
		}
		u32 nowA = fromA + side * sizeof(Tile<ROWS>), nowB = fromB + side * sizeof(Tile<COLUMNS>);
#pragma unroll
		for (int k = 0; k < STEPS; k++) {
			Four rows[2] = {four(nowA + k * sizeof(shared.as[0][0])), four(nowA + k * sizeof(shared.as[0][0]) + 64)};
			Four columns[SIDES];
#pragma unroll
			for (int s = 0; s < SIDES; s++) {
				columns[s] = four(nowB + k * sizeof(shared.bs[0][0]) + s * 128);
			}
#pragma unroll
			for (int i = 0; i < 8; i++) {
#pragma unroll
				for (int s = 0; s < SIDES; s++) {
#pragma unroll
					for (int j = 0; j < 4; j++) {
						sums[i][s][j] = __builtin_fmaf(rows[i / 4][i % 4], columns[s][j], sums[i][s][j]);
					}
				}
			}
		}
		if (!more) {
			break;
		}
		side ^= 1;
		A::put(a, shared.as[side]);
		B::put(b, shared.bs[side]);
		__syncthreads();
	}
	__syncthreads();
	Place end = placeOf<ROWS, COLUMNS>(p, thisBlock()); // anew: its registers were free meanwhile
	// Eight rows of each warp at a time go through shared memory, so that neighbouring threads store neighbours.
#pragma unroll
	for (int i = 0; i < 8; i += 2) {
#pragma unroll
		for (int j = 0; j < 2 * SIDES; j++) {
			*(Four *)&shared.ends[warp][lane / 8 + j % 2 * 4][lane % 8 * 4 + j / 2 * 32] = sums[i + j % 2][j / 2];
		}
		__syncthreads();
#pragma unroll 1
		for (u32 j = 0; j < 8 * SIDES; j++) {
			u32 r = end.m + y + j % 4 * 4 + i % 4 + j / 4 % 2 + i / 4 * 16, c = lane + j / 8 * 32;
			if (r < p.m && end.n + x + c < p.n) {
				finish(p, end, r, end.n + x + c, shared.ends[warp][j % 8][c]);
			}
		}
		__syncthreads();
	}
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
#ifdef EXPERIMENT
PRODUCTS(128, 64, 64, 128)
PRODUCTS(64, 128, 64, 128)
#endif
