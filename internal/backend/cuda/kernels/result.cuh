// Which part of a product a block computes, and how a sum becomes an element of the result.
#pragma once

#include "activated.cuh"
#include "again.cuh"
#include "element.cuh"

#define TOGETHER 8 // rows of tiles whose blocks run beside each other, so that they find operands in the cache

// Partials are where a part of a matrix lies, or of a tile of it: element (r, c) of the matrix as number from + r * pitch + c, and of the next part step
// further.
struct Partials {
	u64 from, step, pitch;
};

// A Place is a tile of the result, from row m and column n on, of one part of one matrix. Of those tiles whose common axis is divided it is number `tile`.
struct Place {
	u32 m, n, part, batch, parts, tile;
	Partials partials;
};

// How many matrices there are, and how many of the first tiles are not divided.
INLINE u32 countOf(const Product &p) { return (u32)p.count; }
INLINE u32 wholeOf(const Product &p) { return (u32)p.whole; }
template <class P> INLINE u32 countOf(const P &) { return 1; }
template <class P> INLINE u32 wholeOf(const P &) { return 0; }

// placeOf is the place of a block, of which there is one for each tile that is not divided, and behind those one for each part of the others.
template <int ROWS, int COLUMNS, class P> INLINE Place placeOf(const P &p, u32 block) {
	u32 down = ((u32)p.m + ROWS - 1) / ROWS, across = ((u32)p.n + COLUMNS - 1) / COLUMNS, each = down * across, whole = wholeOf(p);
	bool divided = block >= whole;
	u32 rest = each * countOf(p) - whole, part = divided ? (block - whole) / rest : 0, parts = divided ? (u32)p.parts : 1;
	u32 all = block - part * rest, batch = all / each, tile = all - batch * each;
	u32 first = tile / (TOGETHER * across) * TOGETHER, height = min(down - first, (u32)TOGETHER);
	u32 m = (first + (tile - first * across) % height) * ROWS, n = (tile - first * across) / height * COLUMNS;
	if (whole == 0) {
		u64 matrix = (u64)p.m * p.n, step = countOf(p) * matrix;
		return {m, n, part, batch, parts, all, {part * step + batch * matrix, step, p.n}};
	}
	const u64 TILE = ROWS * COLUMNS;
	return {m, n, part, batch, parts, all - whole, {((u64)(all - whole) * parts + part) * TILE - (u64)m * COLUMNS - n, TILE, COLUMNS}};
}

// finished is alpha times the sum, plus beta times what is added to it.
INLINE Sum finished(const Product &p, u32 batch, u32 r, u32 c, Sum sum) {
	sum *= (Sum)p.alpha;
	if (p.add != 0 && p.beta != 0) {
		sum += (Sum)p.beta * element(p.add, batch * p.addStrides[0] + r * p.addStrides[1] + c * p.addStrides[2]);
	}
	return sum;
}

#if defined(DTYPE_f16) || defined(DTYPE_bf16)
// widens reports whether the result is of float32.
INLINE bool widens(const Product &p) { return p.joining == WIDENED; }

// widened is an element of the result as float32, with what is added to it there.
INLINE f32 widened(const Product &p, i64 at, E y) { return p.other != 0 ? widen(y) + load<f32>(p.other, at) : widen(y); }

// putElement stores an element of the result.
INLINE void putElement(const Product &p, i64 at, E y) {
	if (widens(p)) {
		store<f32>(p.out, at, widened(p, at, y));
	} else {
		store<E>(p.out, at, y);
	}
}

// putWide stores two neighbours in a row as float32, the first in the low half; the second counts where both are inside.
INLINE void putWide(const Product &p, i64 at, bool both, u32 pair) {
	typedef f32 Two __attribute__((ext_vector_type(2)));
	u64 to = p.out + (u64)at * 4;
	f32 first = widened(p, at, E{(u16)pair});
	if (!both) {
		store<f32>(to, 0, first);
		return;
	}
	f32 second = widened(p, at + p.outStrides[2], E{(u16)(pair >> 16)});
	if (p.outStrides[2] == 1 && to % 8 == 0) {
		store<Two>(to, 0, Two{first, second});
		return;
	}
	store<f32>(to, 0, first);
	store<f32>(to, p.outStrides[2], second);
}
#else
INLINE bool widens(const Product &) { return false; }
INLINE void putElement(const Product &p, i64 at, E y) { store<E>(p.out, at, y); }
INLINE void putWide(const Product &, i64, bool, u32) {}
#endif

