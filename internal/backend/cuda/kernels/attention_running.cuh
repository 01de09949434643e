// The running maximum and sum of attention on tensor cores.
#pragma once

#include "attention_tile.cuh"

// Running is what is known of 16 rows after some keys: of the lane's two, the largest score, its part of the sum, and of the result.
template <int WIDTH> struct Running {
	f32 most[2], sum[2];
	FragmentC out[WIDTH / 8];

	__device__ __attribute__((always_inline)) void begin() {
		*this = {};
		most[0] = most[1] = -(f32)INFINITY;
	}
};

// scaleRows multiplies the lane's two rows of sums by a factor each.
template <int N> INLINE void scaleRows(FragmentC (&sums)[N], const f32 (&factor)[2]) {
#pragma unroll
	for (int i = 0; i < N * 4; i++) {
		sums[i / 4].v[i % 4] *= factor[i % 4 / 2];
	}
}

// meet replaces scores by their exponentials, and scales what was added up before to the same largest score.
template <int WIDTH, int N> INLINE void meet(Running<WIDTH> &r, FragmentC (&s)[N]) {
	f32 factor[2];
#pragma unroll
	for (int h = 0; h < 2; h++) {
		f32 top = r.most[h];
#pragma unroll
		for (int n = 0; n < N; n++) {
			top = larger(top, larger(s[n].v[2 * h], s[n].v[2 * h + 1]));
		}
		top = acrossLine(top, larger);
		f32 from = top == -(f32)INFINITY ? 0 : top;
		factor[h] = exp2(r.most[h] - from);
		r.most[h] = top;
		r.sum[h] *= factor[h];
#pragma unroll
		for (int n = 0; n < N; n++) {
#pragma unroll
			for (int e = 0; e < 2; e++) {
				f32 &v = s[n].v[2 * h + e];
				v = exp2(v - from);
				r.sum[h] += v;
			}
		}
	}
	scaleRows(r.out, factor);
}
