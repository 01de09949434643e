// What kernels for compute capability 9.0 share that multiply by warpgroups: blocks of clusters of two, in each of which a producer fills stages of
// shared memory through the TMA, and two groups multiply them, each 64 rows of the block's 128.
#pragma once

#include "mapped_stages.cuh"
#include "warpgroup.cuh"

// multiplyStages makes a group's sums of so many stages, and gives each back to both producers: empty is the barrier of the first stage of the
// block that the lane tells, of which two lanes of a warp tell one each.
template <class S, bool ACROSS_A, bool ACROSS_B, class Sum, int SUMS>
INLINE void multiplyStages(Sum (&sums)[SUMS], u32 shared, Barriers bar, u32 empty, Ring &ring, u32 stages, u32 group) {
	const u32 stepA = ACROSS_A ? 16 * 128 : 32, stepB = ACROSS_B ? 16 * 128 : 32;
	u32 lane = threadIdx.x % 32, before = 0;
#pragma unroll 1
	for (u32 k = 0; k < stages; k++) {
		u32 a = shared + ring.stage * S::STAGE + group * BOX, b = shared + ring.stage * S::STAGE + A_BYTES;
		u64 fromA = describe(a, STEPS * 128), fromB = describe(b, STEPS * 128);
		await(bar.full + ring.stage * 8, ring.parity);
		beginProducts();
#pragma unroll
		for (int i = 0; i < STEPS / 16; i++) {
			multiplyAdd<ACROSS_A, ACROSS_B>(sums, fromA + i * (stepA >> 4), fromB + i * (stepB >> 4), k == 0 && i == 0);
		}
		commitProducts();
		awaitProducts<1>();
		if (k > 0 && lane < 2) {
			arriveAt(empty + before * 8);
		}
		before = ring.stage;
		Ring::next(ring, S::STAGES);
	}
	awaitProducts<0>();
	if (stages > 0 && lane < 2) {
		arriveAt(empty + before * 8);
	}
}

// inRoles has one thread produce and two warpgroups consume, which are given the address of shared memory, the barriers, the block's rank and
// the groups their number. FEW and MANY are the registers of a thread that copies, and of one that multiplies.
template <class S, int FEW, int MANY, class Produce, class Consume> INLINE void inRoles(Produce produce, Consume consume) {
	u32 shared = dynamicAddress(), rank = rankInCluster();
	Barriers bar = {shared + S::BARRIERS, shared + S::BARRIERS + S::STAGES * 8};
	if (threadIdx.x == 0) {
		for (u32 s = 0; s < S::STAGES; s++) {
			initBarrier(bar.full + s * 8, 1);
			initBarrier(bar.empty + s * 8, 2 * 8);
		}
		publishBarriers();
	}
	awaitKernelAhead();
	clusterBarrier();
	u32 group = threadIdx.x / 128;
	if (group == 0) {
		giveRegisters<FEW>();
		if (threadIdx.x == 0) {
			produce(shared, bar, rank);
			letNextStart();
		}
	} else {
		takeRegisters<MANY>();
		consume(shared, bar, rank, group - 1);
	}
	clusterBarrier(); // a block that the other still writes to must not end
}