// What follows costs code that kernels for few products do without.
#if defined(DTYPE_f64) || defined(NOTHING_FOLLOWS)
INLINE bool follows(const Product &p) { return widens(p); }
INLINE u32 after(const Product &p, i64 at, bool both, u32 pair) {
	putWide(p, at, both, pair);
	return pair;
}
INLINE void put(const Product &p, i64 at, Sum y) { putElement(p, at, Cast<E>::of(y)); }
#else
// follows reports whether anything follows y, if only that it is widened.
INLINE bool follows(const Product &p) { return (p.activation | p.joining) != 0; }

// rounded is a number as an element of the result has it.
INLINE f32 rounded(f32 v) { return widen(Cast<E>::of(v)); }

// followed is what is stored at a place of the result where the product is y; x and other are what lies there of those.
INLINE f32 followed(const Product &p, i64 at, f32 y, f32 x, f32 other) {
	bool gated = p.joining == GATED;
	u32 step = gated ? p.activation - (RELU_GRAD - RELU) : p.activation;
	f32 v = gated ? x : y;
#pragma unroll 1
	while (true) {
		v = activated(step, v, x);
		if (step == p.activation) {
			break;
		}
		store<E>(p.aside, at, Cast<E>::of(y * rounded(v)));
		v = rounded(y * other);
		step = p.activation;
	}
	if (p.joining == ADDED) {
		v = rounded(v) + other;
	} else if (p.joining == MULTIPLIED) {
		v = rounded(v) * other;
	}
	return v;
}

// after is what is stored at a place of the result where the product is y.
INLINE E after(const Product &p, i64 at, E y) {
	if (p.aside != 0 && p.joining != GATED) {
		store<E>(p.aside, at, y);
	}
	f32 x = p.x != 0 ? element(p.x, at) : 0, other = p.other != 0 ? element(p.other, at) : 0;
	return Cast<E>::of(followed(p, at, widen(y), x, other));
}

#if !defined(DTYPE_f32)
// after of two neighbours in a row, the first in the low half; the second counts where both are inside. What is widened it stores.
INLINE u32 after(const Product &p, i64 at, bool both, u32 pair) {
#pragma unroll 1
	for (u32 k = 0; k <= both; k++) {
		E y = {(u16)pair};
		i64 place = at + k * p.outStrides[2];
		if (widens(p)) {
			putElement(p, place, y);
		} else {
			y = after(p, place, y);
		}
		pair = pair >> 16 | (u32)y.bits << 16;
	}
	return both ? pair : pair >> 16;
}
#endif

// put stores y, or what follows it, at a place of the result.
INLINE void put(const Product &p, i64 at, f32 y) {
	E e = Cast<E>::of(y);
	if (!follows(p)) {
		store<E>(p.out, at, e);
	} else {
		putElement(p, at, widens(p) ? e : after(p, at, e));
	}
}
#endif

// finish stores a sum, or a part of it.
INLINE void finish(const Product &p, const Place &at, u32 r, u32 c, Sum sum) {
	if (at.parts != 1) {
		store<Sum>(p.partials, (i64)(at.partials.from + r * at.partials.pitch + c), sum);
	} else {
		put(p, at.batch * p.outStrides[0] + r * p.outStrides[1] + c * p.outStrides[2], finished(p, at.batch, r, c, sum));
	}
}

// An End knows where the block's tile lies, once its sums are there: what was computed from the block's number needs no registers until then.
template <int ROWS, int COLUMNS> struct End {
	const Product &p;
	Place at;
	u32 c;

	__device__ __attribute__((always_inline)) End(const Product &p) : p(p), at(placeOf<ROWS, COLUMNS>(p, thisBlock())), c(0) {}

	// turn goes to a column of the tile.
	__device__ __attribute__((always_inline)) void turn(u32 column) { c = at.n + column; }

	// put stores the column's sum of a row of the tile, unless it lies outside.
	__device__ __attribute__((always_inline)) void put(u32 row, Sum sum) const {
		u32 r = at.m + row;
		if (r < p.m && c < p.n) {
			finish(p, at, r, c, sum);
		}
	}
};
