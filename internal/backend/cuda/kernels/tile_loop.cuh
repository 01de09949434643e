// The main loop of products in float32 by fma, whatever brings the operands, without asynchronous copies: tiles of both pass through registers,
// so that the loads of one are on their way while the block multiplies the one before. A tile in shared memory lies across the common
// axis: tile[k][i].
#pragma once

#include "element.cuh"

// STEPS is how long a tile is along the common axis.
#define STEPS 8

#define GAP 4 // elements between the lines of a tile

// A Tile is what shared memory holds of an operand. Its rows are padded, so that threads that store along k meet different banks.
template <int SIZE> using Tile = T[STEPS][SIZE + GAP];

INLINE u32 sharedAddress(const T *p) { return (u32)(u64)(const __attribute__((address_space(3))) T *)p; }

// multiplyTiles multiplies tiles until no steps are left. fetch loads the next tile of both operands, of which so many steps are inside, into registers,
// and put stores them to shared memory. A warp computes 32 rows and WARP columns of the block's tile. An End is made of p when the sums are
// there; turned to a column of the block's tile, it puts the sum of each row where it belongs.
template <int ROWS, int COLUMNS, int WARP, class End, class P, class Fetch, class Put> INLINE void multiplyTiles(const P &p, u32 left, Fetch fetch, Put put) {
	const int WARPS = ROWS * COLUMNS / (32 * WARP), SIDES = WARP / 32;
	__shared__ union __attribute__((aligned(16))) {
		struct {
			Tile<ROWS> as[2];
			Tile<COLUMNS> bs[2];
		};
		T ends[WARPS][8][WARP];
	} shared;
	u32 warp = threadIdx.x / 32, lane = threadIdx.x % 32;
	u32 y = warp / (COLUMNS / WARP) * 32, x = warp % (COLUMNS / WARP) * WARP;
	const u32 fromA = sharedAddress(&shared.as[0][0][y + lane / 8 * 4]), fromB = sharedAddress(&shared.bs[0][0][x + lane % 8 * 4]);
	Four sums[8][SIDES];
#pragma unroll
	for (int i = 0; i < 8; i++) {
#pragma unroll
		for (int s = 0; s < SIDES; s++) {
			sums[i][s] = Four(0);
		}
	}
	fetch(left);
	put(shared.as[0], shared.bs[0]);
	__syncthreads();
	u32 side = 0;
#pragma unroll 1
	while (true) {
		bool more = left > STEPS;
		if (more) {
			left -= STEPS;
			fetch(left);
		}
		u32 nowA = fromA + side * sizeof(Tile<ROWS>), nowB = fromB + side * sizeof(Tile<COLUMNS>);
#pragma unroll
		for (int k = 0; k < STEPS; k++) {
			Four rows[2] = {four(nowA + k * sizeof(shared.as[0][0])), four(nowA + k * sizeof(shared.as[0][0]) + 64)};
			Four columns[SIDES];
#pragma unroll
			for (int s = 0; s < SIDES; s++) {
				columns[s] = four(nowB + k * sizeof(shared.bs[0][0]) + s * 128);
			}
#pragma unroll
			for (int i = 0; i < 8; i++) {
#pragma unroll
				for (int s = 0; s < SIDES; s++) {
#pragma unroll
					for (int j = 0; j < 4; j++) {
						sums[i][s][j] = __builtin_fmaf(rows[i / 4][i % 4], columns[s][j], sums[i][s][j]);
					}
				}
			}
		}
		if (!more) {
			break;
		}
		side ^= 1;
		put(shared.as[side], shared.bs[side]);
		__syncthreads();
	}
	__syncthreads();
	End end(p);
	// Eight rows of each warp at a time go through shared memory, so that neighbouring threads store neighbours.
#pragma unroll 1
	for (u32 i = 0; i < 8; i += 2) {
#pragma unroll
		for (int k = 0; k < 8; k += 2) {
			if (k != i) {
				continue;
			}
#pragma unroll
			for (int j = 0; j < 2 * SIDES; j++) {
				*(Four *)&shared.ends[warp][lane / 8 + j % 2 * 4][lane % 8 * 4 + j / 2 * 32] = sums[k + j % 2][j / 2];
			}
		}
		__syncthreads();
#pragma unroll 1
		for (u32 j = 0; j < 8 * SIDES; j++) {
			end.turn(x + lane + j / 8 * 32);
			end.put(y + j % 4 * 4 + i % 4 + j / 4 % 2 + i / 4 * 16, shared.ends[warp][j % 8][lane + j / 8 * 32]);
		}
		__syncthreads();
	}
}
