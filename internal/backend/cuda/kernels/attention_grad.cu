// The gradients of attention. Scores are computed again, tile by tile, from what was kept of each row, logSum: with
// P = e**(score - logSum), that of a score is dS = P·(dout·vᵀ - delta), delta being Σ dout·out of the row.
//
// Every kernel takes Attention, and has blocks of 256 threads, of 64 for float64, that walk over tiles, so that any number of blocks is right.
// attention_queries: tiles of queries of batch · heads, and of columns of dq; it comes first, since it leaves delta to the others. attention_keys: tiles of
// keys of batch · groups, and tiles of columns of dk and dv. attention_mask: tiles of dmask. Each sum is one block's, in the order of tiles.
// dtypes: f32 f64
#include "attention.cuh"
#include "sums.cuh"

// Gradients are a tile's: what dropout leaves of P, dS, and dS for the product of query and key.
struct Gradients {
	T left[SIDE][SIDE], score[SIDE][SIDE], product[SIDE][SIDE];
};

INLINE void gradients(const Attention &p, const Place &at, u64 query, u64 key, Operand<TILE> &a, Operand<TILE> &b, Gradients &g) {
	T s[SIDE][SIDE], dp[SIDE][SIDE];
	products(rowOf(p.q, p.qStrides, at.batch, at.head, 0), p.qStrides, query, p.queries,
	         rowOf(p.k, p.kStrides, at.batch, at.group, 0), p.kStrides, key, p.keys, p.width, at, a, b, s);
	products(rowOf(p.dOut, p.dOutStrides, at.batch, at.head, 0), p.dOutStrides, query, p.queries,
	         rowOf(p.v, p.vStrides, at.batch, at.group, 0), p.vStrides, key, p.keys, p.outputs, at, a, b, dp);
	bool any = query + at.y < p.queries && key + at.x < p.keys;
	g = {};
	bend(p, any, s);
	if (!any) {
		return;
	}
	T over = p.keep > 0 ? 1 / (T)p.keep : 0;
#pragma unroll
	for (int i = 0; i < SIDE; i++) {
		u64 row = query + at.y + i, index = (at.batch * p.heads + at.head) * p.queries + row;
		bool inside = row < p.queries;
		T logSum = inside ? load<T>(p.logSum, (i64)index) : 0, delta = inside ? load<T>(p.delta, (i64)index) : 0;
		u32 gone = p.keep < 1 ? dropped(p, at, row, key + at.x) : 0;
#pragma unroll
		for (int j = 0; j < SIDE; j++) {
			Score of = score(p, at, row, key + at.x + j, s[i][j]);
			T weight = inside && key + at.x + j < p.keys ? exp(of.value - logSum) : 0;
			bool left = !(gone >> j & 1);
			g.score[i][j] = weight == 0 ? 0 : weight * ((left ? dp[i][j] * over : 0) - delta);
			g.left[i][j] = left ? weight * over : 0;
			g.product[i][j] = g.score[i][j] * of.slope * (T)p.scale;
		}
	}
}

// keep writes a tile to shared memory, by keys or, transposed, by queries.
template <bool BY_KEYS> INLINE void keep(Weights &w, const Place &at, const T (&tile)[SIDE][SIDE]) {
#pragma unroll
	for (int i = 0; i < SIDE; i++) {
#pragma unroll
		for (int j = 0; j < SIDE; j++) {
			(BY_KEYS ? w[at.x + j][at.y + i] : w[at.y + i][at.x + j]) = tile[i][j];
		}
	}
}

// put writes the thread's part of a tile of rows and columns.
INLINE void put(u64 to, const i64 (&strides)[4], u64 rows, u64 columns, u64 column, const Place &at, const T (&tile)[SIDE][SIDE]) {
#pragma unroll
	for (int i = 0; i < SIDE; i++) {
#pragma unroll
		for (int j = 0; j < SIDE; j++) {
			if (at.y + i < rows && column + at.x + j < columns) {
				store<T>(to, (i64)(at.y + i) * strides[2] + (i64)(column + at.x + j) * strides[3], tile[i][j]);
			}
		}
	}
}

