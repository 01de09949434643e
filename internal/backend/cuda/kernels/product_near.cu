// Matrix products of 16-bit elements on tensor cores whose operands do not lie in lines that are aligned for 16 bytes, without a copy ahead.
//
// Every kernel takes Product. Names, parts and the grid are as in product_tile.cu. For product_ROWSxCOLUMNS_pairs_ab lines are aligned for pairs of
// elements along the axis on which operands lie, and asynchronous copies bring pair by pair: shared memory as in product_mma.cu. For
// product_ROWSxCOLUMNS_any_ab operands have any strides, k, m and n say along which axis neighbours lie closer, and elements pass through registers:
// shared memory for two stages.
// dtypes: bf16 f16
// target: sm_80 ptx74
#define NOTHING_FOLLOWS
#include "job.cuh"
#include "staged_loop.cuh"

// Words are those pairs of neighbours in an operand's panels that a thread brings, in lines that lie APART lines from each other.
template <int SIZE, bool DEEP, int THREADS> struct Words : Panel<SIZE, DEEP> {
	using P = Panel<SIZE, DEEP>;
	static const int COUNT = P::BYTES / 4 / THREADS, WIDTH = P::LINE / 4, APART = THREADS / WIDTH;
	u64 from;              // of the first
	u32 line, word;        // of a panel, where the first goes
	u32 lines, neighbours; // inside from there on, of those that do not run along the common axis
	bool cut;              // whether those are not all

	__device__ Words(u64 matrix, i64 across, i64 deep, u32 first, u32 size, u32 begin) {
		line = threadIdx.x / WIDTH;
		word = threadIdx.x % WIDTH;
		u32 i = first + (DEEP ? line : word * 2), k = begin + (DEEP ? word * 2 : line);
		lines = neighbours = i < size ? size - i : 0;
		cut = size - first < SIZE;
		from = matrix + (u64)((i64)i * across + k * deep) * 2;
	}

	// count tells how many of a pair's elements are inside, where left steps of the panel are.
	INLINE u32 count(const Words &w, int l, u32 left) {
		u32 k = DEEP ? w.word * 2 : w.line + l * APART, i = DEEP ? l * APART : 0;
		if (k >= left || i >= w.lines) {
			return 0;
		}
		return min(DEEP ? left - k : w.neighbours, 2);
	}

	// place is where a pair goes in a panel.
	INLINE u32 place(const Words &w, int l) { return P::place(w.line + l * APART, w.word / 4) + w.word % 4 * 4; }
};

// Copies brings pairs by asynchronous copies.
template <int SIZE, bool DEEP, int THREADS> struct Copies : Words<SIZE, DEEP, THREADS> {
	using W = Words<SIZE, DEEP, THREADS>;
	using W::W;

	// copy starts to copy the next panel, of which left steps are inside; all of a WHOLE one is.
	template <bool WHOLE> INLINE void copy(Copies &c, u32 stage, u32, u32 left, i64 across, i64 deep) {
		u64 from = c.from;
#pragma unroll
		for (int l = 0; l < W::COUNT; l++) {
			u32 n = WHOLE ? 2 : W::count(c, l, left);
			asm volatile("cp.async.ca.shared.global [%0], [%1], 4, %2;" : : "r"(stage + W::place(c, l)), "l"(from), "r"(n * 2) : "memory");
			goOn(from, (u64)(DEEP ? across : deep) * W::APART * 2);
		}
		c.from += (u64)deep * STEPS * 2;
	}
};

// Held brings pairs by registers, which they share when they are put.
template <int SIZE, bool DEEP, int THREADS> struct Held : Words<SIZE, DEEP, THREADS> {
	using W = Words<SIZE, DEEP, THREADS>;
	using W::W;
	u32 first[W::COUNT], second[W::COUNT];

	// copy loads a panel, as that of Copies.
	template <bool WHOLE> INLINE void copy(Held &h, u32, u32, u32 left, i64 across, i64 deep) {
		u64 from = h.from;
#pragma unroll
		for (int l = 0; l < W::COUNT; l++) {
			u32 n = WHOLE ? 2 : W::count(h, l, left);
			h.first[l] = n > 0 ? load<u16>(from, 0) : 0;
			h.second[l] = n > 1 ? load<u16>(from, DEEP ? deep : across) : 0;
			goOn(from, (u64)(DEEP ? across : deep) * W::APART * 2);
		}
		h.from += (u64)deep * STEPS * 2;
	}

	INLINE void put(const Held &h, u32 stage) {
#pragma unroll
		for (int l = 0; l < W::COUNT; l++) {
			*(__attribute__((address_space(3))) u32 *)(u64)(stage + W::place(h, l)) = h.first[l] | h.second[l] << 16;
		}
	}
};

// Both puts two neighbours one by one: lines of the result are not aligned either.
template <int ROWS, int COLUMNS> struct Both : End<ROWS, COLUMNS> {
	__device__ __attribute__((always_inline)) Both(const Product &p) : End<ROWS, COLUMNS>(p) {}

	__device__ __attribute__((always_inline)) void put(u32 row, f32 first, f32 second) const {
		End<ROWS, COLUMNS> next = *this;
		next.c++;
		End<ROWS, COLUMNS>::put(row, first);
		next.put(row, second);
	}
};

template <int ROWS, int COLUMNS, int HIGH, int WIDE, int STAGES, bool DEEP_A, bool DEEP_B> INLINE void pairs(const Product &p) {
	const int THREADS = ROWS * COLUMNS / (HIGH * WIDE) * 32;
	using O = Operands<Copies<ROWS, DEEP_A, THREADS>, Copies<COLUMNS, DEEP_B, THREADS>, ROWS, COLUMNS, STEPS>;
	O operands(p);
	multiplyPanels<ROWS, COLUMNS, HIGH, WIDE, STAGES, DEEP_A, DEEP_B, Both<ROWS, COLUMNS>>(p, operands);
}

#define PAIRS(rows, columns, high, wide, stages, blocks, name, deepA, deepB) \
	KERNEL_OF(JOIN(product_##rows##x##columns##_pairs_##name, DTYPE), rows *columns / (high * wide) * 32, blocks)(const Product p) { \
		pairs<rows, columns, high, wide, stages, deepA, deepB>(p); \
	}
#define ANY(rows, columns, high, wide, blocks, name, deepA, deepB) \
	KERNEL_OF(JOIN(product_##rows##x##columns##_any_##name, DTYPE), rows *columns / (high * wide) * 32, blocks)(const Product p) { \
		const int THREADS = rows * columns / (high * wide) * 32; \
		Operands<Held<rows, deepA, THREADS>, Held<columns, deepB, THREADS>, rows, columns, STEPS> operands(p); \
		multiplyStaged<rows, columns, high, wide, deepA, deepB, End<rows, columns>>(p, operands); \
	}

EACH_LIE(PAIRS, 128, 128, 64, 64, 4, 1)
EACH_LIE(PAIRS, 64, 64, 32, 32, 4, 4)
EACH_LIE(ANY, 64, 64, 32, 32, 4)
