// Matrix products in float32 by fma, from tiles that asynchronous copies bring into a ring of stages in shared memory, STAGES-1 ahead of the
// one that is multiplied.
//
// Every kernel takes Product; tiles lie across the common axis, as in product_tile.cu, and parts and the grid are as there. A warp computes HIGH rows and
// WIDE columns of the result, a thread fours of it that lie 16 rows and 32 columns apart. product_ROWSxCOLUMNS_async_ab: m and n are operands that
// lie across the common axis, aligned for vectors of 4, and x those that lie anyhow. Shared memory: STAGES times
// STEPS * (rows + 4 + columns + 4) * 4 bytes.
// dtypes: f32
// target: sm_80 ptx74
#include "source.cuh"

// four loads neighbours from shared memory at once, which the compiler would do one by one.
INLINE Four four(u32 at) {
	Four v;
	asm volatile("ld.shared.v4.f32 {%0, %1, %2, %3}, [%4];"
				 : "=f"(v.x), "=f"(v.y), "=f"(v.z), "=f"(v.w) : "r"(at) : "memory");
	return v;
}

template <int ROWS, int COLUMNS, int HIGH, int WIDE, int STEPS, int STAGES, bool WHOLE_A, bool WHOLE_B> INLINE void product(const Product &p) {
	const int THREADS = ROWS * COLUMNS / (HIGH * WIDE) * 32, DOWN = HIGH / 16, ACROSS = WIDE / 32;
	using A = Source<ROWS, STEPS, WHOLE_A, THREADS, 4>;
	using B = Source<COLUMNS, STEPS, WHOLE_B, THREADS, 4>;
	const u32 STAGE = A::BYTES + B::BYTES;
	u32 warp = threadIdx.x / 32, lane = threadIdx.x % 32, y = warp / (COLUMNS / WIDE) * HIGH, x = warp % (COLUMNS / WIDE) * WIDE;
	Place at = placeOf<ROWS, COLUMNS>(p, blockIdx.x);
	u32 begin = at.part * (u32)p.part, left = min((u32)p.k - begin, (u32)p.part), tiles = (left + STEPS - 1) / STEPS;
	u64 startA = p.a + (u64)(at.batch * p.aStrides[0]) * 4, startB = p.b + (u64)(at.batch * p.bStrides[0]) * 4;
	A a(startA, p.aStrides[1], p.aStrides[2], at.m, (u32)p.m, begin);
	B b(startB, p.bStrides[2], p.bStrides[1], at.n, (u32)p.n, begin);
	u32 shared = dynamicAddress(), fromA = shared + (y + lane / 8 * 4) * 4, fromB = shared + A::BYTES + (x + lane % 8 * 4) * 4;
	Four sums[DOWN * 4][ACROSS];
#pragma unroll
	for (int i = 0; i < DOWN * 4; i++) {
#pragma unroll
		for (int j = 0; j < ACROSS; j++) {
			sums[i][j] = Four(0);
		}
	}
#pragma unroll
	for (int s = 0; s < STAGES - 1; s++) {
		if (left > 0) {
			A::copy(a, shared + s * STAGE, left, startA);
			B::copy(b, shared + s * STAGE + A::BYTES, left, startB);
			left -= min(left, STEPS);
		}
		commitCopies();
	}
	u32 used = 0, filled = (STAGES - 1) * STAGE;
#pragma unroll 1
	for (u32 tile = 0; tile < tiles; tile++) {
		awaitCopies<STAGES - 2>();
		__syncthreads(); // the tile is there, and the one before is free
		if (left > 0) {
			A::copy(a, shared + filled, left, startA);
			B::copy(b, shared + filled + A::BYTES, left, startB);
			left -= min(left, STEPS);
		}
		commitCopies();
		filled = used;
#pragma unroll
		for (int k = 0; k < STEPS; k++) {
			Four rows[DOWN], columns[ACROSS];
#pragma unroll
			for (int i = 0; i < DOWN; i++) {
				rows[i] = four(fromA + used + k * A::LINE + i * 64);
			}
#pragma unroll
			for (int j = 0; j < ACROSS; j++) {
				columns[j] = four(fromB + used + k * B::LINE + j * 128);
			}
#pragma unroll
			for (int i = 0; i < DOWN * 4; i++) {
#pragma unroll
				for (int j = 0; j < ACROSS * 4; j++) {
					f32 sum = sums[i][j / 4][j % 4];
					sums[i][j / 4][j % 4] = __builtin_fmaf(rows[i / 4][i % 4], columns[j / 4][j % 4], sum);
				}
			}
		}
		used = used == (STAGES - 1) * STAGE ? 0 : used + STAGE;
	}
	awaitCopies<0>();
	// Sixteen rows of each warp at a time go through shared memory, so that neighbouring threads store neighbours.
	__attribute__((address_space(3))) f32 *ends = (__attribute__((address_space(3))) f32 *)dynamic + warp * 16 * WIDE;
	Place end = placeOf<ROWS, COLUMNS>(p, thisBlock());
#pragma unroll
	for (int i = 0; i < DOWN; i++) {
		__syncthreads();
#pragma unroll
		for (int r = 0; r < 4; r++) {
#pragma unroll
			for (int j = 0; j < ACROSS; j++) {
				*(__attribute__((address_space(3))) Four *)(ends + (lane / 8 * 4 + r) * WIDE + lane % 8 * 4 + j * 32) = sums[i * 4 + r][j];
			}
		}
		__syncthreads();
#pragma unroll 1
		for (u32 e = lane; e < 16 * WIDE; e += 32) {
			u32 r = end.m + y + i * 16 + e / WIDE, c = end.n + x + e % WIDE;
			if (r < p.m && c < p.n) {
				finish(p, end, r, c, ends[e]);
			}
		}
	}
}

#define PRODUCT(rows, columns, high, wide, steps, stages, blocks, name, wholeA, wholeB) \
	extern "C" __global__ __attribute__((launch_bounds(rows * columns / (high * wide) * 32, blocks))) void JOIN( \
		product_##rows##x##columns##_async_##name, DTYPE)(const Product p) { \
		product<rows, columns, high, wide, steps, stages, wholeA, wholeB>(p); \
	}
#define PRODUCTS(rows, columns, high, wide, steps, stages, blocks) \
	PRODUCT(rows, columns, high, wide, steps, stages, blocks, xx, false, false) \
	PRODUCT(rows, columns, high, wide, steps, stages, blocks, xn, false, true) \
	PRODUCT(rows, columns, high, wide, steps, stages, blocks, mx, true, false) \
	PRODUCT(rows, columns, high, wide, steps, stages, blocks, mn, true, true)

PRODUCTS(128, 128, 64, 64, 8, 4, 2)
PRODUCTS(64, 64, 32, 32, 16, 3, 4)
