// Matrix products of 16-bit elements on tensor cores, with sums in float32: panels of both operands come into a ring of stages in shared
// memory by asynchronous copies, STAGES-1 ahead of the one that is multiplied.
//
// Every kernel takes Product. Names, parts and the grid are as in product_tile.cu; operands are aligned for 16 bytes along the axis on which they
// lie. Shared memory: STAGES times (rows + columns) * 64 bytes.
// dtypes: bf16 f16
// target: sm_80 ptx74
#include "pairs.cuh"
#include "mma_loop.cuh"
#include "parts.cuh"

// Copies are those of an operand's panels, which lie as the operand does.
template <int SIZE, bool DEEP, int THREADS> struct Copies : Panel<SIZE, DEEP> {
	using P = Panel<SIZE, DEEP>;
	static const int COUNT = P::BYTES / 16 / THREADS;
	u64 from[COUNT];
	u32 to[COUNT]; // within the panel
	u32 bytes[COUNT], at[COUNT]; // inside along a line; the step that it starts with

	__device__ Copies(u64 matrix, i64 across, i64 deep, u32 first, u32 size, u32 begin) {
#pragma unroll
		for (int l = 0; l < COUNT; l++) {
			u32 id = threadIdx.x + l * THREADS, line = id / P::CHUNKS, chunk = id % P::CHUNKS;
			to[l] = P::place(line, chunk);
			if (DEEP) {
				at[l] = chunk * 8;
				from[l] = matrix + (u64)(min(first + line, size - 1) * across + begin + at[l]) * 2;
			} else {
				u32 i = first + chunk * 8;
				at[l] = line;
				bytes[l] = i < size ? min((size - i) * 2, 16) : 0;
				from[l] = matrix + (u64)((begin + line) * deep + (i < size ? i : 0)) * 2;
			}
		}
	}

	// copy starts to copy the next panel, of which left steps are inside.
	INLINE void copy(Copies &p, u32 stage, u32 left, u64 valid, i64, i64 deep) {
#pragma unroll
		for (int l = 0; l < COUNT; l++) {
			u32 n = DEEP ? (p.at[l] < left ? min((left - p.at[l]) * 2, 16) : 0) : (p.at[l] < left ? p.bytes[l] : 0);
			copyAsync(stage + p.to[l], n > 0 ? p.from[l] : valid, n);
			p.from[l] += DEEP ? STEPS * 2 : (u64)deep * STEPS * 2;
		}
	}
};

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
	auto fill = [&](u32 stage) __attribute__((always_inline)) { O::fill(operands, p, stage); };
	multiplyPanels<ROWS, COLUMNS, HIGH, WIDE, STAGES, DEEP_A, DEEP_B, Pairs<ROWS, COLUMNS>>(p, O::panels(operands), fill);
	addParts<ROWS, COLUMNS, THREADS>(p);
}

#define PRODUCT(rows, columns, high, wide, stages, name, deepA, deepB) \
	KERNEL_OF(JOIN(product_##rows##x##columns##_mma_##name, DTYPE), rows * columns / (high * wide) * 32, 256 / rows)(const Product p) { \
		product<rows, columns, high, wide, stages, deepA, deepB>(p); \
	}

EACH_LIE(PRODUCT, 128, 128, 64, 64, 4)
EACH_LIE(PRODUCT, 64, 64, 32, 32, 4)
