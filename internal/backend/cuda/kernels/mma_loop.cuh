// The main loop of products of 16-bit elements on tensor cores, with sums in float32, whatever brings the operands: panels of both come by
// asynchronous copies into a ring of stages in shared memory, STAGES-1 ahead of the one that is multiplied.
#pragma once

#include "async.cuh"
#include "element.cuh"
#include "fragments.cuh"
#include "swizzled.cuh"

#define STEPS 32 // of a panel, along the common axis

// A Panel of an operand is SIZE of its rows or columns and STEPS steps: DEEP ones lie along the common axis, in lines of 64 bytes, others
// across it. The 16-byte chunks of a line change places with the line, so that neither copies nor matrix loads meet a bank twice.
template <int SIZE, bool DEEP> struct Panel {
	static const int BYTES = SIZE * STEPS * 2, LINE = DEEP ? STEPS * 2 : SIZE * 2, CHUNKS = LINE / 16;

	INLINE u32 place(u32 line, u32 chunk) { return line * LINE + (swapped<LINE>(line, chunk) << 4); }
};

// multiplyPanels multiplies so many panels. fill starts to copy the next panel of both operands, if there is one, to an address of shared memory,
// b's behind a's. A warp computes HIGH rows and WIDE columns of the block's tile. An End is made of p when the sums are there; turned to a
// column of the tile, it puts the sums of that and the next one, for each row, where they belong.
template <int ROWS, int COLUMNS, int HIGH, int WIDE, int STAGES, bool DEEP_A, bool DEEP_B, class End, class P, class Fill>
INLINE void multiplyPanels(const P &p, u32 panels, Fill fill) {
	const int DOWN = HIGH / 16, ACROSS = WIDE / 8;
	using A = Panel<ROWS, DEEP_A>;
	using B = Panel<COLUMNS, DEEP_B>;
	const u32 STAGE = A::BYTES + B::BYTES;
	u32 warp = threadIdx.x / 32, lane = threadIdx.x % 32, y = warp / (COLUMNS / WIDE) * HIGH, x = warp % (COLUMNS / WIDE) * WIDE;
	FragmentC sums[DOWN][ACROSS];
#pragma unroll
	for (int i = 0; i < DOWN; i++) {
#pragma unroll
		for (int j = 0; j < ACROSS; j++) {
			sums[i][j] = {};
		}
	}
	// Where the lane's rows of the matrices lie that it loads.
	u32 shared = dynamicAddress(), rowA, rowB;
	if (DEEP_A) {
		rowA = A::place(y + lane % 16, lane / 16);
	} else {
		rowA = A::place(lane / 16 * 8 + lane % 8, y / 8 + lane / 8 % 2);
	}
	if (DEEP_B) {
		rowB = B::place(x + lane % 8 + lane / 16 * 8, lane / 8 % 2);
	} else {
		rowB = B::place(lane % 16, x / 8 + lane / 16);
	}
	rowA += shared;
	rowB += shared + A::BYTES;
	u32 filled = 0; // where the next panels go
#pragma unroll
	for (int s = 0; s < STAGES - 1; s++) {
		fill(shared + filled);
		commitCopies();
		filled += STAGE;
	}
	u32 used = 0;
#pragma unroll 1
	for (u32 panel = 0; panel < panels; panel++) {
		awaitCopies<STAGES - 2>();
		__syncthreads(); // the panel is there, and the one before is free
		fill(shared + filled);
		commitCopies();
		filled = filled == (STAGES - 1) * STAGE ? 0 : filled + STAGE;
		FragmentA as[2][DOWN];
		u32 bs[2][ACROSS / 2][4];
		auto fragments = [&](int k) __attribute__((always_inline)) {
#pragma unroll
			for (int i = 0; i < DOWN; i++) {
				u32 row = DEEP_A ? (rowA ^ (k * 32)) + i * 16 * A::LINE : (rowA ^ (i * 32)) + k * 16 * A::LINE;
				loadMatrices<!DEEP_A>(as[k % 2][i].v, row + used);
			}
#pragma unroll
			for (int j = 0; j < ACROSS / 2; j++) {
				u32 row = DEEP_B ? (rowB ^ (k * 32)) + j * 16 * B::LINE : (rowB ^ (j * 32)) + k * 16 * B::LINE;
				loadMatrices<!DEEP_B>(bs[k % 2][j], row + used);
			}
		};
		fragments(0);
#pragma unroll
		for (int k = 0; k < STEPS / 16; k++) {
			if (k + 1 < STEPS / 16) {
				fragments(k + 1);
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
		used = used == (STAGES - 1) * STAGE ? 0 : used + STAGE;
	}
	awaitCopies<0>();
	// Sixteen rows of each warp at a time go through shared memory, so that neighbouring threads store neighbours.
	const int PITCH = WIDE + 8, HALVES = WIDE / 2;
	__attribute__((address_space(3))) f32 *ends = (__attribute__((address_space(3))) f32 *)dynamic + warp * 16 * PITCH;
	End end(p);
	u32 column = lane % HALVES * 2;
	end.turn(x + column);
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
		for (u32 row = lane / HALVES; row < 16; row += 32 / HALVES) {
			end.put(y + i * 16 + row, ends[row * PITCH + column], ends[row * PITCH + column + 1]);
		}
	}
}
