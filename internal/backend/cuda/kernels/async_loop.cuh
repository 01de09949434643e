// The main loop of products in float32 by fma, whatever brings the operands: tiles of both come by asynchronous copies into a ring of stages
// in shared memory, STAGES-1 ahead of the one that is multiplied. A tile lies across the common axis: tile[k][i].
//
// A warp computes HIGH rows and WIDE columns of the block's tile, a thread fours of it that lie 16 rows and 32 columns apart.
#pragma once

#define GAP 4 // elements between the lines of a tile

#include "bent.cuh"
#include "element.cuh"
#include "stages.cuh"

// multiplyTiles multiplies all tiles of a Fill, as eachPanel says, which has b's behind a's. An End is made of p when the sums are there; turned to a column
// of the block's tile, it puts the sum of each row where it belongs.
template <int ROWS, int COLUMNS, int HIGH, int WIDE, int STEPS, int STAGES, class End, class P, class Fill>
INLINE void multiplyTiles(const P &p, Fill &fill) {
	const int DOWN = HIGH / 16, ACROSS = WIDE / 32, LINE_A = (ROWS + GAP) * 4, LINE_B = (COLUMNS + GAP) * 4;
	const u32 STAGE = STEPS * (LINE_A + LINE_B);
	u32 warp = threadIdx.x / 32, lane = threadIdx.x % 32, y = warp / (COLUMNS / WIDE) * HIGH, x = warp % (COLUMNS / WIDE) * WIDE;
	u32 shared = dynamicAddress(), fromA = shared + (y + lane / 8 * 4) * 4, fromB = shared + STEPS * LINE_A + (x + lane % 8 * 4) * 4;
	Four sums[DOWN * 4][ACROSS];
#pragma unroll
	for (int i = 0; i < DOWN * 4; i++) {
#pragma unroll
		for (int j = 0; j < ACROSS; j++) {
			sums[i][j] = Four(0);
		}
	}
	eachPanel<STAGES>(STAGE, fill, [&](u32 used) __attribute__((always_inline)) {
#pragma unroll
		for (int k = 0; k < STEPS; k++) {
			const int bentA = Fill::OfA::BENT ? bentBy(k) : 0, bentB = Fill::OfB::BENT ? bentBy(k) : 0;
			Four rows[DOWN], columns[ACROSS];
#pragma unroll
			for (int i = 0; i < DOWN; i++) {
				rows[i] = four(fromA + used + k * LINE_A + i * 64);
			}
#pragma unroll
			for (int j = 0; j < ACROSS; j++) {
				columns[j] = four(fromB + used + k * LINE_B + j * 128);
			}
#pragma unroll
			for (int i = 0; i < DOWN * 4; i++) {
#pragma unroll
				for (int j = 0; j < ACROSS * 4; j++) {
					f32 sum = sums[i][j / 4][j % 4];
					sums[i][j / 4][j % 4] = __builtin_fmaf(rows[i / 4][i % 4 ^ bentA], columns[j / 4][j % 4 ^ bentB], sum);
				}
			}
		}
	});
	// Sixteen rows of each warp at a time go through shared memory, so that neighbouring threads store neighbours.
	__attribute__((address_space(3))) f32 *ends = (__attribute__((address_space(3))) f32 *)dynamic + warp * 16 * WIDE;
	End end(p);
#pragma unroll 1
	for (u32 i = 0; i < DOWN; i++) {
		__syncthreads();
#pragma unroll
		for (int k = 0; k < DOWN * 4; k++) {
			if (k / 4 != i) {
				continue;
			}
#pragma unroll
			for (int j = 0; j < ACROSS; j++) {
				*(__attribute__((address_space(3))) Four *)(ends + (lane / 8 * 4 + k % 4) * WIDE + lane % 8 * 4 + j * 32) = sums[k][j];
			}
		}
		__syncthreads();
#pragma unroll
		for (int j = 0; j < ACROSS; j++) {
			u32 column = lane + j * 32;
			end.turn(x + column);
#pragma unroll 1
			for (u32 r = 0; r < 16; r++) {
				end.put(y + i * 16 + r, ends[r * WIDE + column]);
			}
		}
	}
}
