// Products of rows of int8 with a weight of int8 on tensor cores, whose sums are exact: the CPU's results.
//
// Every kernel takes Quantized: x [m, line] and steps, where 16 divides k, which is 2^17 at most, since sums have 32 bits. To the main loop of product_mma.cu two
// neighbours are an element of 16 bits: its fragments hold them as tensor cores take int8. Where there are parts, the block of a tile that ends last adds them.
// Grid: a block for each tile and part. Shared memory: STAGES times (rows + columns) * 64 bytes.
// dtypes: f32 bf16 f16
// target: sm_80 ptx74
#include "copies.cuh"
#include "counts.cuh"
#include "wholes.cuh"

// Counted stores two neighbours at once.
template <int ROWS, int COLUMNS> struct Counted {
	const Quantized &p;
	Place at;
	u32 c;

	__device__ __attribute__((always_inline)) Counted(const Quantized &p) : p(p), at(placeOf<ROWS, COLUMNS>(p, thisBlock())), c(0) {}

	__device__ __attribute__((always_inline)) void turn(u32 column) { c = at.n + column; }

	__device__ __attribute__((always_inline)) void put(u32 row, f32 first, f32 second) const {
		u32 r = at.m + row;
		if (r < p.m && c < p.n) {
			finish(p, at, r, c, bits<i32>(first), bits<i32>(second));
		}
	}
};

// Bytes are the Fill of eachPanelAhead.
template <int ROWS, int COLUMNS, int THREADS> struct Bytes {
	using X = Copies<ROWS, true, THREADS>;
	using W = Copies<COLUMNS, true, THREADS>;
	u32 begin, left, panels; // of pairs
	X x;
	W w;

	__device__ __attribute__((always_inline)) Bytes(const Quantized &p, const Place &at)
		: begin(at.part * (u32)p.part / 2), left(min((u32)p.k / 2 - begin, (u32)p.part / 2)), panels((left + STEPS - 1) / STEPS),
		  x(p.x, p.line / 2, 1, at.m, (u32)p.m, begin), w(p.w, p.k / 2, 1, at.n, (u32)p.n, begin) {}

	__device__ __attribute__((always_inline)) bool whole(u32 panel) const { return panel < left / STEPS; }

	template <bool WHOLE> __device__ __attribute__((always_inline)) void copy(u32 stage, u32 panel) {
		u32 done = panel * STEPS;
		if (WHOLE || done < left) {
			X::template copy<WHOLE>(x, stage, panel, left - done, 0, 1);
			W::template copy<WHOLE>(w, stage + X::BYTES, panel, left - done, 0, 1);
		}
	}
};

template <int ROWS, int COLUMNS, int HIGH, int WIDE, int STAGES> INLINE void product(const Quantized &p) {
	const int THREADS = ROWS * COLUMNS / (HIGH * WIDE) * 32;
	Place at = placeOf<ROWS, COLUMNS>(p, blockIdx.x);
	Bytes<ROWS, COLUMNS, THREADS> bytes(p, at);
	multiplyPanels<ROWS, COLUMNS, HIGH, WIDE, STAGES, true, true, Counted<ROWS, COLUMNS>, Wholes>(p, bytes);
	if (p.parts == 1) {
		return;
	}
	at = placeOf<ROWS, COLUMNS>(p, thisBlock());
	addParts<ROWS, COLUMNS, THREADS, 16>(p, at, threadIdx.x, []() __attribute__((always_inline)) { __syncthreads(); });
}

#define PRODUCT(rows, columns, high, wide, stages, blocks) \
	KERNEL_OF(JOIN(product_quantized_imma_##rows##x##columns, DTYPE), rows * columns / (high * wide) * 32, blocks)(const Quantized p) { \
		product<rows, columns, high, wide, stages>(p); \
	}

PRODUCT(128, 128, 64, 64, 4, 2)
PRODUCT(64, 128, 32, 64, 4, 3)
