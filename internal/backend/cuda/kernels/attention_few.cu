// Attention of few queries over many keys, as generation has it: the keys are cut into parts, which attention_join joins in order.
//
// The kernel takes Attention. Grid: a block of 256 threads for each part of the keys of each ROWS rows, of all queries and heads of a group, which read the
// same keys: parts · ⌈rows/ROWS⌉ · batch · groups of them.
// dtypes: f32 f64
#include "again.cuh"
#include "attention.cuh"
#include "attention_place.cuh"

#define ROWS 4
#define KEYS 32   // of a turn
#define WARPS 8   // of a block
#define CHUNK 128 // that its warp takes at once
#define MANY 4    // lines in flight for a warp
#define CHUNKS (MOST_WIDTH / CHUNK)

// lineOf loads the SIDE neighbours that a lane takes of a row of an operand: zeros beyond its end.
INLINE Four lineOf(u64 row, i64 step, u64 width, u32 chunk) {
	u32 first = chunk * CHUNK + threadIdx.x % 32 * SIDE;
	u64 at = row + first * sizeof(T);
	if (step == 1 && first + SIDE <= width && at % sizeof(Four) == 0) {
		return load<Four>(at, 0);
	}
	Four v;
#pragma unroll
	for (int e = 0; e < SIDE; e++) {
		v[e] = first + e < width ? load<T>(row, (i64)(first + e) * step) : (T)0;
	}
	return v;
}

template <class F> INLINE T acrossWarp(T v, F join) {
#pragma unroll
	for (u32 mask = 16; mask > 0; mask /= 2) {
		v = join(v, fromLane(v, mask));
	}
	return v;
}

// A Row is a query of a head.
struct Row {
	u32 head, query;
	u64 number; // among all of the result
	bool there;
};

INLINE Row rowAt(const Attention &p, u64 batch, u64 group, u64 k) {
	u64 shared = p.heads / p.groups;
	u32 head = (u32)(group * shared + k / p.queries), query = (u32)(k % p.queries);
	return {head, query, (batch * p.heads + head) * p.queries + query, k < shared * p.queries};
}

// A Share is the part of the keys of a block, and the first of its rows.
struct Share {
	u64 part, batch, group, first;
};

INLINE Share shareOf(const Attention &p, u32 block) {
	u64 tiles = (p.heads / p.groups * p.queries + ROWS - 1) / ROWS, tile = block / p.parts, owner = tile / tiles, batch = owner / p.groups;
	return {block - tile * p.parts, batch, owner - batch * p.groups, (tile - owner * tiles) * ROWS};
}

// A Shared is what the threads of a block share.
struct Shared {
	alignas(16) T q[ROWS][MOST_WIDTH], weights[ROWS][KEYS], factor[ROWS], sums[ROWS][MOST_WIDTH];
};

// eachLines calls body with MANY lines of a chunk at a time, of those of a turn that are the warp's, and the number of the first; the others are
// WARPS apart. Lines beyond the end are zeros.
template <class Body> INLINE void eachLines(u64 rows, const i64 (&strides)[4], u64 width, u32 chunk, u64 left, Body body) {
#pragma unroll 1
	for (u32 k = threadIdx.x / 32; k < KEYS && k < left; k += MANY * WARPS) {
		Four v[MANY];
#pragma unroll
		for (int m = 0; m < MANY; m++) {
			u32 line = k + m * WARPS;
			v[m] = line < left ? lineOf(rows + (u64)((i64)line * strides[2]) * sizeof(T), strides[3], width, chunk) : (Four)0;
		}
		body(k, v);
	}
}

// multiplyKeys leaves the products of the rows with the keys of a turn, of which there are so many left.
INLINE void multiplyKeys(const Attention &p, const Place &at, u64 first, u64 left, Shared &s) {
	u64 keys = rowOf(p.k, p.kStrides, at.batch, at.group, first);
#pragma unroll 1
	for (u32 c = 0; c * CHUNK < p.width; c++) {
		eachLines(keys, p.kStrides, p.width, c, left, [&](u32 k, const Four (&v)[MANY]) {
#pragma unroll
			for (int r = 0; r < ROWS; r++) {
				Four q = four(&s.q[r][c * CHUNK + threadIdx.x % 32 * SIDE]);
#pragma unroll
				for (int m = 0; m < MANY; m++) {
					T sum = 0;
#pragma unroll
					for (int e = 0; e < SIDE; e++) {
						sum = fma(q[e], v[m][e], sum);
					}
					sum = acrossWarp(sum, plus);
					if (threadIdx.x % 32 == 0) {
						s.weights[r][k + m * WARPS] = c == 0 ? sum : s.weights[r][k + m * WARPS] + sum;
					}
				}
			}
		});
	}
	__syncthreads();
}

