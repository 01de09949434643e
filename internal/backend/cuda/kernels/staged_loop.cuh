// The main loop of products of 16-bit elements on tensor cores whose panels pass through registers: the loads of one are on their way while the
// block multiplies the one before. Panels lie as in mma_loop.cuh.
#pragma once

#include "job.cuh"
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
	u32 rowA = shared + A::ofA(y), rowB = shared + A::BYTES + B::ofB(x);
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
		if (!more) {
			break;
		}
		used ^= STAGE;
		put(shared + used);
		__syncthreads();
	}
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

// multiplyHeld is a product whose operands A and B hold a panel in registers.
template <int ROWS, int COLUMNS, int HIGH, int WIDE, class A, class B, bool DEEP_A, bool DEEP_B> INLINE void multiplyHeld(const Product &p) {
	Job<ROWS, COLUMNS> job(p);
	A a(job.a, p.aStrides[1], p.aStrides[2], job.at.m, (u32)p.m, job.begin);
	B b(job.b, p.bStrides[2], p.bStrides[1], job.at.n, (u32)p.n, job.begin);
	auto fetch = [&](u32 left) __attribute__((always_inline)) {
		A::fetch(a, left, p.aStrides[1], p.aStrides[2]);
		B::fetch(b, left, p.bStrides[2], p.bStrides[1]);
	};
	auto put = [&](u32 stage) __attribute__((always_inline)) {
		A::put(a, stage);
		B::put(b, stage + A::BYTES);
	};
	multiplyStaged<ROWS, COLUMNS, HIGH, WIDE, DEEP_A, DEEP_B, End<ROWS, COLUMNS>>(p, job.left, fetch, put);
}
