// The gradients of attention of 16-bit elements on tensor cores. Scores are computed again, tile by tile, from what was kept of each row: with
// P = e**(score - logSum), that of a score is dS = P·(dout·vᵀ - delta), delta being Σ dout·out of the row.
//
// Every kernel takes Attention and is named for the width that rows have at most. attention_queries_mma_64 has blocks for tiles of queries of batch · heads; it comes
// first, since it leaves log2 e · logSum and delta of each query in delta. attention_keys_mma_64 has blocks for tiles of keys of batch · groups, and for each COLUMNS
// columns of dk and dv; attention_mask_mma_64, where several scores share an element of the mask, for tiles of the mask's gradient. A warp has 16 lines of its tile, keys or queries, and the block walks over tiles of the
// others, its columns, of which the next come by asynchronous copies meanwhile. Operands are aligned for 16 bytes along rows. Shared memory: both operands of lines,
// and two stages, for a mask's gradient one, of those of columns and of delta. Each sum is one warp's, in the order of tiles.
// dtypes: bf16 f16
// target: sm_80 ptx74
#include "attention_slope.cuh"

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
	Window window = windowOf(p);
	Span columns = spanOf<BY_KEYS, LINES, TILE>(p, window, first);
	u32 shared = dynamicAddress(), stages = shared + 2 * LINES * L::LINE, own = shared + warp * 16 * L::LINE;
	copyPair<WIDTH, LINES, THREADS>(shared, BY_KEYS ? keysOf(p, at.batch, at.group) : queriesOf(p, at.batch, at.head), first);
	auto fill = [&](u64 head, u32 column, u32 stage) __attribute__((always_inline)) {
		copyPair<WIDTH, TILE, THREADS>(stage, BY_KEYS ? queriesOf(p, at.batch, head) : keysOf(p, at.batch, at.group), column);
		if (BY_KEYS && threadIdx.x < TILE * 2) {
			u64 from = deltaOf(p, at.batch, head, column);
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
	if (!BY_KEYS) {
		keepDelta(p, at, line);
		ends = endsOf(p, at, line);
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
		Seen seen = seenOf<BY_KEYS, TILE>(p, window, line, now);
		if (seen != NOTHING && line < (u32)most) {
			FragmentC s[N], d[N];
			multiplyLines<WIDTH>(own + LINES * L::LINE, used + TILE * L::LINE, d);
			multiplyLines<WIDTH>(own, used, s);
			differentiate<BY_KEYS>(p, at, window, seen, line, now, used + 2 * TILE * L::LINE + threadIdx.x % 4 * 16, ends, s, d);
			if (!BY_KEYS && p.dMask != 0) {
				putMaskGradient(p, at, line, now, d);
			}
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

// maskGradient adds up dS over all that share a part of the mask, of a tile of queries and one of keys: heads, and such tiles, along axes of stride 0. Nothing is
// copied ahead, since nothing that the block has is used twice.
template <int WIDTH, int TILE, int WARPS> INLINE void maskGradient(const Attention &p) {
	using L = Swizzled<WIDTH>;
	const int LINES = WARPS * 16, THREADS = WARPS * 32, N = TILE / 8, PITCH = TILE + 4;
	const i64 (&step)[4] = p.dMaskStrides;
	u32 down = step[2] == 0 ? 1 : ((u32)p.queries + LINES - 1) / LINES, over = step[3] == 0 ? 1 : ((u32)p.keys + TILE - 1) / TILE, heads = step[1] == 0 ? 1 : (u32)p.heads;
	u32 key = blockIdx.x % over * TILE, query = blockIdx.x / over % down * LINES, owner = blockIdx.x / over / down, warp = threadIdx.x / 32 * 16;
	Head first = {owner / heads, owner % heads, 0}, at = first;
	Window window = windowOf(p);
	u32 shared = dynamicAddress(), own = shared + warp * L::LINE, columns = shared + 2 * LINES * L::LINE;
	FragmentC sums[N] = {};
	auto add = [&](u32 q, u32 k) __attribute__((always_inline)) {
		Span seen = spanOf<false, LINES, TILE>(p, window, q);
		if (k < seen.from || k >= seen.to) {
			return;
		}
		__syncthreads(); // what the block has is not needed any more
		copyPair<WIDTH, LINES, THREADS>(shared, queriesOf(p, at.batch, at.head), q);
		copyPair<WIDTH, TILE, THREADS>(columns, keysOf(p, at.batch, at.group), k);
		commitCopies();
		Ends ends = endsOf(p, at, q + warp);
		awaitCopies<0>();
		__syncthreads();
		FragmentC s[N], d[N];
		multiplyLines<WIDTH>(own + LINES * L::LINE, columns + TILE * L::LINE, d);
		multiplyLines<WIDTH>(own, columns, s);
		differentiate<false, true>(p, at, window, PARTS, q + warp, k, 0, ends, s, d);
#pragma unroll
		for (int i = 0; i < N * 4; i++) {
			sums[i / 4].v[i % 4] += d[i / 4].v[i % 4];
		}
	};
#pragma unroll 1
	for (; at.batch < (step[0] == 0 ? p.batch : first.batch + 1); at.batch++) {
#pragma unroll 1
		for (at.head = first.head; at.head < (step[1] == 0 ? p.heads : first.head + 1); at.head++) {
			at.group = at.head / (p.heads / p.groups);
#pragma unroll 1
			for (u32 q = query; q < (step[2] == 0 ? (u32)p.queries : query + 1); q += LINES) {
#pragma unroll 1
				for (u32 k = key; k < (step[3] == 0 ? (u32)p.keys : key + 1); k += TILE) {
					add(q, k);
				}
			}
		}
	}
	__syncthreads();
	u32 to = shared + ((warp + threadIdx.x % 32 / 4) * PITCH + threadIdx.x % 4 * 2) * 4;
#pragma unroll
	for (int i = 0; i < N * 4; i++) {
		asm volatile("st.shared.f32 [%0], %1;" : : "r"(to + (i % 4 / 2 * 8 * PITCH + i / 4 * 8 + i % 2) * 4), "f"(sums[i / 4].v[i % 4]) : "memory");
	}
	__syncthreads();
	u32 rows = step[2] == 0 ? LINES : 1, across = step[3] == 0 ? TILE : 1; // that are one element of the mask
	u64 out = p.dMask + (u64)((i64)first.batch * step[0] + (i64)first.head * step[1]) * 4;
#pragma unroll 1
	for (u32 i = threadIdx.x; i < LINES * TILE; i += THREADS) {
		u32 y = i / TILE, x = i % TILE;
		if (y % rows != 0 || x % across != 0 || query + y >= (u32)p.queries || key + x >= (u32)p.keys) {
			continue;
		}
		f32 sum = 0;
#pragma unroll 1
		for (u32 j = 0; j < rows * across; j++) {
			f32 v;
			asm volatile("ld.shared.f32 %0, [%1];" : "=f"(v) : "r"(shared + ((y + j / across) * PITCH + x + j % across) * 4) : "memory");
			sum += v;
		}
		store<f32>(out, (i64)(query + y) * step[2] + (i64)(key + x) * step[3], sum);
	}
}

#define MASKS(width, tile, warps) \
	KERNEL_OF(JOIN(attention_mask_mma_##width, DTYPE), warps * 32, 1)(const Attention p) { maskGradient<width, tile, warps>(p); }

MASKS(64, 64, 8)
MASKS(128, 64, 8)
MASKS(256, 32, 4)
