// The main loop of products in float32 by fma, whatever brings the operands, without asynchronous copies: tiles of both pass through registers,
// so that the loads of one are on their way while the block multiplies the one before. A tile in shared memory lies across the common
// axis: tile[k][i].
#pragma once

#include "again.cuh"
#include "element.cuh"

// STEPS is how long a tile is along the common axis.
#define STEPS 8

#define GAP 4 // elements between the lines of a tile

// A Tile is what shared memory holds of an operand. Its rows are padded, so that threads that store along k meet different banks.
template <int SIZE> using Tile = T[STEPS][SIZE + GAP];

INLINE u32 sharedAddress(const T *p) { return (u32)(u64)(const __attribute__((address_space(3))) T *)p; }

// putFour stores neighbours at once: one by one, those of a warp would meet in banks.
INLINE void putFour(u32 at, Four v) {
	asm volatile("st.shared.v4.f32 [%0], {%1, %2, %3, %4};" : : "r"(at), "f"(v.x), "f"(v.y), "f"(v.z), "f"(v.w) : "memory");
}

// A Warp is where in the block's tile a thread's warp computes, from row y and column x on.
template <int COLUMNS, int WARP> struct Warp {
	u32 number, lane, y, x;

	INLINE Warp of(u32 thread) {
		u32 number = thread / 32;
		return {number, thread % 32, number / (COLUMNS / WARP) * 32, number % (COLUMNS / WARP) * WARP};
	}
};

// multiplyTiles multiplies tiles until no steps are left. fetch loads the next tile of both operands, of which so many steps are inside, into registers,
// and put stores them to shared memory. A warp computes 32 rows and WARP columns of the block's tile. An End is made of p when the sums are
// there; turned to a column of the block's tile, it puts the sum of each row where it belongs.
template <int ROWS, int COLUMNS, int WARP, class End, class P, class Fetch, class Put> INLINE void multiplyTiles(const P &p, u32 left, Fetch fetch, Put put) {
	const int WARPS = ROWS * COLUMNS / (32 * WARP), SIDES = WARP / 32;
	const bool FEW = SIDES == 2; // registers are left
	__shared__ union __attribute__((aligned(16))) {
		struct {
			Tile<ROWS> as[2];
			Tile<COLUMNS> bs[2];
		};
		T ends[WARPS][8][WARP];
	} shared;
	using W = Warp<COLUMNS, WARP>;
	W at = W::of(threadIdx.x);
	// Where the thread's rows and columns lie, in the low and the high half of one register.
	u32 from = sharedAddress(&shared.as[0][0][at.y + at.lane / 8 * 4]) | sharedAddress(&shared.bs[0][0][at.x + at.lane % 8 * 4]) << 16;
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
		left -= STEPS;
		if (more) {
			fetch(left);
		}
		if constexpr (FEW) {
			asm volatile("" : "+r"(from)); // not to be taken apart ahead of the loop
		}
		u32 nowA = (from & 0xffff) + side * sizeof(Tile<ROWS>), nowB = (from >> 16) + side * sizeof(Tile<COLUMNS>);
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
	at = W::of(thisThread<FEW>());
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
				putFour(sharedAddress(&shared.ends[at.number][at.lane / 8 + j % 2 * 4][at.lane % 8 * 4 + j / 2 * 32]), sums[k + j % 2][j / 2]);
			}
		}
		__syncthreads();
#pragma unroll 1
		for (u32 j = 0; j < 8 * SIDES; j++) {
			end.turn(at.x + at.lane + j / 8 * 32);
			end.put(at.y + j % 4 * 4 + i % 4 + j / 4 % 2 + i / 4 * 16, shared.ends[at.number][j % 8][at.lane + j / 8 * 32]);
		}
		__syncthreads();
	}
}
