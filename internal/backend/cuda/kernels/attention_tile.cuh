// Tiles of scores on tensor cores: of 16 queries or keys of a warp, its lines, and of some of the others, columns. In lane l, with g = l/4 and c = l%4,
// number i of fragment n is that of line g + 8(i/2) and column 8n + 2c + i%2, as in fragments.cuh.
//
// Scores are multiplied by log2 e, so that exponentials are powers of 2. BY_KEYS says that lines are keys and columns queries.
#pragma once

#include "element.cuh"
#include "swizzled.cuh"
#include "math.cuh"
#include "params.cuh"
#include "philox.cuh"

#define LOG2E 1.4426950408889634
#define LN2 0.6931471805599453

typedef u32 Bytes16 __attribute__((ext_vector_type(4)));
typedef u32 Bytes8 __attribute__((ext_vector_type(2)));

INLINE f32 exp2(f32 v) {
	f32 r;
	asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(r) : "f"(v));
	return r;
}

INLINE f32 log2(f32 v) {
	f32 r;
	asm("lg2.approx.ftz.f32 %0, %1;" : "=f"(r) : "f"(v));
	return r;
}

INLINE f32 reciprocal(f32 v) {
	f32 r;
	asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(r) : "f"(v));
	return r;
}

INLINE f32 larger(f32 a, f32 b) { return __builtin_fmaxf(a, b); }
INLINE f32 plus(f32 a, f32 b) { return a + b; }

// acrossLine joins the numbers of the four lanes that have a line.
template <class F> INLINE f32 acrossLine(f32 v, F join) {
	v = join(v, fromLane(v, 1));
	return join(v, fromLane(v, 2));
}

// A Head is one of the queries', with that of keys and values which it shares.
struct Head {
	u64 batch, head, group;
};

// lineOf is where a row of a head lies, of an operand of 16-bit elements.
INLINE u64 lineOf(u64 base, const i64 (&strides)[4], u64 batch, u64 head, u64 row) {
	return base + (u64)((i64)batch * strides[0] + (i64)head * strides[1] + (i64)row * strides[2]) * 2;
}

// A Window is how far behind its place a query sees a key: from least to most.
struct Window {
	i32 least, most;
};

#define FAR (1 << 30) // further than any key

INLINE Window windowOf(const Attention &p) {
	i32 most = p.window > 0 && p.window < FAR ? (i32)p.window - 1 : 2 * (FAR - 1);
	return {p.causal ? 0 : -most, most};
}

// away is how far a query lies behind a key, or FAR, where the first query stands at a place.
INLINE i32 away(i64 first, u32 query, u32 key) {
	i64 n = first + (i64)query - (i64)key;
	return n > FAR ? FAR : n < -FAR ? -FAR : (i32)n;
}

INLINE i32 away(const Attention &p, u32 query, u32 key) { return away(p.first, query, key); }

// A Span is the columns that some of a block's lines see, from a tile's first on.
struct Span {
	u32 from, to;
};

template <int TILE> INLINE Span clipped(i64 from, i64 to, u64 most) {
	to = to > (i64)most ? (i64)most : to;
	return {from < 0 ? 0 : (u32)from / TILE * TILE, to < 0 ? 0 : (u32)to};
}

// spanOf is the span of ROWS lines, in tiles of TILE columns.
template <bool BY_KEYS, int ROWS, int TILE> INLINE Span spanOf(const Attention &p, const Window &window, u32 line) {
	if (BY_KEYS) {
		i64 first = (i64)line - p.first;
		return clipped<TILE>(first + window.least, first + ROWS + window.most, p.queries);
	}
	i64 first = p.first + (i64)line;
	return clipped<TILE>(first - window.most, first + ROWS - window.least, p.keys);
}

// What of a tile of 16 lines and COLUMNS columns is seen.
enum Seen { NOTHING, PARTS, ALL };

template <bool BY_KEYS, int COLUMNS> INLINE Seen seenOf(const Attention &p, const Window &window, u32 line, u32 column) {
	i32 first = BY_KEYS ? away(p, column, line) - 15 : away(p, line, column) - (COLUMNS - 1), last = first + 15 + COLUMNS - 1;
	if (last < window.least || first > window.most) {
		return NOTHING;
	}
	return first >= window.least && last <= window.most && (BY_KEYS || column + COLUMNS <= (u32)p.keys) ? ALL : PARTS;
}

