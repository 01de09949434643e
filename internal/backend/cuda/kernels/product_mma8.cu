// Matrix products of float16 on the tensor cores of compute capability 7.5, which multiply 8 steps at a time and have no asynchronous copies: panels
// of both operands pass through registers.
//
// Every kernel takes Product. Names, parts and the grid are as in product_tile.cu; operands are aligned for 16 bytes along the axis on which they
// lie. Shared memory: 2 * (rows + columns) * 64 bytes.
// dtypes: f16
// target: sm_75 ptx70
#include "chunks.cuh"
#include "job.cuh"
#include "parts.cuh"
#include "staged_loop.cuh"

// beginning loads the first bytes of a chunk, less than 16; the others are zeros.
INLINE uint4 beginning(u64 from, u32 bytes) {
	uint4 v = 0;
#pragma unroll 1
	for (u32 i = bytes / 2; i > 0; i--) {
		v = {v[0] << 16 | load<u16>(from, i - 1), v[1] << 16 | v[0] >> 16, v[2] << 16 | v[1] >> 16, v[3] << 16 | v[2] >> 16};
	}
	return v;
}

// Held brings chunks by registers.
template <int SIZE, bool DEEP, int THREADS> struct Held : Chunks<SIZE, DEEP, THREADS> {
	using C = Chunks<SIZE, DEEP, THREADS>;
	using C::C;
	uint4 held[C::COUNT];

	// copy loads a panel, of which left steps are inside; all of a WHOLE one is.
	template <bool WHOLE> INLINE void copy(Held &h, u32, u32 panel, u32 left, i64, i64) {
#pragma unroll
		for (int l = 0; l < C::COUNT; l++) {
			u64 from = C::next(h, l, panel);
			u32 bytes = WHOLE ? 16 : C::count(h, l, left);
			h.held[l] = bytes < 16 ? beginning(from, bytes) : load<uint4>(from, 0);
		}
	}

	INLINE void put(const Held &h, u32 stage) {
#pragma unroll
		for (int l = 0; l < C::COUNT; l++) {
			*(__attribute__((address_space(3))) uint4 *)(u64)(stage + C::place(h, l)) = h.held[l];
		}
	}
};

#define PRODUCT(rows, columns, high, wide, blocks, name, deepA, deepB) \
	KERNEL_OF(JOIN(product_##rows##x##columns##_mma8_##name, DTYPE), rows *columns / (high * wide) * 32, blocks)(const Product p) { \
		const int THREADS = rows * columns / (high * wide) * 32; \
		Operands<Held<rows, deepA, THREADS>, Held<columns, deepB, THREADS>, rows, columns, STEPS> operands(p); \
		multiplyStaged<rows, columns, high, wide, deepA, deepB, End<rows, columns>>(p, operands); \
		addParts<rows, columns, THREADS>(p); \
	}

EACH_LIE(PRODUCT, 128, 128, 64, 32, 1)
EACH_LIE(PRODUCT, 64, 64, 32, 32, 4)
