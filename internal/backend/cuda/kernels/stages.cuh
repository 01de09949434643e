// How a block goes through panels of both operands of a product, which come into stages in shared memory ahead of their time. A Fill has so many panels, and
// copy brings the one of a number. Those that are whole take fewer instructions, in a loop of their own, which is left for each of the others.
#pragma once

#include "async.cuh"

// eachPanel has multiply take all panels from a ring of stages of so many bytes, to which asynchronous copies bring them, STAGES-1 ahead of the one that is
// multiplied. copy starts those of a panel, if there is one, to an address.
template <int STAGES, class Fill, class Multiply> INLINE void eachPanel(u32 bytes, Fill &fill, Multiply multiply) {
	u32 shared = dynamicAddress(), used = 0, filled = (STAGES - 1) * bytes, next = 0;
	if (fill.panels == 0) {
		return;
	}
#pragma unroll 1
	for (; next < STAGES - 1; next++) {
		fill.template copy<false>(shared + next * bytes, next);
		commitCopies();
	}
	awaitCopies<STAGES - 2>();
	__syncthreads();
	while (true) {
		fill.template copy<false>(shared + filled, next);
#pragma unroll 1
		while (true) {
			commitCopies();
			filled = used;
			multiply(used);
			if (++next == fill.panels + STAGES - 1) {
				awaitCopies<0>();
				return;
			}
			used = used == (STAGES - 1) * bytes ? 0 : used + bytes;
			awaitCopies<STAGES - 2>();
			__syncthreads(); // the panels are there, and those before are free
			if (!fill.whole(next)) {
				break;
			}
			fill.template copy<true>(shared + filled, next);
		}
	}
}

// eachHeld has multiply take all panels from two stages of so many bytes: while it takes one the loads of the next are on their way to registers, by copy, from
// which put stores them to an address.
template <class Fill, class Multiply> INLINE void eachHeld(u32 bytes, Fill &fill, Multiply multiply) {
	u32 shared = dynamicAddress(), used = 0, next = 1;
	if (fill.panels == 0) {
		return;
	}
	fill.template copy<false>(0, 0);
	fill.put(shared);
	__syncthreads();
	while (true) {
		if (next < fill.panels) {
			fill.template copy<false>(0, next);
		}
#pragma unroll 1
		while (true) {
			multiply(used);
			if (next >= fill.panels) {
				return;
			}
			used ^= bytes;
			fill.put(shared + used);
			__syncthreads();
			if (!fill.whole(++next)) {
				break;
			}
			fill.template copy<true>(0, next);
		}
	}
}
