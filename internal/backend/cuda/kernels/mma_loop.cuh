// The main loop of products of 16-bit elements on tensor cores, with sums in float32, whatever brings the operands: panels of both come by
// asynchronous copies into a ring of stages in shared memory, STAGES-1 ahead of the one that is multiplied.
#pragma once

#include "element.cuh"
#include "spread.cuh"
#include "stages.cuh"
#include "swizzled.cuh"

#define STEPS 32 // of a panel, along the common axis

// A Panel of an operand is SIZE of its rows or columns and STEPS steps: DEEP ones lie along the common axis, in lines of 64 bytes, others
// across it. The 16-byte chunks of a line change places with the line, so that neither copies nor matrix loads meet a bank twice.
template <int SIZE, bool DEEP> struct Panel {
	static const int BYTES = SIZE * STEPS * 2, LINE = DEEP ? STEPS * 2 : SIZE * 2, CHUNKS = LINE / 16;

	INLINE u32 place(u32 line, u32 chunk) { return line * LINE + (swapped<LINE>(line, chunk) << 4); }

	// Where the lane's rows lie of the matrices of the first fragment, of an operand a from row y on, and of b from column x on.
	INLINE u32 ofA(u32 y) {
		u32 lane = threadIdx.x % 32;
		return DEEP ? place(y + lane % 16, lane / 16) : place(lane / 16 * 8 + lane % 8, y / 8 + lane / 8 % 2);
	}
	INLINE u32 ofB(u32 x) {
		u32 lane = threadIdx.x % 32;
		return DEEP ? place(x + lane % 8 + lane / 16 * 8, lane / 8 % 2) : place(lane % 16, x / 8 + lane / 16);
	}

	// further is where they lie of the fragment 16·i rows or columns and 16·k steps further.
	INLINE u32 further(u32 at, int i, int k) { return DEEP ? (at ^ (k * 32)) + i * 16 * LINE : (at ^ (i * 32)) + k * 16 * LINE; }
};

// multiplyPanels multiplies all panels of a Fill, as eachPanelAhead says, which has b's behind a's. A warp computes HIGH rows and WIDE columns of the block's
// tile. An End is made of p when the sums are there; turned to a column of the tile, it puts the sums of that and the next one, for each row, where they
// belong: of Wholes their bits.
template <int ROWS, int COLUMNS, int HIGH, int WIDE, int STAGES, bool DEEP_A, bool DEEP_B, class End, class Sums = FragmentC, class P, class Fill>
INLINE void multiplyPanels(const P &p, Fill &fill) {
	const int DOWN = HIGH / 16, ACROSS = WIDE / 8;
	using A = Panel<ROWS, DEEP_A>;
	using B = Panel<COLUMNS, DEEP_B>;
	u32 warp = threadIdx.x / 32, lane = threadIdx.x % 32, y = warp / (COLUMNS / WIDE) * HIGH, x = warp % (COLUMNS / WIDE) * WIDE;
	Sums sums[DOWN][ACROSS];
#pragma unroll
	for (int i = 0; i < DOWN; i++) {
#pragma unroll
		for (int j = 0; j < ACROSS; j++) {
			sums[i][j] = {};
		}
	}
	u32 shared = dynamicAddress(), rowA = shared + A::ofA(y), rowB = shared + A::BYTES + B::ofB(x);
	const int ROUNDS = STEPS / 16;
	static_assert(ROUNDS % 2 == 0, "the first fragments of a panel take the place of the last but one");
	FragmentA as[2][DOWN];
	u32 bs[2][ACROSS / 2][4];
	auto fragments = [&](u32 stage, int k) __attribute__((always_inline)) {
#pragma unroll
		for (int i = 0; i < DOWN; i++) {
			loadMatrices<!DEEP_A>(as[k % 2][i].v, A::further(rowA, i, k) + stage);
		}
#pragma unroll
		for (int j = 0; j < ACROSS / 2; j++) {
			loadMatrices<!DEEP_B>(bs[k % 2][j], B::further(rowB, j, k) + stage);
		}
	};
	auto first = [&](u32 stage) __attribute__((always_inline)) { fragments(stage, 0); };
	eachPanelAhead<STAGES>(A::BYTES + B::BYTES, fill, first, [&](u32 stage, auto turn) __attribute__((always_inline)) {
#pragma unroll
		for (int k = 0; k < ROUNDS; k++) {
			if (k + 1 < ROUNDS) {
				fragments(stage, k + 1);
			} else {
				fragments(turn(), 0);
			}
#pragma unroll
			for (int i = 0; i < DOWN; i++) {
#pragma unroll
				for (int n = 0; n < ACROSS; n++) {
					int j = i % 2 ? ACROSS - 1 - n : n; // to and fro, so that a fragment is used again at once
					multiplyAdd(sums[i][j], as[k % 2][i], &bs[k % 2][j / 2][j % 2 * 2]);
				}
			}
		}
	});
	const int PITCH = WIDE + 8, HALVES = WIDE / 2;
	End end(p);
	u32 column = lane % HALVES * 2;
	end.turn(x + column);
	spread<WIDE>(sums, [&](u32 first, Ends ends) __attribute__((always_inline)) {
#pragma unroll 1
		for (u32 row = lane / HALVES; row < 16; row += 32 / HALVES) {
			end.put(y + first + row, ends[row * PITCH + column], ends[row * PITCH + column + 1]);
		}
	});
}
