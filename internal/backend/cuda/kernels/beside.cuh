// Tiles of a cluster's two blocks that lie beside each other, of the same rows: each block copies half of a into both, and its own part of b. In each a producer
// fills stages of shared memory through the TMA, and two warpgroups multiply them, each 64 rows of the block's 128.
//
// A Shape S has COLUMNS of a block's tile; DEEP, the steps of a stage, whose lines are 128 bytes; BOXES of b in a STAGE of so many bytes, of which there are STAGES;
// HIGH, rows of which a thread adds the parts at once; and Sum, what is added. finish and addParts say what becomes of sums.
#pragma once

#include "parts.cuh"
#include "mapped_loop.cuh"

// A Task is what a cluster has to do: the place of its two tiles, and how many stages there are from which step on.
struct Task {
	Place at;
	u32 begin, stages;

	template <class S, class P> INLINE Task of(const P &p) {
		Task t;
		t.at = placeOf<ROWS, 2 * S::COLUMNS>(p, blockIdx.x / 2);
		t.begin = t.at.part * (u32)p.part;
		t.stages = (min((u32)p.k - t.begin, (u32)p.part) + S::DEEP - 1) / S::DEEP;
		return t;
	}
};

template <class S, bool ACROSS_A, bool ACROSS_B>
INLINE void produce(const TensorMap &mapA, const TensorMap &mapB, u32 za, u32 zb, const Task &task, u32 shared, Barriers bar, u32 rank) {
	u32 r = task.at.m + rank * 64;
	Ring ring;
#pragma unroll 1
	for (u32 k = 0; k < task.stages; k++) {
		produceStage<S>(shared, bar, ring, task.begin + k * S::DEEP, [&](u32 to, u32 full, u32 step) __attribute__((always_inline)) {
			shareBox(to + rank * BOX, mapA, ACROSS_A ? r : step, ACROSS_A ? step : r, za, full, 3);
#pragma unroll
			for (u32 i = 0; i < S::BOXES; i++) {
				u32 c = task.at.n + (rank * S::BOXES + i) * 64;
				loadBox(to + A_BYTES + i * BOX, mapB, ACROSS_B ? c : step, ACROSS_B ? step : c, zb, full);
			}
		});
	}
}

template <class S, bool ACROSS_A, bool ACROSS_B, class P>
INLINE void consume(const P &p, const Task &task, u32 shared, Barriers bar, u32 rank, u32 group) {
	using Sum = typename S::Sum;
	u32 lane = threadIdx.x % 32, warp = threadIdx.x % 128 / 32;
	Sum sums[S::COLUMNS / 2] = {};
	Ring ring;
	multiplyStages<S, ACROSS_A, ACROSS_B>(sums, shared, bar, remote(bar.empty, lane % 2), ring, task.stages, group);
	auto sync = []() __attribute__((always_inline)) { asm volatile("bar.sync 1, 256;" : : : "memory"); };
	sync(); // the other group has multiplied too, and no stage is awaited any more
	// Each warp's sixteen rows go through shared memory, so that neighbouring threads store neighbours.
	const int PITCH = S::COLUMNS + 8;
	auto ends = (__attribute__((address_space(3))) Sum *)dynamic + (group * 4 + warp) * 16 * PITCH;
#pragma unroll
	for (int i = 0; i < S::COLUMNS / 2; i += 2) {
		auto to = ends + (lane / 4 + i / 2 % 2 * 8) * PITCH + i / 4 * 8 + lane % 4 * 2;
		to[0] = sums[i];
		to[1] = sums[i + 1];
	}
	asm volatile("bar.warp.sync 0xffffffff;" : : : "memory");
#pragma unroll
	for (u32 column = lane * 2; column < S::COLUMNS; column += 64) {
		u32 c = task.at.n + rank * S::COLUMNS + column;
#pragma unroll 1
		for (u32 row = 0; row < 16; row++) {
			u32 r = task.at.m + group * 64 + warp * 16 + row;
			if (r < p.m && c < p.n) {
				finish(p, task.at, r, c, ends[row * PITCH + column], ends[row * PITCH + column + 1]);
			}
		}
	}
	Place at = task.at;
	at.n += rank * S::COLUMNS;
	at.tile = at.tile * 2 + rank;
	if (p.counter != 0 && at.n < p.n) {
		addParts<ROWS, S::COLUMNS, 256, S::HIGH>(p, at, threadIdx.x - 128, sync);
	}
}
