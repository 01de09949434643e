// The gradients of attention of 16-bit elements on tensor cores. Scores are computed again, tile by tile, from what was kept of each row: with
// P = e**(score - logSum), that of a score is dS = P·(dout·vᵀ - delta), delta being Σ dout·out of the row.
//
// Every kernel takes Attention. attention_delta: 8 threads for each row of q, any grid; it leaves log2 e · logSum and delta of each in delta. The others are
// named for the width that rows have at most: attention_keys_mma_64 has blocks for tiles of keys of batch · groups, and for each COLUMNS columns of dk and
// dv; attention_queries_mma_64 for tiles of queries of batch · heads. A warp has 16 lines of its tile, keys or queries, and the block walks over tiles of the
// others, its columns, of which the next come by asynchronous copies meanwhile. Operands are aligned for 16 bytes along rows. Shared memory: both operands of lines,
// and two stages of those of columns and of delta. Each sum is one warp's, in the order of tiles.
// dtypes: bf16 f16
// target: sm_80 ptx74
#include "attention_tile.cuh"

KERNEL(JOIN(attention_delta, DTYPE), 256)(const Attention p) {
	u64 rows = p.batch * p.heads * p.queries;
#pragma unroll 1
	for (u64 first = thread() / 32 * 4; first < rows; first += threads() / 32 * 4) {
		u64 row = first + threadIdx.x % 32 / 8, head = row / p.queries, batch = head / p.heads, query = row - head * p.queries;
		u64 out = lineOf(p.out, p.outStrides, batch, head - batch * p.heads, query), dout = lineOf(p.dOut, p.dOutStrides, batch, head - batch * p.heads, query);
		f32 sum = 0;
#pragma unroll 1
		for (u32 e = threadIdx.x % 8 * 8; row < rows && e < (u32)p.outputs; e += 64) {
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
		if (row < rows && threadIdx.x % 8 == 0) {
			store<f32>(p.delta, (i64)row * 2, load<f32>(p.logSum, (i64)row) * (f32)LOG2E);
			store<f32>(p.delta, (i64)row * 2 + 1, sum);
		}
	}
}

// A Pair is two operands of lines or columns: queries and dout, or keys and values.
struct Pair {
	u64 first, second;
	i64 firstStride, secondStride;
	u32 count, firstWidth, secondWidth;
};

INLINE Pair queriesOf(const Attention &p, u64 batch, u64 head) {
	return {lineOf(p.q, p.qStrides, batch, head, 0), lineOf(p.dOut, p.dOutStrides, batch, head, 0),
			p.qStrides[2], p.dOutStrides[2], (u32)p.queries, (u32)p.width, (u32)p.outputs};
}

INLINE Pair keysOf(const Attention &p, u64 batch, u64 group) {
	return {lineOf(p.k, p.kStrides, batch, group, 0), lineOf(p.v, p.vStrides, batch, group, 0),
			p.kStrides[2], p.vStrides[2], (u32)p.keys, (u32)p.width, (u32)p.outputs};
}

// copyPair starts to copy ROWS lines of both from one on, the second's behind the first's.
template <int WIDTH, int ROWS, int THREADS> INLINE void copyPair(u32 to, const Pair &a, u32 line) {
	using L = Swizzled<WIDTH>;
	u32 left = a.count - line;
	L::template copy<ROWS, THREADS>(to, a.first + (u64)((i64)line * a.firstStride) * 2, a.firstStride, left, a.firstWidth);
	L::template copy<ROWS, THREADS>(to + ROWS * L::LINE, a.second + (u64)((i64)line * a.secondStride) * 2, a.secondStride, left, a.secondWidth);
}

// multiplyLines makes s the products of the warp's lines with columns, which lie as lines.
template <int WIDTH, int N> INLINE void multiplyLines(u32 lines, u32 columns, FragmentC (&s)[N]) {
	using L = Swizzled<WIDTH>;
#pragma unroll
	for (int n = 0; n < N; n++) {
		s[n] = {};
	}
#pragma unroll
	for (int k = 0; k < WIDTH / 16; k++) {
		FragmentA a;
		loadMatrices<false>(a.v, L::along(lines + L::ofA(), k));
#pragma unroll
		for (int n = 0; n < N / 2; n++) {
			u32 b[4];
			loadMatrices<false>(b, L::along(columns + L::ofB(), k) + n * 16 * L::LINE);
			multiplyAdd(s[2 * n], a, b);
			multiplyAdd(s[2 * n + 1], a, b + 2);
		}
	}
}

// addColumns adds to sums the product of a tile's numbers with the elements of columns from chunk `first` on.
template <int WIDTH, int N, int COLUMNS> INLINE void addColumns(const FragmentC (&s)[N], u32 columns, u32 first, FragmentC (&sums)[COLUMNS]) {
	using L = Swizzled<WIDTH>;
#pragma unroll
	for (int k = 0; k < N / 2; k++) {
		FragmentA a = toA(s[2 * k], s[2 * k + 1]);
#pragma unroll
		for (int n = 0; n < COLUMNS / 2; n++) {
			u32 b[4];
			loadMatrices<true>(b, L::along(columns + L::ofTurnedB(), first / 2 + n) + k * 16 * L::LINE);
			multiplyAdd(sums[2 * n], a, b);
			multiplyAdd(sums[2 * n + 1], a, b + 2);
		}
	}
}

// An Ends is what is known of two neighbouring columns, or of a lane's two lines: log2 e · logSum, and delta.
struct Ends {
	f32 logSum[2], delta[2];
};

INLINE Ends sharedEnds(u32 at) {
	Ends e;
	asm volatile("ld.shared.v4.f32 {%0, %1, %2, %3}, [%4];" : "=f"(e.logSum[0]), "=f"(e.delta[0]), "=f"(e.logSum[1]), "=f"(e.delta[1]) : "r"(at) : "memory");
	return e;
}

// differentiate makes of scores what dropout leaves of P, and of dout·vᵀ the gradient of the product of query and key, but for the scale.
template <bool BY_KEYS, int N>
INLINE void differentiate(const Attention &p, const Head &at, const Sight &sight, Seen seen, u32 line, u32 column, u32 ends, const Ends &own, FragmentC (&s)[N], FragmentC (&d)[N]) {
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
	bend(p, s, [&](int n, int i, f32 t) __attribute__((always_inline)) { d[n].v[i] *= 1 - t * t; });
	if (p.mask != 0) {
		addMask<BY_KEYS>(p, at, line, column, s);
	}
	if (seen != ALL) {
		hide<BY_KEYS>(p, sight, line, column, s);
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

template <int WIDTH, int TILE, int WARPS, bool BY_KEYS> INLINE void gradients(const Attention &p) {
	using L = Swizzled<WIDTH>;
	const int LINES = WARPS * 16, THREADS = WARPS * 32, N = TILE / 8, PIECES = BY_KEYS && WIDTH > 128 ? 2 : 1, COLUMNS = WIDTH / PIECES;
	const u32 STAGE = 2 * TILE * L::LINE + (BY_KEYS ? TILE * 8 : 0);
	u64 most = BY_KEYS ? p.keys : p.queries, owners = BY_KEYS ? p.groups : p.heads, shares = p.heads / p.groups;
	u32 down = ((u32)most + LINES - 1) / LINES, tile = blockIdx.x % down, owner = blockIdx.x / down, piece = owner % PIECES * COLUMNS;
	owner /= PIECES;
	if (!BY_KEYS) {
		tile = down - 1 - tile; // with a causal mask those come first that take longest
	}
	Head at;
	at.batch = owner / owners;
	at.head = BY_KEYS ? owner % owners * shares : owner % owners, at.group = at.head / shares;
	u64 heads = BY_KEYS ? shares : 1; // that the block walks over
	u32 warp = threadIdx.x / 32, first = tile * LINES, line = first + warp * 16;
	Sight sight = sightOf(p);
	Span columns = spanOf<BY_KEYS, LINES, TILE>(p, sight, first);
	u32 shared = dynamicAddress(), stages = shared + 2 * LINES * L::LINE, own = shared + warp * 16 * L::LINE;
	copyPair<WIDTH, LINES, THREADS>(shared, BY_KEYS ? keysOf(p, at.batch, at.group) : queriesOf(p, at.batch, at.head), first);
	auto fill = [&](u64 head, u32 column, u32 stage) __attribute__((always_inline)) {
		copyPair<WIDTH, TILE, THREADS>(stage, BY_KEYS ? queriesOf(p, at.batch, head) : keysOf(p, at.batch, at.group), column);
		if (BY_KEYS && threadIdx.x < TILE * 2) {
			u64 from = p.delta + ((at.batch * p.heads + head) * p.queries + column) * 8;
			u32 bytes = column + threadIdx.x / 2 < (u32)p.queries ? 4 : 0;
			copyElement(stage + 2 * TILE * L::LINE + threadIdx.x * 4, from + (bytes > 0 ? threadIdx.x * 4 : 0), bytes);
		}
	};
	u32 tiles = columns.from < columns.to ? (columns.to - columns.from + TILE - 1) / TILE : 0;
	if (tiles > 0) {
		fill(at.head, columns.from, stages);
	}
	commitCopies();
	Ends ends = {};
#pragma unroll
	for (int h = 0; h < 2 && !BY_KEYS; h++) {
		u32 row = line + threadIdx.x % 32 / 4 + h * 8;
		u64 from = (at.batch * p.heads + at.head) * p.queries + row;
		ends.logSum[h] = row < (u32)p.queries ? load<f32>(p.delta, (i64)from * 2) : (f32)INFINITY;
		ends.delta[h] = row < (u32)p.queries ? load<f32>(p.delta, (i64)from * 2 + 1) : 0;
	}
	FragmentC sums[COLUMNS / 8] = {}, others[BY_KEYS ? COLUMNS / 8 : 2] = {};
	u32 stage = 0, column = columns.from;
#pragma unroll 1
	for (u64 left = tiles * heads; left > 0; left--) {
		awaitCopies<0>();
		__syncthreads(); // these columns are there, and the ones before are not needed any more
		u32 used = stages + stage, now = column;
		stage = STAGE - stage;
		bool turn = column + TILE >= columns.to;
		column = turn ? columns.from : column + TILE;
		if (left > 1) {
			fill(at.head + (BY_KEYS && turn), column, stages + stage);
		}
		commitCopies();
		Seen seen = seenOf<BY_KEYS, TILE>(p, sight, line, now);
		if (seen != NOTHING && line < (u32)most) {
			FragmentC s[N], d[N];
			multiplyLines<WIDTH>(own + LINES * L::LINE, used + TILE * L::LINE, d);
			multiplyLines<WIDTH>(own, used, s);
			differentiate<BY_KEYS>(p, at, sight, seen, line, now, used + 2 * TILE * L::LINE + threadIdx.x % 4 * 16, ends, s, d);
			addColumns<WIDTH>(d, used, piece / 8, sums);
			if constexpr (BY_KEYS) {
				addColumns<WIDTH>(s, used + TILE * L::LINE, piece / 8, others);
			}
		}
		at.head += BY_KEYS && turn;
	}
	awaitCopies<0>(); // where there was no column
	__syncthreads();
	if (line >= (u32)most) {
		return;
	}
#pragma unroll
	for (int i = 0; i < COLUMNS / 2; i++) {
		sums[i / 4].v[i % 4] *= (f32)p.scale;
	}
	auto put = [&](u64 to, const i64 (&strides)[4], u64 head, u64 width, const FragmentC (&of)[COLUMNS / 8]) __attribute__((always_inline)) {
		u32 inside = width > piece ? (u32)width - piece : 0;
		putLines<COLUMNS>(own, lineOf(to, strides, at.batch, head, line) + (u64)(piece * strides[3]) * 2, strides[2], strides[3], (u32)most - line, inside, of);
	};
	if constexpr (BY_KEYS) {
		put(p.dK, p.dKStrides, at.group, p.width, sums);
		put(p.dV, p.dVStrides, at.group, p.outputs, others);
	} else {
		put(p.dQ, p.dQStrides, at.head, p.width, sums);
	}
}

#define GRADIENTS(width, tile, warps) \
	KERNEL_OF(JOIN(attention_keys_mma_##width, DTYPE), warps * 32, 1)(const Attention p) { gradients<width, tile, warps, true>(p); } \
	KERNEL_OF(JOIN(attention_queries_mma_##width, DTYPE), warps * 32, 1)(const Attention p) { gradients<width, tile, warps, false>(p); }

GRADIENTS(32, 64, 8)
GRADIENTS(64, 64, 8)
GRADIENTS(96, 32, 8)
GRADIENTS(128, 32, 8)
GRADIENTS(192, 32, 4)
GRADIENTS(256, 16, 4)
