// Attention of few queries over many keys on tensor cores, for 16-bit elements: all queries and heads of a group, which read the same keys, are rows of one
// tile. The keys are cut into parts, which attention_join joins in order.
//
// Every kernel takes Attention and is named for the width that rows have at most: attention_few_mma_64. Grid: a block for each part of the keys of each 16 rows:
// parts · ⌈rows/16⌉ · batch · groups of them. A warp takes 16 keys at a time, as many behind each other as the block has warps, with those that follow on their way;
// what its warps come to a block adds in order. k and v are aligned for 16 bytes along rows. Shared memory: the rows of queries, and STAGES of 16 keys and values for each warp.
// dtypes: bf16 f16
// target: sm_80 ptx74
#include "attention_place.cuh"
#include "attention_running.cuh"

#define KEYS 16 // of a warp at a time

// A Row is a query of a head.
struct Row {
	u32 head, query, number; // number is among all of the result
	bool there;
};

INLINE Row rowAt(const Attention &p, u64 batch, u64 group, u32 k) {
	u32 shared = (u32)(p.heads / p.groups), head = (u32)group * shared + k / (u32)p.queries, query = k % (u32)p.queries;
	return {head, query, ((u32)batch * (u32)p.heads + head) * (u32)p.queries + query, k < shared * (u32)p.queries};
}

// limit makes -∞ of the scores of keys of a row that it does not see, or from end on, and adds a mask to the others; half is the row's among the lane's two.
INLINE void limit(const Attention &p, i64 place, u64 batch, const Window &window, const Row &row, u32 half, u32 key, u32 end, FragmentC (&s)[KEYS / 8]) {
	i32 from = away(place, row.query, key);
	i64 m = (i64)batch * p.maskStrides[0] + (i64)row.head * p.maskStrides[1] + (i64)row.query * p.maskStrides[2];
#pragma unroll
	for (int i = 0; i < KEYS / 4; i++) {
		f32 &v = s[i / 2].v[i % 2 + half * 2];
		i32 by = i / 2 * 8 + threadIdx.x % 4 * 2 + i % 2, at = from - by;
		if (key + by >= end || at < window.least || at > window.most || !row.there) {
			v = -(f32)INFINITY;
		} else if (p.mask != 0 && !p.bools) {
			v = fma(load<f32>(p.mask, m + (i64)(key + by) * p.maskStrides[3]), (f32)LOG2E, v);
		} else if (p.mask != 0 && load<u8>(p.mask, m + (i64)(key + by) * p.maskStrides[3]) == 0) {
			v = -(f32)INFINITY;
		}
	}
}

// drop makes zeros of the weights of a row that dropout leaves out.
INLINE void drop(const Attention &p, const Row &row, u32 half, u32 key, FragmentC (&s)[KEYS / 8]) {
	u64 limit = (u64)(p.keep * 0x1p32);
#pragma unroll
	for (int n = 0; n < KEYS / 8; n++) {
		u32 c = threadIdx.x % 4;
		Words w = philox(load<u64>(p.seed, 0), (key + n * 8 + c * 2) / 4, row.number);
		s[n].v[half * 2] = (c % 2 == 0 ? w.x : w.z) >= limit ? 0 : s[n].v[half * 2];
		s[n].v[half * 2 + 1] = (c % 2 == 0 ? w.y : w.w) >= limit ? 0 : s[n].v[half * 2 + 1];
	}
}

// A Part is the keys that a block takes.
struct Part {
	u32 from, to;
};

INLINE Part partOf(const Attention &p, i64 place, const Window &window, u32 part) {
	i64 from = place - window.most, to = place + (i64)p.queries - window.least; // of keys that some query sees
	i64 begin = (i64)part * (i64)p.part, end = begin + (i64)p.part;
	end = end < (i64)p.keys ? end : (i64)p.keys;
	begin = from > begin ? from / KEYS * KEYS : begin;
	end = to < end ? to : end;
	return {(u32)begin, end < begin ? (u32)begin : (u32)end};
}

