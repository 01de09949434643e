// Matrix products of 16-bit elements on tensor cores, with sums in float32: panels of both operands come into a ring of stages in shared
// memory by asynchronous copies, STAGES-1 ahead of the one that is multiplied.
//
// Every kernel takes Product. Names, parts and the grid are as in product_tile.cu; operands are aligned for 16 bytes along the axis on which they
// lie. Shared memory: STAGES times (rows + columns) * 64 bytes.
// dtypes: bf16 f16
// target: sm_80 ptx74
#include "copies.cuh"
#include "pairs.cuh"
#include "parts.cuh"

// Pairs puts two neighbours at once.
template <int ROWS, int COLUMNS> struct Pairs : End<ROWS, COLUMNS> {
	__device__ __attribute__((always_inline)) Pairs(const Product &p) : End<ROWS, COLUMNS>(p) {}

	__device__ __attribute__((always_inline)) void put(u32 row, f32 first, f32 second) const {
		u32 r = this->at.m + row, c = this->c;
		if (r < this->p.m && c < this->p.n) {
			finish(this->p, this->at, r, c, first, second);
		}
	}
};

template <int ROWS, int COLUMNS, int HIGH, int WIDE, int STAGES, bool DEEP_A, bool DEEP_B> INLINE void product(const Product &p) {
	const int THREADS = ROWS * COLUMNS / (HIGH * WIDE) * 32;
	using O = Operands<Copies<ROWS, DEEP_A, THREADS>, Copies<COLUMNS, DEEP_B, THREADS>, ROWS, COLUMNS, STEPS>;
	O operands(p);
	multiplyPanels<ROWS, COLUMNS, HIGH, WIDE, STAGES, DEEP_A, DEEP_B, Pairs<ROWS, COLUMNS>>(p, operands);
	addParts<ROWS, COLUMNS, THREADS>(p);
}

#define PRODUCT(rows, columns, high, wide, stages, blocks, name, deepA, deepB) \
	KERNEL_OF(JOIN(product_##rows##x##columns##_mma_##name, DTYPE), rows * columns / (high * wide) * 32, blocks)(const Product p) { \
		product<rows, columns, high, wide, stages, deepA, deepB>(p); \
	}

EACH_LIE(PRODUCT, 128, 256, 64, 64, 3, 1)
EACH_LIE(PRODUCT, 128, 128, 64, 64, 4, 2)
EACH_LIE(PRODUCT, 64, 64, 32, 32, 4, 4)
