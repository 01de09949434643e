// What the gradients of attention on tensor cores are made of. Scores are computed again, tile by tile, from what was kept of each row: with
// P = e**(score - logSum), that of a score is dS = P·(dout·vᵀ - delta), delta being Σ dout·out of the row.
#pragma once

#include "attention_tile.cuh"

// deltaOf is where log2 e · logSum and delta of a query lie.
INLINE u64 deltaOf(const Attention &p, u64 batch, u64 head, u32 query) { return p.delta + ((batch * p.heads + head) * p.deltaRows + query) * 8; }

// keepDelta writes log2 e · logSum and delta of a warp's 16 queries, of which 8 lanes have one at a time. Beyond the last query weights are 0.
INLINE void keepDelta(const Attention &p, const Head &at, u32 line) {
#pragma unroll
	for (u32 turn = 0; turn < 4; turn++) {
		u32 query = line + turn * 4 + threadIdx.x % 32 / 8;
		bool inside = query < (u32)p.queries;
		u64 out = lineOf(p.out, p.outStrides, at.batch, at.head, query), dout = lineOf(p.dOut, p.dOutStrides, at.batch, at.head, query);
		f32 sum = 0;
#pragma unroll 1
		for (u32 e = threadIdx.x % 8 * 8; inside && e < (u32)p.outputs; e += 64) {
			if (e + 8 <= (u32)p.outputs) {
				Bytes16 a = load<Bytes16>(out + e * 2, 0), b = load<Bytes16>(dout + e * 2, 0);
#pragma unroll
				for (int k = 0; k < 8; k++) {
					sum = fma(widen(E{(u16)(a[k / 2] >> k % 2 * 16)}), widen(E{(u16)(b[k / 2] >> k % 2 * 16)}), sum);
				}
				continue;
			}
#pragma unroll 1
			for (u32 k = e; k < (u32)p.outputs; k++) {
				sum = fma(element(out, k), element(dout, k), sum);
			}
		}
		sum = acrossLine(sum, plus);
		sum += fromLane(sum, 4);
		if (query < (u32)p.deltaRows && threadIdx.x % 8 == 0) {
			f32 logSum = inside ? load<f32>(p.logSum, (i64)((at.batch * p.heads + at.head) * p.queries + query)) : (f32)INFINITY;
			store<f32>(deltaOf(p, at.batch, at.head, query), 0, logSum * (f32)LOG2E);
			store<f32>(deltaOf(p, at.batch, at.head, query), 1, sum);
		}
	}
	asm volatile("bar.warp.sync -1;" : : : "memory");
}

// An Ends is what is known of two neighbouring columns, or of a lane's two lines: log2 e · logSum, and delta.
struct Ends {
	f32 logSum[2], delta[2];
};

// endsOf is what keepDelta has left of the lane's two lines, queries; beyond the last, weights are 0.
INLINE Ends endsOf(const Attention &p, const Head &at, u32 line) {
	Ends e;
#pragma unroll
	for (int h = 0; h < 2; h++) {
		u32 row = line + threadIdx.x % 32 / 4 + h * 8;
		bool inside = row < (u32)p.queries;
		u64 from = deltaOf(p, at.batch, at.head, inside ? row : 0);
		e.logSum[h] = inside ? load<f32>(from, 0) : (f32)INFINITY;
		e.delta[h] = inside ? load<f32>(from, 1) : 0;
	}
	return e;
}

INLINE Ends sharedEnds(u32 at) {
	Ends e;
	asm volatile("ld.shared.v4.f32 {%0, %1, %2, %3}, [%4];" : "=f"(e.logSum[0]), "=f"(e.delta[0]), "=f"(e.logSum[1]), "=f"(e.delta[1]) : "r"(at) : "memory");
	return e;
}

// differentiate makes of scores what dropout leaves of P, and of dout·vᵀ the gradient of the product of query and key, but for the scale; that of the
// score itself, before the soft cap has its slope, where OF_SCORES.
template <bool BY_KEYS, bool OF_SCORES = false, int N>
INLINE void differentiate(const Attention &p, const Head &at, const Window &window, Seen seen, u32 line, u32 column, u32 ends, const Ends &own, FragmentC (&s)[N], FragmentC (&d)[N]) {
	u32 gone = 0;
	f32 over = 1;
	if (p.keep < 1) {
		gone = goneOf<BY_KEYS, N>(p, at, line, column);
		over = p.keep > 0 ? (f32)(1 / p.keep) : 0;
#pragma unroll
		for (int i = 0; i < N * 4; i++) {
			d[i / 4].v[i % 4] = gone >> i & 1 ? 0 : d[i / 4].v[i % 4] * over;
		}
	}
#pragma unroll
	for (int n = 0; n < N; n++) {
		Ends e = BY_KEYS ? sharedEnds(ends + n * 64) : own;
#pragma unroll
		for (int i = 0; i < 4; i++) {
			d[n].v[i] -= e.delta[BY_KEYS ? i % 2 : i / 2];
		}
	}
	bend(p, s, [&](int n, int i, f32 t) __attribute__((always_inline)) { d[n].v[i] *= OF_SCORES ? 1 : 1 - t * t; });
	if (p.mask != 0) {
		addMask<BY_KEYS>(p, at, line, column, s);
	}
	if (seen != ALL) {
		hide<BY_KEYS>(p, window, line, column, s);
	}
#pragma unroll
	for (int n = 0; n < N; n++) {
		Ends e = BY_KEYS ? sharedEnds(ends + n * 64) : own;
#pragma unroll
		for (int i = 0; i < 4; i++) {
			f32 weight = exp2(s[n].v[i] - e.logSum[BY_KEYS ? i % 2 : i / 2]);
			d[n].v[i] = weight == 0 ? 0 : weight * d[n].v[i];
			s[n].v[i] = weight;
		}
	}
	if (p.keep < 1) {
#pragma unroll
		for (int i = 0; i < N * 4; i++) {
			s[i / 4].v[i % 4] = gone >> i & 1 ? 0 : s[i / 4].v[i % 4] * over;
		}
	}
}

// putMaskGradient stores the gradients of a tile's scores, each an element of the mask's own.
template <int N> INLINE void putMaskGradient(const Attention &p, const Head &at, u32 line, u32 column, const FragmentC (&d)[N]) {
	i64 down = p.dMaskStrides[2], along = p.dMaskStrides[3];
	u64 to = p.dMask + (u64)((i64)at.batch * p.dMaskStrides[0] + (i64)at.head * p.dMaskStrides[1]) * 4;
	line += threadIdx.x % 32 / 4, column += threadIdx.x % 4 * 2;
	bool pairs = along == 1 && down % 2 == 0 && to % 8 == 0;
#pragma unroll
	for (int n = 0; n < N; n++) {
#pragma unroll
		for (int h = 0; h < 2; h++) {
			u32 row = line + h * 8, key = column + n * 8;
			i64 place = (i64)row * down + (i64)key * along;
			if (row >= (u32)p.queries) {
				continue;
			}
			if (pairs && key + 1 < (u32)p.keys) {
				store<Bytes8>(to + (u64)place * 4, 0, Bytes8{bits<u32>(d[n].v[2 * h]), bits<u32>(d[n].v[2 * h + 1])});
				continue;
			}
#pragma unroll
			for (int e = 0; e < 2; e++) {
				if (key + e < (u32)p.keys) {
					store<f32>(to, place + e * along, d[n].v[2 * h + e]);
				}
			}
		}
	}
}
