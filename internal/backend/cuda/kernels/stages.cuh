// How a block goes through panels of both operands of a product, which come into stages in shared memory ahead of their time. A Fill has so many panels, and
// copy brings the one of a number. Those that are whole take fewer instructions, in a loop of their own, which is left for each of the others.
#pragma once

#include "async.cuh"

// firstPanels starts the copies of all panels but one that a ring of stages has room for, and waits for the first.
template <int STAGES, class Fill> INLINE void firstPanels(u32 shared, u32 bytes, Fill &fill) {
#pragma unroll 1
	for (u32 next = 0; next < STAGES - 1; next++) {
		fill.template copy<false>(shared + next * bytes, next);
		commitCopies();
	}
	awaitCopies<STAGES - 2>();
	__syncthreads();
}

// eachPanel has multiply take all panels from a ring of stages of so many bytes, to which asynchronous copies bring them, STAGES-1 ahead of the one that is
// multiplied. copy starts those of a panel, if there is one, to an address.
template <int STAGES, class Fill, class Multiply> INLINE void eachPanel(u32 bytes, Fill &fill, Multiply multiply) {
	const u32 ring = STAGES * bytes;
	u32 shared = dynamicAddress(), stage = ring - bytes, next = STAGES - 1, end = fill.panels + STAGES - 1;
	if (fill.panels == 0) {
		return;
	}
	firstPanels<STAGES>(shared, bytes, fill);
	do {
		fill.template copy<false>(shared + stage, next);
#pragma unroll 1
		while (true) {
			commitCopies();
			stage = (ring & (ring - 1)) == 0 ? (stage + bytes) & (ring - 1) : stage == ring - bytes ? 0 : stage + bytes;
			multiply(stage);
			awaitCopies<STAGES - 2>();
			__syncthreads(); // the next panels are there, and the stage is free
			if (!fill.whole(++next)) {
				break;
			}
			fill.template copy<true>(shared + stage, next);
		}
	} while (next != end);
	awaitCopies<0>();
}

// eachPanelAhead is eachPanel for a multiply that has the first fragments of the next panel loaded while it multiplies the last of one, so that no warp waits
// for shared memory behind a barrier: before that it calls `turn`, which waits for the next panel and returns its stage. It may read none of its own panel
// thereafter. load loads the first fragments of the first panel. The copies of STAGES panels are on their way. Behind the last panel
// turn returns a stage without one, whose fragments are loaded and never multiplied.
template <int STAGES, class Fill, class Load, class Multiply> INLINE void eachPanelAhead(u32 bytes, Fill &fill, Load load, Multiply multiply) {
	const u32 ring = STAGES * bytes;
	u32 shared = dynamicAddress(), stage = 0, used = ring - bytes, next = STAGES - 1, end = fill.panels + STAGES - 1;
	if (fill.panels == 0) {
		return;
	}
	firstPanels<STAGES>(shared, bytes, fill);
	load(0);
	do {
		fill.template copy<false>(shared + used, next);
#pragma unroll 1
		while (true) {
			commitCopies();
			used = stage;
			multiply(stage, [&]() __attribute__((always_inline)) {
				awaitCopies<STAGES - 2>();
				__syncthreads(); // the next panel is there, and the stage of this one is free
				return stage = (ring & (ring - 1)) == 0 ? (stage + bytes) & (ring - 1) : stage == ring - bytes ? 0 : stage + bytes;
			});
			if (!fill.whole(++next)) {
				break;
			}
			fill.template copy<true>(shared + used, next);
		}
	} while (next != end);
	awaitCopies<0>();
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
