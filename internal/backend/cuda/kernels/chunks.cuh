// How panels of a product's operands of 16-bit elements lie in memory, in lines that are aligned for 16 bytes.
#pragma once

#include "mma_loop.cuh"

// Chunks are those 16 bytes of an operand's panels that a thread brings, in lines that lie APART lines from each other. Lines beyond the operand's end are
// read from its last, and whole chunks there from a line's first, since their products are not stored.
template <int SIZE, bool DEEP, int THREADS> struct Chunks : Panel<SIZE, DEEP> {
	using P = Panel<SIZE, DEEP>;
	static const int COUNT = P::BYTES / 16 / THREADS, APART = THREADS / P::CHUNKS;
	u64 from[DEEP ? COUNT : 1], step; // of the first panel where DEEP; else of the next chunk, and how far the one after it lies
	u32 to, at;                       // where the first goes in a panel, the step that it starts with
	u32 inside;                       // bytes of each that are inside across the common axis
	bool cut;                         // whether others are inside by less than 16

	__device__ Chunks(u64 matrix, i64 across, i64 deep, u32 first, u32 size, u32 begin) {
		static_assert(APART % 8 == 0, "chunks of a thread change places alike");
		u32 line = threadIdx.x / P::CHUNKS, chunk = threadIdx.x % P::CHUNKS, i = first + (DEEP ? line : chunk * 8);
		to = P::place(line, chunk);
		at = DEEP ? chunk * 8 : line;
		inside = i < size ? min((size - i) * 2, 16) : 0;
		cut = !DEEP && size % 8 != 0 && first + SIZE > size;
		step = (u64)deep * APART * 2;
		if (!DEEP) {
			from[0] = matrix + (u64)((begin + at) * deep + (i < size ? i : 0)) * 2;
			return;
		}
#pragma unroll
		for (int l = 0; l < COUNT; l++) {
			from[l] = matrix + (u64)(min(i + l * APART, size - 1) * across + begin + at) * 2;
		}
	}

	// place is where chunk l goes in a panel, and next where it lies, asked for one after the other.
	INLINE u32 place(const Chunks &c, int l) { return c.to + l * APART * P::LINE; }
	INLINE u64 next(Chunks &c, int l, u32 panel) {
		if (DEEP) {
			return c.from[l] + (u64)panel * (STEPS * 2);
		}
		u64 from = c.from[0];
		goOn(c.from[0], c.step);
		return from;
	}

	// count tells how many bytes of it are inside, where left steps of the panel are.
	INLINE u32 count(const Chunks &c, int l, u32 left) {
		u32 step = c.at + (DEEP ? 0 : l * APART);
		return step < left ? DEEP ? min((left - step) * 2, 16) : c.inside : 0;
	}
};
