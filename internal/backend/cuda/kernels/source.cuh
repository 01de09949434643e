// How asynchronous copies bring tiles of a product's operands in float32 into shared memory: a tile lies across the common axis, tile[k][i], however
// the operand lies.
#pragma once

#include "bent.cuh"
#include "job.cuh"
#include "parts.cuh"

// A Source copies one tile after another of an operand. Those of FOURS copy four neighbours at once, others single elements, along the axis on which
// neighbours lie closer. Lines of a tile, which are steps, are padded, and those of single elements bent as bentBy says.
template <int SIZE, int STEPS, bool FOURS, int THREADS, int PAD> struct Source {
	static const int LINE = (SIZE + PAD) * 4, BYTES = STEPS * LINE, COUNT = SIZE * STEPS / THREADS / (FOURS ? 4 : 1);
	static const int APART = FOURS ? THREADS / (SIZE / 4) : THREADS / SIZE; // lines from one copy to the next
	static const bool BENT = !FOURS;
	u64 from, step, apart; // of the first copy, to the next tile, to the thread's next copy, in bytes
	u32 k, i, addK, addI, inside; // i is bent
	bool cut; // whether some of the tile is not inside across the common axis

	__device__ Source(u64 matrix, i64 across, i64 deep, u32 first, u32 size, u32 begin) {
		const u32 line = FOURS ? SIZE / 4 : SIZE;
		bool along = !FOURS && deep < across;
		k = along ? threadIdx.x % STEPS : threadIdx.x / line;
		i = along ? threadIdx.x / STEPS : threadIdx.x % line * (FOURS ? 4 : 1);
		addK = along ? 0 : APART;
		addI = along ? THREADS / STEPS : 0;
		from = matrix + (u64)((i64)(first + i) * across + (i64)(begin + k) * deep) * 4;
		apart = (u64)(addI * across + addK * deep) * 4;
		step = (u64)deep * STEPS * 4;
		i ^= BENT ? bentBy(k) : 0;
		inside = size - first;
		cut = inside < SIZE;
	}

	// copy starts to copy the next tile, of which left steps are inside; all of a WHOLE one is.
	template <bool WHOLE> INLINE void copy(Source &s, u32 to, u32, u32 left, i64, i64) {
		to += s.k * LINE + s.i * 4;
		u64 from = s.from;
		u32 further = s.addK * LINE + s.addI * 4, lines = s.addK == 0 ? 0 : ~0u; // whether the thread goes from line to line
#pragma unroll
		for (int l = 0; l < COUNT; l++) {
			bool in = WHOLE || (s.k + l * s.addK < left && (s.i ^ (BENT ? bentBy(s.k) : 0)) + l * s.addI < s.inside);
			if (FOURS) {
				copyWhole(to, from, in);
			} else {
				copyElement(to, from, in);
			}
			to = to + further ^ (BENT ? (bentBy((l + 1) * APART) ^ bentBy(l * APART)) * 4 & lines : 0);
			goOn(from, s.apart);
		}
		s.from += s.step;
	}
};

// product multiplies by multiplyTiles of async_loop.cuh or tf32_loop.cuh: the one that the kernels' file includes ahead of this.
template <int ROWS, int COLUMNS, int HIGH, int WIDE, int STEPS, int STAGES, bool FOURS_A, bool FOURS_B> INLINE void product(const Product &p) {
	const int THREADS = ROWS * COLUMNS / (HIGH * WIDE) * 32;
	using O = Operands<Source<ROWS, STEPS, FOURS_A, THREADS, GAP>, Source<COLUMNS, STEPS, FOURS_B, THREADS, GAP>, ROWS, COLUMNS, STEPS>;
	O operands(p);
	multiplyTiles<ROWS, COLUMNS, HIGH, WIDE, STEPS, STAGES, End<ROWS, COLUMNS>>(p, operands);
	addParts<ROWS, COLUMNS, THREADS>(p);
}

#define PRODUCT(family, rows, columns, high, wide, steps, stages, blocks, name, foursA, foursB) \
	KERNEL_OF(JOIN(product_##rows##x##columns##_##family##_##name, DTYPE), rows *columns / (high * wide) * 32, blocks)(const Product p) { \
		product<rows, columns, high, wide, steps, stages, foursA, foursB>(p); \
	}

// EACH_SOURCE makes a kernel for each way in which operands lie: m or n across the common axis in whole fours, x anyhow.
#define EACH_SOURCE(kernel, ...) \
	kernel(__VA_ARGS__, xx, false, false) kernel(__VA_ARGS__, xn, false, true) kernel(__VA_ARGS__, mx, true, false) kernel(__VA_ARGS__, mn, true, true)
