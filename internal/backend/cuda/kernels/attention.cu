// Attention: softmax(scores)·v with a running maximum and sum, so that scores are never in memory (Dao et al., 2022).
//
// The kernel takes Attention. Grid: blocks of 256 threads, of 64 for float64, walk over batch · heads · tiles of queries · tiles of
// outputs, so that any number of blocks is right. A row's keys are added in order, tile by tile.
// dtypes: f32 f64
#include "attention.cuh"

// across joins the numbers of the threads that have a row.
template <class F> INLINE T across(T v, F join) {
#pragma unroll
	for (u32 mask = EDGE / 2; mask > 0; mask /= 2) {
		v = join(v, fromLane(v, mask));
	}
	return v;
}

// Running is what is known of the thread's rows after some keys: the largest score, the thread's part of the sum, and of the result.
struct Running {
	T most[SIDE], sum[SIDE], out[SIDE][SIDE];
};

// meet replaces the scores of a tile by their exponentials, and scales what was added up before to the same largest score.
INLINE void meet(Running &r, bool some, T (&s)[SIDE][SIDE]) {
#pragma unroll
	for (int i = 0; i < SIDE; i++) {
		T top = -(T)INFINITY;
#pragma unroll
		for (int j = 0; j < SIDE; j++) {
			top = larger(s[i][j], top);
		}
		top = larger(across(top, larger), r.most[i]);
		if (!some) {
			continue;
		}
		T from = top == -(T)INFINITY ? 0 : top, factor = exp(r.most[i] - from);
		r.most[i] = top;
		r.sum[i] *= factor;
#pragma unroll
		for (int j = 0; j < SIDE; j++) {
			s[i][j] = exp(s[i][j] - from);
			r.sum[i] += s[i][j];
			r.out[i][j] *= factor;
		}
	}
}

INLINE void attend(const Attention &p, const Place &at, u64 query, u64 column, Operand<TILE> &a, Operand<TILE> &b, Weights &w) {
	Running r = {};
#pragma unroll
	for (int i = 0; i < SIDE; i++) {
		r.most[i] = -(T)INFINITY;
	}
	u64 q = rowOf(p.q, p.qStrides, at.batch, at.head, 0), k = rowOf(p.k, p.kStrides, at.batch, at.group, 0);
	Span keys = keysOf(p, query);
	bool some = query + at.y < p.queries; // of the thread's rows
#pragma unroll 1
	for (i64 key = keys.from; key < keys.to; key += TILE) {
		T s[SIDE][SIDE];
		products(q, p.qStrides, query, p.queries, k, p.kStrides, (u64)key, p.keys, p.width, at, a, b, s);
		bend(p, some && (u64)key + at.x < p.keys, s);
#pragma unroll
		for (int i = 0; i < SIDE * SIDE; i++) {
			s[i / SIDE][i % SIDE] = score(p, at, query + at.y + i / SIDE, (u64)key + at.x + i % SIDE, s[i / SIDE][i % SIDE]).value;
		}
		meet(r, some, s);
#pragma unroll
		for (int i = 0; i < SIDE; i++) {
			u32 gone = some && p.keep < 1 ? dropped(p, at, query + at.y + i, (u64)key + at.x) : 0;
#pragma unroll
			for (int j = 0; j < SIDE; j++) {
				w[at.x + j][at.y + i] = !some || gone >> j & 1 ? 0 : s[i][j];
			}
		}
		if (column < p.outputs) {
			weigh(w, rowOf(p.v, p.vStrides, at.batch, at.group, (u64)key), p.vStrides, p.keys - (u64)key, column, p.outputs, at, b, r.out);
		}
	}
#pragma unroll
	for (int i = 0; i < SIDE; i++) {
		T sum = across(r.sum[i], plus);
		u64 row = query + at.y + i;
		if (row >= p.queries) {
			continue;
		}
		if (column == 0 && at.x == 0) {
			store<T>(p.logSum, (i64)((at.batch * p.heads + at.head) * p.queries + row), sum == 0 ? (T)INFINITY : r.most[i] + log(sum));
		}
		T factor = sum == 0 || p.keep == 0 ? 0 : 1 / (sum * (T)p.keep);
#pragma unroll
		for (int j = 0; j < SIDE; j++) {
			if (column + at.x + j < p.outputs) {
				store<T>(rowOf(p.out, p.outStrides, at.batch, at.head, row), (i64)(column + at.x + j) * p.outStrides[3], r.out[i][j] * factor);
			}
		}
	}
}

ROW_KERNEL(attention, 256)(const Attention p) {
	__shared__ __attribute__((aligned(16))) Operand<TILE> a, b;
	__shared__ __attribute__((aligned(16))) Weights w;
	u64 down = (p.queries + TILE - 1) / TILE, over = p.outputs == 0 ? 1 : (p.outputs + TILE - 1) / TILE;
	Place at;
	at.y = threadIdx.x / EDGE * SIDE, at.x = threadIdx.x % EDGE * SIDE;
#pragma unroll 1
	for (u64 tile = blockIdx.x; tile < p.batch * p.heads * down * over; tile += gridDim.x) {
		u64 row = tile / over, head = row / down;
		at.batch = head / p.heads, at.head = head % p.heads, at.group = at.head / (p.heads / p.groups);
		attend(p, at, row % down * TILE, tile % over * TILE, a, b, w);
		__syncthreads();
	}
}