// hide makes -∞ of the scores of keys that a query does not see, or that lie beyond the end.
template <bool BY_KEYS, int N> INLINE void hide(const Attention &p, const Window &window, u32 line, u32 column, FragmentC (&s)[N]) {
	u32 g = threadIdx.x % 32 / 4, c = threadIdx.x % 4 * 2;
	i32 first = BY_KEYS ? away(p, column, line) + (i32)(c - g) : away(p, line, column) + (i32)(g - c);
	u32 left = BY_KEYS ? N * 8 : (u32)p.keys - column;
#pragma unroll
	for (int n = 0; n < N; n++) {
#pragma unroll
		for (int i = 0; i < 4; i++) {
			i32 by = i / 2 * 8 - n * 8 - i % 2, at = BY_KEYS ? first - by : first + by;
			bool seen = at >= window.least && at <= window.most && (BY_KEYS || c + n * 8 + i % 2 < left);
			s[n].v[i] = seen ? s[n].v[i] : -(f32)INFINITY;
		}
	}
}

// addMask adds a mask to scores, or hides those for which it has false.
template <bool BY_KEYS, int N> INLINE void addMask(const Attention &p, const Head &at, u32 line, u32 column, FragmentC (&s)[N]) {
	u32 lines = (u32)(BY_KEYS ? p.keys : p.queries), columns = (u32)(BY_KEYS ? p.queries : p.keys);
	i64 across = p.maskStrides[BY_KEYS ? 3 : 2], along = p.maskStrides[BY_KEYS ? 2 : 3];
	line += threadIdx.x % 32 / 4, column += threadIdx.x % 4 * 2;
	i64 m = (i64)at.batch * p.maskStrides[0] + (i64)at.head * p.maskStrides[1] + (i64)line * across + (i64)column * along;
#pragma unroll
	for (int n = 0; n < N; n++) {
#pragma unroll
		for (int i = 0; i < 4; i++) {
			i64 by = m + i / 2 * 8 * across + (n * 8 + i % 2) * along;
			if (line + i / 2 * 8 >= lines || column + n * 8 + i % 2 >= columns) {
				continue;
			}
			if (!p.bools) {
				s[n].v[i] = fma(load<f32>(p.mask, by), (f32)LOG2E, s[n].v[i]);
			} else if (load<u8>(p.mask, by) == 0) {
				s[n].v[i] = -(f32)INFINITY;
			}
		}
	}
}

// bend makes scores of products: it multiplies by the scale, and where there is a soft cap makes softCap·tanh(score / softCap) of it. What the slope of that
// is, slope(n, i, t) is told with the tanh.
template <int N, class F> INLINE void bend(const Attention &p, FragmentC (&s)[N], F slope) {
	if (p.softCap > 0) {
		f32 twice = (f32)(2 * p.scale / p.softCap * LOG2E), cap = (f32)(p.softCap * LOG2E);
#pragma unroll
		for (int n = 0; n < N; n++) {
#pragma unroll
			for (int i = 0; i < 4; i++) {
				f32 t = 1 - 2 * reciprocal(1 + exp2(s[n].v[i] * twice));
				slope(n, i, t);
				s[n].v[i] = cap * t;
			}
		}
		return;
	}
	f32 scale = (f32)(p.scale * LOG2E);
#pragma unroll
	for (int n = 0; n < N; n++) {
#pragma unroll
		for (int i = 0; i < 4; i++) {
			s[n].v[i] *= scale;
		}
	}
}

