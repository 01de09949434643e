// Convolutions of half types for compute capability 9.0 multiply boxes of pixels that the TMA copies: so many beside each other, below each other and of
// images. What their kernels share: how a block uses shared memory, and how 128 rows of sums leave it.
#pragma once

#include "conv_place.cuh"
#include "mapped_loop.cuh"

// A Shape is how a block with so many rows of the result, which are the columns of what it multiplies, uses its shared memory and its registers.
template <int WIDTH> struct Shape {
	static const int COLUMNS = WIDTH, BOXES = WIDTH / 64, STAGE = A_BYTES + BOXES * BOX, STAGES = WIDTH == 64 ? 4 : 6, BARRIERS = STAGES * STAGE;
	static const int FEW = WIDTH == 64 ? 32 : 40, MANY = WIDTH == 64 ? 104 : 232; // registers of a thread that copies, and of one that multiplies
	static const int BLOCKS = WIDTH == 64 ? 2 : 1;
};

// Ends are sums in shared memory, a line for each row of the result, so that neighbouring threads store neighbouring sums.
struct Ends {
	static const int PITCH = ROWS + 4;
	__attribute__((address_space(3))) f32 *from;

	// of writes a group's sums where stages were, when both groups have multiplied them.
	template <int SUMS> INLINE Ends of(const f32 (&sums)[SUMS], u32 group) {
		Ends e = {(__attribute__((address_space(3))) f32 *)dynamic};
		u32 lane = threadIdx.x % 32, warp = threadIdx.x % 128 / 32;
		sync(); // no stage is awaited any more
#pragma unroll
		for (int i = 0; i < SUMS; i++) {
			e.from[(i / 4 * 8 + lane % 4 * 2 + i % 2) * PITCH + group * 64 + warp * 16 + lane / 4 + i / 2 % 2 * 8] = sums[i];
		}
		sync();
		return e;
	}

	INLINE void sync() { asm volatile("bar.sync 1, 256;" : : : "memory"); }

	// A thread stores two sums of every fourth line from first on: those of column, which is the first of them, and of the next one.
	INLINE u32 column() { return threadIdx.x % (ROWS / 2) * 2; }
	INLINE u32 first() { return (threadIdx.x - 128) / (ROWS / 2); }

	INLINE f32 sum(const Ends &e, u32 line, u32 i) { return e.from[line * PITCH + column() + i]; }
};