INLINE u64 tilesOf(u64 n) { return n == 0 ? 1 : (n + TILE - 1) / TILE; }

INLINE Place threadsPlace() {
	Place at;
	at.y = threadIdx.x / EDGE * SIDE, at.x = threadIdx.x % EDGE * SIDE;
	return at;
}

INLINE void keysGradient(const Attention &p, Place &at, u64 key, u64 column, Operand<TILE> &a, Operand<TILE> &b, Weights &w) {
	T dk[SIDE][SIDE] = {}, dv[SIDE][SIDE] = {};
	u64 shared = p.heads / p.groups;
	Span rows = queriesOf(p, key);
#pragma unroll 1
	for (at.head = at.group * shared; at.head < (at.group + 1) * shared; at.head++) {
#pragma unroll 1
		for (i64 query = rows.from; query < rows.to; query += TILE) {
			Gradients g;
			gradients(p, at, (u64)query, key, a, b, g);
			u64 left = p.queries - (u64)query;
			if (column < p.outputs) {
				keep<false>(w, at, g.left);
				weigh(w, rowOf(p.dOut, p.dOutStrides, at.batch, at.head, (u64)query), p.dOutStrides, left, column, p.outputs, at, b, dv);
			}
			if (column < p.width) {
				__syncthreads();
				keep<false>(w, at, g.product);
				weigh(w, rowOf(p.q, p.qStrides, at.batch, at.head, (u64)query), p.qStrides, left, column, p.width, at, b, dk);
			}
		}
	}
	put(rowOf(p.dK, p.dKStrides, at.batch, at.group, key), p.dKStrides, p.keys - key, p.width, column, at, dk);
	put(rowOf(p.dV, p.dVStrides, at.batch, at.group, key), p.dVStrides, p.keys - key, p.outputs, column, at, dv);
}

ROW_KERNEL(attention_keys, 256)(const Attention p) {
	__shared__ __attribute__((aligned(16))) Operand<TILE> a, b;
	__shared__ __attribute__((aligned(16))) Weights w;
	u64 down = (p.keys + TILE - 1) / TILE, over = tilesOf(p.width > p.outputs ? p.width : p.outputs);
	Place at = threadsPlace();
#pragma unroll 1
	for (u64 tile = blockIdx.x; tile < p.batch * p.groups * down * over; tile += gridDim.x) {
		u64 row = tile / over, head = row / down;
		at.batch = head / p.groups, at.group = head % p.groups;
		keysGradient(p, at, row % down * TILE, tile % over * TILE, a, b, w);
		__syncthreads();
	}
}

// keepDelta writes delta of a tile's queries, a row of each thread. Blocks that have other columns of the same rows write the same.
INLINE void keepDelta(const Attention &p, const Place &at, u64 query) {
	u64 row = query + threadIdx.x;
	if (threadIdx.x < TILE && row < p.queries) {
		u64 out = rowOf(p.out, p.outStrides, at.batch, at.head, row), dout = rowOf(p.dOut, p.dOutStrides, at.batch, at.head, row);
		f64 sum = added<T>([&](auto &own) __attribute__((always_inline)) {
#pragma unroll 4
			for (u64 e = 0; e < p.outputs; e++) {
				T a[1] = {load<T>(out, (i64)e * p.outStrides[3])}, b[1] = {load<T>(dout, (i64)e * p.dOutStrides[3])};
				own.takeProducts(a, b);
			}
		});
		store<T>(p.delta, (i64)((at.batch * p.heads + at.head) * p.queries + row), (T)sum);
	}
	__syncthreads();
}