// Gone has a bit for each number of a tile of up to 8 fragments, i of n at 4n + i, which dropout leaves out. Four keys of a query share what is drawn, so
// lanes draw for each other.
template <bool BY_KEYS, int N> INLINE u32 goneOf(const Attention &p, const Head &at, u32 line, u32 column) {
	static_assert(N <= 8, "a bit for each");
	u64 seed = load<u64>(p.seed, 0), limit = (u64)(p.keep * 0x1p32), rows = (at.batch * p.heads + at.head) * p.queries;
	auto draw = [&](u32 query, u32 key) __attribute__((always_inline)) {
		Words w = philox(seed, key / 4, rows + query);
		return (u32)(w.x >= limit) | (u32)(w.y >= limit) << 1 | (u32)(w.z >= limit) << 2 | (u32)(w.w >= limit) << 3;
	};
	u32 g = threadIdx.x % 32 / 4, c = threadIdx.x % 4, gone = 0;
#pragma unroll 1 // for the sake of short code
	for (int n = 0; n < N; n++) {
		u32 four = 0;
		if (BY_KEYS) { // a lane of four draws for two of the keys' fours and two queries
			u32 turn = g % 4, own = draw(column + n * 8 + c * 2 + turn % 2, line + g / 4 * 4 + turn / 2 * 8);
#pragma unroll
			for (u32 k = 0; k < 4; k++) {
				u32 drawn = k == 0 ? own : fromLane(own, k * 4);
				four |= (drawn >> turn & 1) << (turn ^ k);
			}
		} else { // a lane of two draws for one of two queries
			u32 own = draw(line + g + c % 2 * 8, column + n * 8 + c / 2 * 4), other = fromLane(own, 1), shift = c % 2 * 2;
			u32 upper = c % 2 == 0 ? own : other, lower = c % 2 == 0 ? other : own;
			four = (upper >> shift & 3) | (lower >> shift & 3) << 2;
		}
		gone |= four << n * 4;
	}
	return gone;
}

// toA rounds fragments 2k and 2k+1 of what two lines of sums have, as 16 steps of an operand.
INLINE FragmentA toA(const FragmentC &a, const FragmentC &b) {
	return {pack(a.v[0], a.v[1]), pack(a.v[2], a.v[3]), pack(b.v[0], b.v[1]), pack(b.v[2], b.v[3])};
}

// putLines stores 16 lines of sums of a warp, of which so many are inside, to lines of so many elements. They pass through shared memory, where the warp has
// 16 lines, so that neighbouring lanes store neighbours.
template <int WIDTH> INLINE void putLines(u32 shared, u64 to, i64 stride, i64 step, u32 left, u32 width, const FragmentC (&s)[WIDTH / 8]) {
	using L = Swizzled<WIDTH>;
	u32 lane = threadIdx.x % 32;
	asm volatile("bar.warp.sync -1;" : : : "memory");
#pragma unroll
	for (int n = 0; n < WIDTH / 8; n++) {
		u32 at = shared + L::place(lane / 4, n) + lane % 4 * 4, below = shared + L::place(lane / 4 + 8, n) + lane % 4 * 4;
		asm volatile("st.shared.u32 [%0], %1;" : : "r"(at), "r"(pack(s[n].v[0], s[n].v[1])) : "memory");
		asm volatile("st.shared.u32 [%0], %1;" : : "r"(below), "r"(pack(s[n].v[2], s[n].v[3])) : "memory");
	}
	asm volatile("bar.warp.sync -1;" : : : "memory");
	bool aligned = step == 1 && stride % 8 == 0 && to % 16 == 0;
#pragma unroll 1
	for (u32 i = lane; i < 16 * L::CHUNKS; i += 32) {
		u32 line = i / L::CHUNKS, chunk = i % L::CHUNKS;
		if (line >= left || chunk * 8 >= width) {
			continue;
		}
		Bytes16 v;
		asm volatile("ld.shared.v4.u32 {%0, %1, %2, %3}, [%4];"
					 : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w) : "r"(shared + L::place(line, chunk)) : "memory");
		i64 at = (i64)line * stride + (i64)(chunk * 8) * step;
		if (aligned && chunk * 8 + 8 <= width) {
			store<Bytes16>(to + (u64)at * 2, 0, v);
			continue;
		}
#pragma unroll
		for (int e = 0; e < 8; e++) {
			if (chunk * 8 + e < width) {
				store<u16>(to, at + e * step, (u16)(v[e / 2] >> e % 2 * 16));
			}
		}
	}
}
