// Where a block of the gradient for a convolution's weights works, and where its sums belong. It is a product over the pixels of dy: of dy, whose
// outputs are rows, and of x as each tap sees it, whose columns are taps, each over the channels of a group.
#pragma once

#include "conv_place.cuh"

// weightsWork is the work of a block: there is one for each tile, group and part.
template <int ROWS, int COLUMNS> INLINE Work weightsWork(const TiledConvolution &p, u32 block) {
	u32 down = (p.rows + ROWS - 1) / ROWS, tile = block / down, group = tile / p.across;
	Work w;
	w.m = (block - tile * down) * ROWS;
	w.n = (tile - group * p.across) * COLUMNS;
	w.part = group / p.groups;
	w.group = group - w.part * p.groups;
	w.columns = p.window[0] * p.window[1] * p.lines;
	return w;
}

// A Walk goes over the pixels of dy, so many at each step.
struct Walk {
	Pixel at, by;

	INLINE Walk of(const TiledConvolution &p, u32 begin, u32 by) {
		return {pixelOf(begin, p.outSize[0], p.outSize[1]), pixelOf(by, p.outSize[0], p.outSize[1])};
	}

	INLINE void next(Walk &w, const TiledConvolution &p) {
		w.at.x += w.by.x;
		u32 over = w.at.x >= p.outSize[1] ? 1 : 0;
		w.at.x -= over ? p.outSize[1] : 0;
		w.at.y += w.by.y + over;
		over = w.at.y >= p.outSize[0] ? 1 : 0;
		w.at.y -= over ? p.outSize[0] : 0;
		w.at.image += w.by.image + over;
	}
};

// A Reach is how much further a tap of a channel lies than the first of the window, in elements.
struct __attribute__((aligned(16))) Reach {
	i64 at;
	i32 y, x;

	INLINE Reach of(const TiledConvolution &p, u32 tap, u32 channel) {
		u32 row = tap / p.window[1];
		i32 y = (i32)(row * p.dilation[0]), x = (i32)((tap - row * p.window[1]) * p.dilation[1]);
		return {((i64)channel * p.inSize[0] + y) * p.inSize[1] + x, y, x};
	}
};

// Weights is the End of a tile of a weight's gradient, whose columns are taps and, for each, so many lines of channels: [output][channel][tap], and
// [output][tap][channel] in parts.
template <int ROWS, int COLUMNS> struct Weights {
	const TiledConvolution &p;
	Work w;
	u64 at, apart; // of the tile's first row in the column, and between rows
	bool inside;

	__device__ __attribute__((always_inline)) Weights(const TiledConvolution &p) : p(p), w(weightsWork<ROWS, COLUMNS>(p, thisBlock())), at(0), apart(0), inside(false) {}

	__device__ __attribute__((always_inline)) void turn(u32 column) {
		u32 taps = p.window[0] * p.window[1], tap = (w.n + column) / p.lines, channel = w.n + column - tap * p.lines;
		inside = w.n + column < w.columns && channel < p.channels;
		apart = (u64)taps * p.channels;
		at = ((u64)(w.part * p.groups + w.group) * p.rows + w.m) * apart;
		at += p.parts == 1 ? (u64)channel * taps + tap : (u64)tap * p.channels + channel;
	}

	__device__ __attribute__((always_inline)) void put(u32 row, f32 sum) const {
		if (inside && w.m + row < p.rows) {
			::put(p, w.group, w.m + row, at + row * apart, sum);
		}
	}
};
