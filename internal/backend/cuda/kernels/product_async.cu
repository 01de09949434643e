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
	using O = Operands<Source<ROWS, STEPS, WHOLE_A, THREADS, GAP>, Source<COLUMNS, STEPS, WHOLE_B, THREADS, GAP>, ROWS, COLUMNS, STEPS>;
	O operands(p);
	auto fill = [&](u32 stage) __attribute__((always_inline)) { O::fill(operands, p, stage); };
	multiplyTiles<ROWS, COLUMNS, HIGH, WIDE, STEPS, STAGES, End<ROWS, COLUMNS>>(p, O::panels(operands), fill);
}

#define PRODUCT(rows, columns, high, wide, steps, stages, blocks, name, wholeA, wholeB) \
	KERNEL_OF(JOIN(product_##rows##x##columns##_async_##name, DTYPE), rows *columns / (high * wide) * 32, blocks)(const Product p) { \
		product<rows, columns, high, wide, steps, stages, wholeA, wholeB>(p); \
	}

EACH_SOURCE(PRODUCT, 128, 128, 64, 64, 8, 4, 2)
EACH_SOURCE(PRODUCT, 64, 64, 32, 32, 16, 3, 4)