// weighKeys replaces the products of the warp's row by their exponentials, and says by what those before are to be multiplied.
INLINE void weighKeys(const Attention &p, i64 place, Place &at, const Row &row, u32 r, u64 first, u64 end, T &most, T &sum, Shared &s) {
	T own[KEYS / 32], top = -(T)INFINITY;
	at.head = row.head;
#pragma unroll
	for (int i = 0; i < KEYS / 32; i++) {
		u32 k = threadIdx.x % 32 + i * 32;
		own[i] = -(T)INFINITY;
		if (first + k < end) {
			T bent = s.weights[r][k] * (T)p.scale;
			bent = p.softCap > 0 ? tanh(bent / (T)p.softCap) : bent;
			own[i] = score(p, place, at, row.query, first + k, bent).value;
		}
		top = larger(own[i], top);
	}
	top = larger(acrossWarp(top, larger), most);
	T from = top == -(T)INFINITY ? 0 : top, factor = exp(most - from), part = 0;
#pragma unroll
	for (int i = 0; i < KEYS / 32; i++) {
		u64 k = first + threadIdx.x % 32 + i * 32;
		T weight = exp(own[i] - from);
		part += weight;
		bool gone = p.keep < 1 && dropped(p, at, row.query, k / 4 * 4) >> k % 4 & 1;
		s.weights[r][threadIdx.x % 32 + i * 32] = gone ? 0 : weight;
	}
	sum = sum * factor + acrossWarp(part, plus);
	most = top;
	if (threadIdx.x % 32 == 0) {
		s.factor[r] = factor;
	}
}

KERNEL_OF(JOIN(attention_few, DTYPE), 256, sizeof(T) == 4 ? 2 : 1)(const Attention p) {
	__shared__ Shared s;
	Share share = shareOf(p, blockIdx.x);
	Place at = {};
	at.batch = share.batch, at.group = share.group;
#pragma unroll 1
	for (u32 i = threadIdx.x; i < ROWS * MOST_WIDTH; i += blockDim.x) {
		u32 r = i / MOST_WIDTH, c = i % MOST_WIDTH;
		Row row = rowAt(p, at.batch, at.group, share.first + r);
		bool inside = row.there && c < p.width;
		s.q[r][c] = inside ? load<T>(rowOf(p.q, p.qStrides, at.batch, row.head, row.query), (i64)c * p.qStrides[3]) : (T)0;
		s.sums[r][c] = 0;
	}
	__syncthreads();
	u32 warp = threadIdx.x / 32;
	Row own = rowAt(p, at.batch, at.group, share.first + warp);
	T most = -(T)INFINITY, sum = 0, out[ROWS][CHUNKS][SIDE] = {};
	// Keys that some query sees.
	i64 place = firstOf(p, at.batch), from = p.window > 0 ? place - p.window + 1 : 0, last = place + (i64)p.queries;
	i64 to = p.causal ? last : p.window > 0 ? last - 1 + p.window : (i64)p.keys;
	u64 begin = share.part * p.part, end = begin + p.part < p.keys ? begin + p.part : p.keys;
	begin = from > (i64)begin ? (u64)from / KEYS * KEYS : begin;
	end = to < (i64)end ? (u64)(to < 0 ? 0 : to) : end;
#pragma unroll 1
	for (u64 key = begin; key < end; key += KEYS) {
		multiplyKeys(p, at, key, end - key, s);
		if (warp < ROWS && own.there) {
			weighKeys(p, place, at, own, warp, key, end, most, sum, s);
		}
		__syncthreads();
#pragma unroll
		for (int r = 0; r < ROWS; r++) {
			T factor = s.factor[r];
#pragma unroll
			for (int i = 0; i < CHUNKS * SIDE; i++) {
				out[r][i / SIDE][i % SIDE] *= factor;
			}
		}
		u64 values = rowOf(p.v, p.vStrides, at.batch, at.group, key);
#pragma unroll
		for (u32 c = 0; c < CHUNKS; c++) {
			if (c * CHUNK >= p.outputs) {
				break;
			}
			eachLines(values, p.vStrides, p.outputs, c, end - key, [&](u32 k, const Four (&v)[MANY]) {
#pragma unroll
				for (int r = 0; r < ROWS; r++) {
#pragma unroll
					for (int m = 0; m < MANY; m++) {
						T weight = s.weights[r][k + m * WARPS];
#pragma unroll
						for (int e = 0; e < SIDE; e++) {
							out[r][c][e] = fma(weight, v[m][e], out[r][c][e]);
						}
					}
				}
			});
		}
		__syncthreads();
	}
#pragma unroll 1
	for (u32 w = 0; w < WARPS; w++) { // in order
		if (w == warp) {
#pragma unroll
			for (int i = 0; i < ROWS * CHUNKS * SIDE; i++) {
				int r = i / (CHUNKS * SIDE), c = i / SIDE % CHUNKS, e = i % SIDE;
				s.sums[r][c * CHUNK + threadIdx.x % 32 * SIDE + e] += out[r][c][e];
			}
		}
		__syncthreads();
	}
	share = shareOf(p, thisBlock());
	u64 wide = p.outputs + 2, all = p.batch * p.heads * p.queries;
#pragma unroll 1
	for (u32 r = 0; r < ROWS; r++) {
		Row row = rowAt(p, share.batch, share.group, share.first + r);
		u64 to = p.partial + (share.part * all + row.number) * wide * sizeof(T);
		for (u32 c = threadIdx.x; row.there && c < p.outputs; c += blockDim.x) {
			store<T>(to, c, s.sums[r][c]);
		}
		if (row.there && warp == r && threadIdx.x % 32 == 0) {
			store<T>(to, (i64)p.outputs, most);
			store<T>(to, (i64)p.outputs + 1, sum);
		}
	}
}
