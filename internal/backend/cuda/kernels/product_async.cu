// Matrix products in float32 by fma, from tiles that asynchronous copies bring into a ring of stages in shared memory, STAGES-1 ahead of the
// one that is multiplied.
//
// Every kernel takes Product; parts and the grid are as in product_tile.cu. product_ROWSxCOLUMNS_async_ab: m and n are operands that
// lie across the common axis, aligned for vectors of 4, and x those that lie anyhow. Shared memory: STAGES times
// STEPS * (rows + 4 + columns + 4) * 4 bytes.
// dtypes: f32
// target: sm_80 ptx74
#include "async_loop.cuh"
#include "source.cuh"

template <int ROWS, int COLUMNS, int HIGH, int WIDE, int STEPS, int STAGES, bool WHOLE_A, bool WHOLE_B> INLINE void product(const Product &p) {
	const int THREADS = ROWS * COLUMNS / (HIGH * WIDE) * 32;
	using A = Source<ROWS, STEPS, WHOLE_A, THREADS, GAP>;
	using B = Source<COLUMNS, STEPS, WHOLE_B, THREADS, GAP>;
	Place at = placeOf<ROWS, COLUMNS>(p, blockIdx.x);
	u32 begin = at.part * (u32)p.part, left = min((u32)p.k - begin, (u32)p.part), tiles = (left + STEPS - 1) / STEPS;
	u64 startA = p.a + (u64)(at.batch * p.aStrides[0]) * 4, startB = p.b + (u64)(at.batch * p.bStrides[0]) * 4;
	A a(startA, p.aStrides[1], p.aStrides[2], at.m, (u32)p.m, begin);
	B b(startB, p.bStrides[2], p.bStrides[1], at.n, (u32)p.n, begin);
	auto fill = [&](u32 stage) __attribute__((always_inline)) {
		if (left > 0) {
			A::copy(a, stage, left, startA);
			B::copy(b, stage + A::BYTES, left, startB);
			left -= min(left, STEPS);
		}
	};
	multiplyTiles<ROWS, COLUMNS, HIGH, WIDE, STEPS, STAGES, End<ROWS, COLUMNS>>(p, tiles, fill);
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
