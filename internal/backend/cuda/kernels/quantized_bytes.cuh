// Products of rows of int8 with a weight of int8, whose sums are exact: the CPU's results.
//
// Every kernel takes Quantized: x [m, line] and steps. A lane multiplies 16 neighbours of 4 rows of the weight, and up to 4 warps all of them, as in
// product_quantized_thin.cu, which tells the grid.
#pragma once

#include "quantized.cuh"

// addBytes goes through the common axis, by add(a, b, sum) of words of four bytes. Rows of the weight are aligned for 16 bytes, unless they are LOOSE.
template <bool LOOSE, int HIGH, int ROWS, class Add> INLINE void addBytes(const Quantized &p, u32 m, u32 n, i32 (&sums)[HIGH][ROWS], Add add) {
	u32 k = (u32)p.k;
#pragma unroll 1
	for (u32 at = threadIdx.x * 16; at < k; at += blockDim.x * 16) {
		uint4 ws[HIGH], xs[ROWS];
#pragma unroll
		for (int h = 0; h < HIGH; h++) {
			u64 from = p.w + (u64)min(n + h, (u32)p.n - 1) * k + at;
			if constexpr (LOOSE) {
				ws[h] = words(from, k - at);
			} else {
				ws[h] = load<uint4>(from, 0);
			}
		}
#pragma unroll
		for (int r = 0; r < ROWS; r++) {
			xs[r] = load<uint4>(p.x + (u64)min(m + r, (u32)p.m - 1) * p.line + at, 0);
		}
#pragma unroll
		for (int i = 0; i < 4; i++) {
#pragma unroll
			for (int h = 0; h < HIGH; h++) {
#pragma unroll
				for (int r = 0; r < ROWS; r++) {
					sums[h][r] = add(ws[h][i], xs[r][i], sums[h][r]);
				}
			}
		}
	}
}

template <int ROWS, class Add> INLINE void bytesOf(const Quantized &p, Add add) {
	const int HIGH = 4;
	u32 wide = ((u32)p.m + ROWS - 1) / ROWS, m = blockIdx.x % wide * ROWS, n = blockIdx.x / wide * HIGH;
	i32 sums[HIGH][ROWS] = {};
	if (p.k % 16 == 0) {
		addBytes<false>(p, m, n, sums, add);
	} else {
		addBytes<true>(p, m, n, sums, add);
	}
	i64 whole64[HIGH][ROWS];
#pragma unroll
	for (int h = 0; h < HIGH; h++) {
#pragma unroll
		for (int r = 0; r < ROWS; r++) {
			whole64[h][r] = sums[h][r];
		}
	}
	reduceBlock(whole64, [&](u32 h, u32 r, i64 sum) __attribute__((always_inline)) {
		if (n + h < p.n && m + r < p.m) {
			storeResult(p, m + r, n + h, counted(p, m + r, n + h, sum));
		}
	});
}
