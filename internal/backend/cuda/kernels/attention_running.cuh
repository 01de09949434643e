// The running maximum and sum of attention on tensor cores: softmax online, over keys that come tile by tile (Milakov and Gimelshein, 2018).
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

// raise replaces by·s, the scores, by 2 to the power of each less the largest so far, and adds these up. factor tells by what the result of the keys before, which has
// the largest score until then, is to be multiplied.
template <int WIDTH, int N> INLINE void raise(Running<WIDTH> &r, FragmentC (&s)[N], f32 by, f32 (&factor)[2]) {
#pragma unroll
	for (int h = 0; h < 2; h++) {
		f32 top = -(f32)INFINITY;
#pragma unroll
		for (int n = 0; n < N; n++) {
			top = larger(top, larger(s[n].v[2 * h], s[n].v[2 * h + 1]));
		}
		top = larger(r.most[h], acrossLine(top, larger) * by);
		f32 from = top == -(f32)INFINITY ? 0 : top;
		factor[h] = exp2(r.most[h] - from);
		r.most[h] = top;
		r.sum[h] *= factor[h];
#pragma unroll
		for (int n = 0; n < N; n++) {
#pragma unroll
			for (int e = 0; e < 2; e++) {
				f32 &v = s[n].v[2 * h + e];
				v = exp2(fma(v, by, -from));
				r.sum[h] += v;
			}
		}
	}
}

// meet replaces scores by their exponentials, and scales what was added up before to the same largest score.
template <int WIDTH, int N> INLINE void meet(Running<WIDTH> &r, FragmentC (&s)[N]) {
	f32 factor[2];
	raise(r, s, 1, factor);
	scaleRows(r.out, factor);
}

// close divides the result by the sum of its row, and keeps the logarithm of that.
template <int WIDTH> INLINE void close(const Attention &p, const Head &at, u32 line, Running<WIDTH> &r) {
	f32 factor[2];
#pragma unroll
	for (int h = 0; h < 2; h++) {
		u32 row = line + threadIdx.x % 32 / 4 + h * 8;
		f32 sum = acrossLine(r.sum[h], plus);
		factor[h] = sum == 0 || p.keep == 0 ? 0 : 1 / (sum * (f32)p.keep);
		if (threadIdx.x % 4 == 0 && row < (u32)p.queries) {
			store<f32>(p.logSum, (i64)((at.batch * p.heads + at.head) * p.queries + row), sum == 0 ? (f32)INFINITY : (r.most[h] + log2(sum)) * (f32)LN2);
		}
	}
	scaleRows(r.out, factor);
}
