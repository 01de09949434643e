// How a warp's sums, as tensor cores leave them, come to memory: through shared memory, so that neighbouring threads store neighbours.
#pragma once

#include "async.cuh"
#include "fragments.cuh"

typedef __attribute__((address_space(3))) f32 *Ends;

// spread has put take sixteen rows at a time of DOWN times as many: from which of the warp's rows on, and where they lie, in lines of WIDE elements and
// a gap of 8.
template <int WIDE, int DOWN, class Sums, class Put> INLINE void spread(const Sums (&sums)[DOWN][WIDE / 8], Put put) {
	const int PITCH = WIDE + 8;
	u32 warp = threadIdx.x / 32, lane = threadIdx.x % 32;
	Ends ends = (Ends)dynamic + warp * 16 * PITCH;
#pragma unroll 1
	for (u32 i = 0; i < DOWN; i++) {
		__syncthreads();
#pragma unroll
		for (int k = 0; k < DOWN; k++) {
			if (k != i) {
				continue;
			}
#pragma unroll
			for (int j = 0; j < WIDE / 8; j++) {
				auto to = ends + lane / 4 * PITCH + j * 8 + lane % 4 * 2;
				to[0] = bits<f32>(sums[k][j].v[0]);
				to[1] = bits<f32>(sums[k][j].v[1]);
				to[8 * PITCH] = bits<f32>(sums[k][j].v[2]);
				to[8 * PITCH + 1] = bits<f32>(sums[k][j].v[3]);
			}
		}
		__syncthreads();
		put(i * 16, ends);
	}
}
