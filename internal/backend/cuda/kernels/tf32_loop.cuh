// The main loop of products of float32 on tensor cores, which take numbers of 11 bits, TF32: operands are rounded to those, sums stay in float32. Tiles
// come as those of async_loop.cuh do.
#pragma once

#define GAP 8 // elements between the lines of a tile

#include "bent.cuh"
#include "element.cuh"
#include "spread.cuh"
#include "stages.cuh"

// A lane's place in fragments: g and c of fragments.cuh, which has the layout of the result. Of a a lane holds rows g and g+8 at steps c and c+4,
// of b the same steps of column g.
INLINE u32 operand(u32 at) {
	f32 v;
	u32 r;
	asm volatile("ld.shared.f32 %0, [%1];" : "=f"(v) : "r"(at) : "memory");
	asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(r) : "f"(v));
	return r;
}

INLINE void multiplyAdd(FragmentC &c, const u32 (&a)[4], const u32 (&b)[2]) {
	asm volatile("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
				 : "+f"(c.v[0]), "+f"(c.v[1]), "+f"(c.v[2]), "+f"(c.v[3])
				 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}

template <int ROWS, int COLUMNS, int HIGH, int WIDE, int STEPS, int STAGES, class End, class P, class Fill>
INLINE void multiplyTiles(const P &p, Fill &fill) {
	const int DOWN = HIGH / 16, ACROSS = WIDE / 8, LINE_A = (ROWS + GAP) * 4, LINE_B = (COLUMNS + GAP) * 4;
	u32 warp = threadIdx.x / 32, lane = threadIdx.x % 32, y = warp / (COLUMNS / WIDE) * HIGH, x = warp % (COLUMNS / WIDE) * WIDE;
	u32 shared = dynamicAddress(), g = lane / 4, c = lane % 4;
	u32 fromA = shared + c * LINE_A + (y + g) * 4, fromB = shared + STEPS * LINE_A + c * LINE_B + (x + g) * 4;
	FragmentC sums[DOWN][ACROSS] = {};
	eachPanel<STAGES>(STEPS * (LINE_A + LINE_B), fill, [&](u32 used) __attribute__((always_inline)) {
#pragma unroll
		for (int k = 0; k < STEPS; k += 8) {
			u32 as[DOWN][4], bs[ACROSS][2];
#pragma unroll
			for (int i = 0; i < DOWN; i++) {
#pragma unroll
				for (int j = 0; j < 4; j++) {
					u32 bent = Fill::OfA::BENT ? bentBy(k + j / 2 * 4) * 4 : 0;
					as[i][j] = operand((fromA + used ^ bent) + (k + j / 2 * 4) * LINE_A + i * 64 + j % 2 * 32);
				}
			}
#pragma unroll
			for (int i = 0; i < ACROSS; i++) {
#pragma unroll
				for (int j = 0; j < 2; j++) {
					u32 bent = Fill::OfB::BENT ? bentBy(k + j * 4) * 4 : 0;
					bs[i][j] = operand((fromB + used ^ bent) + (k + j * 4) * LINE_B + i * 32);
				}
			}
#pragma unroll
			for (int i = 0; i < DOWN; i++) {
#pragma unroll
				for (int j = 0; j < ACROSS; j++) {
					multiplyAdd(sums[i][j], as[i], bs[j]);
				}
			}
		}
	});
	End end(p);
	spread<WIDE>(sums, [&](u32 first, Ends ends) __attribute__((always_inline)) {
#pragma unroll
		for (u32 column = lane; column < WIDE; column += 32) {
			end.turn(x + column);
#pragma unroll 1
			for (u32 row = 0; row < 16; row++) {
				end.put(y + first + row, ends[row * (WIDE + 8) + column]);
			}
		}
	});
}
