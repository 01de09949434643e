// The stages of shared memory that kernels for compute capability 9.0 and 10.0 fill through the TMA: boxes of 64 by 64 elements of both operands of a tile of 128 rows.
#pragma once

#include "job.cuh"
#include "transaction.cuh"

#define ROWS 128
#define STEPS 64 // of a stage, along the common axis

#define BOX (64 * 64 * 2) // bytes of a box, of an operand or of the result
#define A_BYTES (2 * BOX) // of a stage, before b's

// Barriers tell that a stage's bytes have come, and that who multiplies them has done with it.
struct Barriers {
	u32 full, empty; // of the first stage; others lie 8 bytes further each
};

// produceStage has the TMA fill a stage from a step on, when it is free: copy is given where to, its barrier and the step, and brings so many bytes.
template <class S, class Copy> INLINE void produceStage(u32 shared, Barriers bar, Ring &ring, u32 step, Copy copy, u32 bytes = S::STAGE) {
	u32 full = bar.full + ring.stage * 8;
	await(bar.empty + ring.stage * 8, ring.parity ^ 1);
	expectBytes(full, bytes);
	copy(shared + ring.stage * S::STAGE, full, step);
	Ring::next(ring, S::STAGES);
}
