// The main loop of products of 16-bit elements on tensor cores whose panels pass through registers: the loads of one are on their way while the
// block multiplies the one before. Panels lie as in mma_loop.cuh.
#pragma once

#include "mma_loop.cuh"

// multiplyStaged multiplies all panels of a Fill, as eachHeld says, which has b's behind a's. Warps and End are those of multiplyPanels, but each sum is put
// by itself.
template <int ROWS, int COLUMNS, int HIGH, int WIDE, bool DEEP_A, bool DEEP_B, class End, class P, class Fill> INLINE void multiplyStaged(const P &p, Fill &fill) {
	const int DOWN = HIGH / 16, ACROSS = WIDE / 8;
	using A = Panel<ROWS, DEEP_A>;
	using B = Panel<COLUMNS, DEEP_B>;
	u32 warp = threadIdx.x / 32, lane = threadIdx.x % 32, y = warp / (COLUMNS / WIDE) * HIGH, x = warp % (COLUMNS / WIDE) * WIDE;
	FragmentC sums[DOWN][ACROSS] = {};
	u32 shared = dynamicAddress(), rowA = shared + A::ofA(y), rowB = shared + A::BYTES + B::ofB(x);
	eachHeld(A::BYTES + B::BYTES, fill, [&](u32 used) __attribute__((always_inline)) {
#pragma unroll
		for (int k = 0; k < STEPS / 16; k++) {
			u32 bs[ACROSS / 2][4];
#pragma unroll
			for (int j = 0; j < ACROSS / 2; j++) {
				loadMatrices<!DEEP_B>(bs[j], B::further(rowB, j, k) + used);
			}
#pragma unroll
			for (int i = 0; i < DOWN; i++) {
				FragmentA a;
				loadMatrices<!DEEP_A>(a.v, A::further(rowA, i, k) + used);
#pragma unroll
				for (int j = 0; j < ACROSS; j++) {
					multiplyAdd(sums[i][j], a, &bs[j / 2][j % 2 * 2]);
				}
			}
		}
	});
	static_assert(WIDE == 32, "a lane puts a column");
	End end(p);
	end.turn(x + lane);
	spread<WIDE>(sums, [&](u32 first, Ends ends) __attribute__((always_inline)) {
#pragma unroll 1
		for (u32 row = 0; row < 16; row++) {
			end.put(y + first + row, ends[row * (WIDE + 8) + lane]);
		}
	});
}
