// Asynchronous copies of panels of operands of 16-bit elements.
#pragma once

#include "chunks.cuh"

// Copies brings chunks by asynchronous copies.
template <int SIZE, bool DEEP, int THREADS> struct Copies : Chunks<SIZE, DEEP, THREADS> {
	using C = Chunks<SIZE, DEEP, THREADS>;
	using C::C;

	// copy starts to copy a panel, of which left steps are inside; all of a WHOLE one is.
	template <bool WHOLE> INLINE void copy(Copies &c, u32 stage, u32 panel, u32 left, i64, i64) {
#pragma unroll
		for (int l = 0; l < C::COUNT; l++) {
			u64 from = C::next(c, l, panel);
			if (WHOLE) {
				copyAsync(stage + C::place(c, l), from);
			} else {
				copyAsync(stage + C::place(c, l), from, C::count(c, l, left));
			}
		}
	}
};