// Joined is what the warps of a block have come to, in shared memory: of each 16 rows, 8 numbers further apart than they are wide, so that rows lie in different banks,
// by factors that bring them to a row's largest score; and of each row this score and the warp's sum.
template <int WIDTH, int WARPS> struct Joined {
	using Numbers = __attribute__((address_space(3))) f32 *;
	typedef f32 Two __attribute__((ext_vector_type(2)));
	static const int LINE = WIDTH + 8;
	Numbers outs = (Numbers)dynamic, tops = outs + WARPS * 16 * LINE, sums = tops + WARPS * 16;

	// top is the largest score of a row.
	__device__ __attribute__((always_inline)) f32 top(u32 row) const {
		f32 top = -(f32)INFINITY;
#pragma unroll
		for (int w = 0; w < WARPS; w++) {
			top = larger(top, tops[w * 16 + row]);
		}
		return top;
	}

	// add adds up what the warps have, in their order, each so many numbers behind the one before.
	INLINE f32 add(Numbers first, int apart) {
		f32 sum = 0;
#pragma unroll
		for (int w = 0; w < WARPS; w++) {
			sum += first[w * apart];
		}
		return sum;
	}

	__device__ __attribute__((always_inline)) f32 out(u32 row, u32 e) const { return add(outs + row * LINE + e, 16 * LINE); }
	__device__ __attribute__((always_inline)) f32 sum(u32 row) const { return add(sums + row, 16); }

	// put leaves what a warp has come to. All threads of the block take part.
	__device__ __attribute__((always_inline)) void put(const Running<WIDTH> &r) const {
		u32 warp = threadIdx.x / 32, column = threadIdx.x % 4 * 2;
		f32 sum[2];
#pragma unroll
		for (int h = 0; h < 2; h++) {
			sum[h] = acrossLine(r.sum[h], plus);
			if (column == 0) {
				tops[warp * 16 + threadIdx.x % 32 / 4 + h * 8] = r.most[h];
			}
		}
		__syncthreads();
#pragma unroll
		for (int h = 0; h < 2; h++) {
			u32 row = threadIdx.x % 32 / 4 + h * 8;
			f32 most = top(row), factor = most == -(f32)INFINITY ? 0 : exp2(r.most[h] - most);
			if (column == 0) {
				sums[warp * 16 + row] = sum[h] * factor;
			}
#pragma unroll
			for (int i = 0; i < WIDTH / 8; i++) {
				auto to = (__attribute__((address_space(3))) Two *)(outs + (warp * 16 + row) * LINE + i * 8 + column);
				*to = Two{r.out[i].v[h * 2] * factor, r.out[i].v[h * 2 + 1] * factor};
			}
		}
		__syncthreads();
	}
};

