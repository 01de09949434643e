// Matrix products of float16 on the tensor cores of compute capability 7.5, which multiply 8 steps at a time and have no asynchronous copies: panels
// of both operands pass through registers.
//
// Every kernel takes Product. Names, parts and the grid are as in product_tile.cu; operands are aligned for 16 bytes along the axis on which they
// lie. Shared memory: 2 * (rows + columns) * 64 bytes.
// dtypes: f16
// target: sm_75 ptx70
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

// Chunks are those 16 bytes of an operand's panels that a thread loads, in lines that lie APART lines from each other.
template <int SIZE, bool DEEP, int THREADS> struct Chunks : Panel<SIZE, DEEP> {
	using P = Panel<SIZE, DEEP>;
	static const int COUNT = P::BYTES / 16 / THREADS, APART = THREADS / P::CHUNKS;
	u64 from; // of the first
	uint4 held[COUNT];
	u32 to, at, inside; // where the first goes in a panel, the step that it starts with; lines inside from it on where DEEP, else bytes of each line

	__device__ Chunks(u64 matrix, i64 across, i64 deep, u32 first, u32 size, u32 begin) {
		static_assert(APART % 8 == 0, "chunks of a thread change places alike");
		u32 line = threadIdx.x / P::CHUNKS, chunk = threadIdx.x % P::CHUNKS, i = first + (DEEP ? line : chunk * 8);
		to = P::place(line, chunk);
		at = DEEP ? chunk * 8 : line;
		inside = i < size ? (DEEP ? size - i : min((size - i) * 2, 16)) : 0;
		from = matrix + (u64)((i64)i * across + (begin + at) * deep) * 2;
	}

	// fetch loads the next panel, of which left steps are inside.
	INLINE void fetch(Chunks &c, u32 left, i64 across, i64 deep) {
#pragma unroll
		for (int l = 0; l < COUNT; l++) {
			u32 bytes = 0;
			if (DEEP && l * APART < c.inside && c.at < left) {
				bytes = min((left - c.at) * 2, 16);
			} else if (!DEEP && c.at + l * APART < left) {
				bytes = c.inside;
			}
			u64 from = c.from + (u64)(l * APART * (DEEP ? across : deep)) * 2;
			c.held[l] = bytes < 16 ? beginning(from, bytes) : load<uint4>(from, 0);
		}
		c.from += (u64)deep * STEPS * 2;
	}

	INLINE void put(const Chunks &c, u32 stage) {
#pragma unroll
		for (int l = 0; l < COUNT; l++) {
			*(__attribute__((address_space(3))) uint4 *)(u64)(stage + c.to + l * APART * P::LINE) = c.held[l];
		}
	}
};

#define PRODUCT(rows, columns, high, wide, blocks, name, deepA, deepB) \
	KERNEL_OF(JOIN(product_##rows##x##columns##_mma8_##name, DTYPE), rows *columns / (high * wide) * 32, blocks)(const Product p) { \
		const int THREADS = rows * columns / (high * wide) * 32; \
		multiplyHeld<rows, columns, high, wide, Chunks<rows, deepA, THREADS>, Chunks<columns, deepB, THREADS>, deepA, deepB>(p); \
		addParts<rows, columns, THREADS>(p); \
	}

EACH_LIE(PRODUCT, 128, 128, 64, 32, 1)
EACH_LIE(PRODUCT, 64, 64, 32, 32, 4)