ROW_KERNEL(attention_queries, 256)(const Attention p) {
	__shared__ __attribute__((aligned(16))) Operand<TILE> a, b;
	__shared__ __attribute__((aligned(16))) Weights w;
	u64 down = (p.queries + TILE - 1) / TILE, over = tilesOf(p.width);
	Place at = threadsPlace();
#pragma unroll 1
	for (u64 tile = blockIdx.x; tile < p.batch * p.heads * down * over; tile += gridDim.x) {
		u64 row = tile / over, head = row / down, query = row % down * TILE, column = tile % over * TILE;
		at.batch = head / p.heads, at.head = head % p.heads, at.group = at.head / (p.heads / p.groups);
		keepDelta(p, at, query);
		T dq[SIDE][SIDE] = {};
		Span keys = keysOf(p, query);
#pragma unroll 1
		for (i64 key = keys.from; key < keys.to && column < p.width; key += TILE) {
			Gradients g;
			gradients(p, at, query, (u64)key, a, b, g);
			keep<true>(w, at, g.product);
			weigh(w, rowOf(p.k, p.kStrides, at.batch, at.group, (u64)key), p.kStrides, p.keys - (u64)key, column, p.width, at, b, dq);
		}
		put(rowOf(p.dQ, p.dQStrides, at.batch, at.head, query), p.dQStrides, p.queries - query, p.width, column, at, dq);
		__syncthreads();
	}
}

// maskGradient adds up dS over all that share a part of the mask: heads, and tiles of queries or keys, along axes of stride 0.
INLINE void maskGradient(const Attention &p, Place &at, u64 query, u64 key, Operand<TILE> &a, Operand<TILE> &b, Weights &w) {
	const i64 (&s)[4] = p.dMaskStrides;
	u64 firstBatch = at.batch, firstHead = at.head;
	T sums[SIDE][SIDE] = {};
#pragma unroll 1
	for (; at.batch < (s[0] == 0 ? p.batch : firstBatch + 1); at.batch++) {
#pragma unroll 1
		for (at.head = firstHead; at.head < (s[1] == 0 ? p.heads : firstHead + 1); at.head++) {
			at.group = at.head / (p.heads / p.groups);
#pragma unroll 1
			for (u64 q = query; q < (s[2] == 0 ? p.queries : query + 1); q += TILE) {
#pragma unroll 1
				for (u64 k = key; k < (s[3] == 0 ? p.keys : key + 1); k += TILE) {
					Gradients g;
					gradients(p, at, q, k, a, b, g);
#pragma unroll
					for (int i = 0; i < SIDE * SIDE; i++) {
						sums[i / SIDE][i % SIDE] += g.score[i / SIDE][i % SIDE];
					}
				}
			}
		}
	}
	keep<false>(w, at, sums);
	__syncthreads();
	u64 rows = s[2] == 0 ? TILE : 1, columns = s[3] == 0 ? TILE : 1; // that are one element of the mask
	u64 to = p.dMask + (u64)((i64)firstBatch * s[0] + (i64)firstHead * s[1]) * sizeof(T);
#pragma unroll 1
	for (u64 i = threadIdx.x; i < TILE * TILE; i += ATTENTION_THREADS) {
		u64 y = i / TILE, x = i % TILE;
		if (y % rows != 0 || x % columns != 0 || query + y >= p.queries || key + x >= p.keys) {
			continue;
		}
		T sum = 0;
#pragma unroll 1
		for (u64 j = 0; j < rows * columns; j++) {
			sum += w[y + j / columns][x + j % columns];
		}
		store<T>(to, (i64)(query + y) * s[2] + (i64)(key + x) * s[3], sum);
	}
}

ROW_KERNEL(attention_mask, 256)(const Attention p) {
	__shared__ __attribute__((aligned(16))) Operand<TILE> a, b;
	__shared__ __attribute__((aligned(16))) Weights w;
	u64 batches = p.dMaskStrides[0] == 0 ? 1 : p.batch, heads = p.dMaskStrides[1] == 0 ? 1 : p.heads;
	u64 down = p.dMaskStrides[2] == 0 ? 1 : (p.queries + TILE - 1) / TILE, over = p.dMaskStrides[3] == 0 ? 1 : (p.keys + TILE - 1) / TILE;
	Place at = threadsPlace();
#pragma unroll 1
	for (u64 tile = blockIdx.x; tile < batches * heads * down * over; tile += gridDim.x) {
		u64 row = tile / over, head = row / down;
		at.batch = head / heads, at.head = head % heads;
		maskGradient(p, at, row % down * TILE, tile % over * TILE, a, b, w);
		__syncthreads();
	}
}
