// The main loop of products of 16-bit elements on tensor cores whose panels pass through registers: the loads of one are on their way while the
// block multiplies the one before. Panels lie as in mma_loop.cuh.
#pragma once

#include "mma_loop.cuh"

// multiplyStaged multiplies panels until no steps are left: fetch loads the next of both operands, of which so many steps are inside, into registers, and
// put stores it to an address of shared memory, b's behind a's. Warps and End are those of multiplyPanels, but each sum is put by itself.
template <int ROWS, int COLUMNS, int HIGH, int WIDE, bool DEEP_A, bool DEEP_B, class End, class P, class Fetch, class Put>
INLINE void multiplyStaged(const P &p, u32 left, Fetch fetch, Put put) {
	const int DOWN = HIGH / 16, ACROSS = WIDE / 8;
	using A = Panel<ROWS, DEEP_A>;
	using B = Panel<COLUMNS, DEEP_B>;
	const u32 STAGE = A::BYTES + B::BYTES;
	u32 warp = threadIdx.x / 32, lane = threadIdx.x % 32, y = warp / (COLUMNS / WIDE) * HIGH, x = warp % (COLUMNS / WIDE) * WIDE;
	FragmentC sums[DOWN][ACROSS] = {};
	u32 shared = dynamicAddress();
	u32 rowA = shared + (DEEP_A ? A::place(y + lane % 16, lane / 16) : A::place(lane / 16 * 8 + lane % 8, y / 8 + lane / 8 % 2));
	u32 rowB = shared + A::BYTES + (DEEP_B ? B::place(x + lane % 8 + lane / 16 * 8, lane / 8 % 2) : B::place(lane % 16, x / 8 + lane / 16));
	fetch(left);
	put(shared);
	__syncthreads();
	u32 used = 0;
#pragma unroll 1
	while (true) {
		bool more = left > STEPS;
		if (more) {
			left -= STEPS;
			fetch(left);
		}
#pragma unroll
		for (int k = 0; k < STEPS / 16; k++) {
			u32 bs[ACROSS / 2][4];
#pragma unroll
			for (int j = 0; j < ACROSS / 2; j++) {
				u32 row = DEEP_B ? (rowB ^ (k * 32)) + j * 16 * B::LINE : (rowB ^ (j * 32)) + k * 16 * B::LINE;
				loadMatrices<!DEEP_B>(bs[j], row + used);
			}
#pragma unroll
			for (int i = 0; i < DOWN; i++) {
				FragmentA a;
				u32 row = DEEP_A ? (rowA ^ (k * 32)) + i * 16 * A::LINE : (rowA ^ (i * 32)) + k * 16 * A::LINE;
				loadMatrices<!DEEP_A>(a.v, row + used);
#pragma unroll
				for (int j = 0; j < ACROSS; j++) {
					multiplyAdd(sums[i][j], a, &bs[j / 2][j % 2 * 2]);
				}
			}
		}
		if (!more) {
			break;
		}
		used ^= STAGE;
		put(shared + used);
		__syncthreads();
	}
	// Sixteen rows of each warp at a time go through shared memory, so that neighbouring threads store neighbours.
	static_assert(WIDE == 32, "a lane puts a column");
	const int PITCH = WIDE + 8;
	__attribute__((address_space(3))) f32 *ends = (__attribute__((address_space(3))) f32 *)dynamic + warp * 16 * PITCH;
	End end(p);
	end.turn(x + lane);
#pragma unroll 1
	for (u32 i = 0; i < DOWN; i++) {
		__syncthreads();
#pragma unroll
		for (int k = 0; k < DOWN; k++) {
			if (k != i) {
				continue;
			}
#pragma unroll
			for (int j = 0; j < ACROSS; j++) {
				auto to = ends + lane / 4 * PITCH + j * 8 + lane % 4 * 2;
				to[0] = sums[k][j].v[0];
				to[1] = sums[k][j].v[1];
				to[8 * PITCH] = sums[k][j].v[2];
				to[8 * PITCH + 1] = sums[k][j].v[3];
			}
		}
		__syncthreads();
#pragma unroll 1
		for (u32 row = 0; row < 16; row++) {
			end.put(y + i * 16 + row, ends[row * PITCH + lane]);
		}
	}
}