template <int WIDTH, int WARPS, int STAGES> INLINE void attend(const Attention &p) {
	using L = Swizzled<WIDTH>;
	const int DEEP = WIDTH / 16, THREADS = WARPS * 32;
	const bool HELD = WIDTH <= 192; // queries stay in registers
	const u32 STAGE = 2 * KEYS * L::LINE;
	u32 rows = (u32)(p.heads / p.groups * p.queries), tiles = (rows + 15) / 16, tile = blockIdx.x / (u32)p.parts, part = blockIdx.x % (u32)p.parts;
	u32 owner = tile / tiles, first = tile % tiles * 16, warp = threadIdx.x / 32, lane = threadIdx.x % 32;
	u64 batch = owner / (u32)p.groups, group = owner % (u32)p.groups;
	u32 shared = dynamicAddress();
#pragma unroll 1
	for (u32 i = threadIdx.x; i < 16 * WIDTH; i += THREADS) {
		u32 line = i / WIDTH, e = i % WIDTH;
		Row row = rowAt(p, batch, group, first + line);
		u16 v = row.there && e < (u32)p.width ? load<u16>(lineOf(p.q, p.qStrides, batch, row.head, row.query), (i64)e * p.qStrides[3]) : (u16)0;
		asm volatile("st.shared.u16 [%0], %1;" : : "r"(shared + L::place(line, e / 8) + e % 8 * 2), "h"(v) : "memory");
	}
	__syncthreads();
	FragmentA q[HELD ? DEEP : 1];
	auto loadQueries = [&](int k) __attribute__((always_inline)) { loadMatrices<false>(q[HELD ? k : 0].v, L::along(shared + L::ofA(), k)); };
#pragma unroll
	for (int k = 0; k < DEEP && HELD; k++) {
		loadQueries(k);
	}
	Window window = windowOf(p);
	i64 place = firstOf(p, batch);
	Part keys = partOf(p, place, window, part);
	u32 stages = shared + 16 * L::LINE + warp * STAGES * STAGE, filled = 0, next = keys.from + warp * KEYS;
	auto fill = [&]() __attribute__((always_inline)) {
		if (next < keys.to) {
			u32 left = keys.to - next;
			L::template copy<KEYS, 32>(stages + filled, lineOf(p.k, p.kStrides, batch, group, next), p.kStrides[2], left, (u32)p.width);
			L::template copy<KEYS, 32>(stages + filled + KEYS * L::LINE, lineOf(p.v, p.vStrides, batch, group, next), p.vStrides[2], left, (u32)p.outputs);
		}
		next += KEYS * WARPS;
		commitCopies();
		filled = filled == (STAGES - 1) * STAGE ? 0 : filled + STAGE;
	};
#pragma unroll
	for (int s = 0; s < STAGES - 1; s++) {
		fill();
	}
	Row own[2] = {rowAt(p, batch, group, first + lane / 4), rowAt(p, batch, group, first + lane / 4 + 8)};
	Running<WIDTH> r;
	r.begin();
	u32 used = stages;
#pragma unroll 1
	for (u32 key = keys.from + warp * KEYS; key < keys.to; key += KEYS * WARPS) {
		awaitCopies<STAGES - 2>();
		asm volatile("bar.warp.sync -1;" : : : "memory"); // these keys are there, and the ones before are not needed any more
		fill();
		FragmentC s[KEYS / 8] = {};
#pragma unroll
		for (int k = 0; k < DEEP; k++) {
			u32 b[4];
			loadMatrices<false>(b, L::along(used + L::ofB(), k));
			if (!HELD) {
				loadQueries(k);
			}
			multiplyAdd(s[0], q[HELD ? k : 0], b);
			multiplyAdd(s[1], q[HELD ? k : 0], b + 2);
		}
		bend(p, s, [](int, int, f32) {});
#pragma unroll
		for (int h = 0; h < 2; h++) {
			limit(p, place, batch, window, own[h], h, key, keys.to, s);
		}
		meet(r, s);
#pragma unroll
		for (int h = 0; h < 2 && p.keep < 1; h++) {
			drop(p, own[h], h, key, s);
		}
		FragmentA w = toA(s[0], s[1]);
#pragma unroll
		for (int n = 0; n < DEEP; n++) {
			u32 b[4];
			loadMatrices<true>(b, L::along(used + KEYS * L::LINE + L::ofTurnedB(), n));
			multiplyAdd(r.out[2 * n], w, b);
			multiplyAdd(r.out[2 * n + 1], w, b + 2);
		}
		used = used == stages + (STAGES - 1) * STAGE ? stages : used + STAGE;
	}
	awaitCopies<0>();
	__syncthreads();
	Joined<WIDTH, WARPS> joined;
	joined.put(r);
	u64 wide = p.outputs + 2, all = p.batch * p.heads * p.queries;
#pragma unroll 1
	for (u32 line = warp; line < 16; line += WARPS) {
		Row row = rowAt(p, batch, group, first + line);
		u64 to = p.partial + (part * all + row.number) * wide * 4;
		for (u32 e = lane; row.there && e < (u32)p.outputs; e += 32) {
			store<f32>(to, e, joined.out(line, e));
		}
		if (row.there && lane < 2) {
			store<f32>(to, (i64)p.outputs + lane, lane == 0 ? joined.top(line) * (f32)LN2 : joined.sum(line));
		}
	}
}

#define ATTENTION(width, warps, stages) \
	KERNEL_OF(JOIN(attention_few_mma_##width, DTYPE), warps * 32, 1)(const Attention p) { attend<width, warps, stages>(p); }

ATTENTION(32, 4, 3)
ATTENTION(64, 4, 3)
ATTENTION(96, 4, 3)
ATTENTION(128, 4, 2)
ATTENTION(192, 2, 3)
ATTENTION(256, 2, 2)
