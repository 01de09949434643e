// Where a block of a convolution works, and where its sums belong. A convolution is a product of which one operand is never stored: its columns are
// pixels, its common axis the taps of a window, each over the channels of a group.
//
// The gradient for the input is such a convolution too: of dy, by taps that go backwards. A stride cuts its pixels into phases, each of which
// meets the taps that lie on it, evenly apart.
#pragma once

#include "element.cuh"
#include "params.cuh"
#include "pixel.cuh"
#include "result.cuh"

// An Axis says which places of the result a phase has along an axis, first + i·apart, and where in the source place i meets tap t: at
// source + i·stride + t·step.
struct Axis {
	u32 first, apart, places;
	i32 source, stride, step;
	u32 taps, tap, between; // tap t is the weights' tap + t·between
};

INLINE Axis axisOf(const TiledConvolution &p, int d, u32 phase) {
	u32 stride = p.stride[d], step = p.dilation[d], window = p.window[d];
	if (!p.gradient) {
		return {0, 1, p.outSize[d], -(i32)p.padding[d], (i32)stride, (i32)step, window, 0, 1};
	}
	u32 place = phase + p.padding[d], tap = 0, between = 1;
	while (tap < window && (u64)tap * step % stride != place % stride) {
		tap++;
	}
	while (between < window && (u64)between * step % stride != 0) {
		between++;
	}
	u32 places = (p.outSize[d] - phase + stride - 1) / stride, taps = tap < window ? (window - tap - 1) / between + 1 : 0;
	i32 source = ((i32)place - (i32)(tap * step)) / (i32)stride;
	return {phase, stride, places, source, 1, -(i32)(between * step / stride), taps, tap, between};
}

// A Work is a tile of the result, from row m and column n on, of a group and of a part of the common axis.
struct Work {
	u32 m, n, group, part, columns; // of the phase
	Axis y, x;

	INLINE bool inside(const Work &w) { return w.n < w.columns; }
};

// workOf is the work of a block: there is one for each tile of the largest phase, in each phase, group and part.
template <int ROWS, int COLUMNS> INLINE Work workOf(const TiledConvolution &p, u32 block) {
	u32 down = (p.rows + ROWS - 1) / ROWS;
	u32 tile = block / down, phase = tile / p.across, group = phase / (p.phases[0] * p.phases[1]);
	Work w;
	w.m = (block - tile * down) * ROWS;
	w.n = (tile - phase * p.across) * COLUMNS;
	phase -= group * p.phases[0] * p.phases[1];
	w.part = group / p.groups;
	w.group = group - w.part * p.groups;
	w.y = axisOf(p, 0, phase / p.phases[1]);
	w.x = axisOf(p, 1, phase % p.phases[1]);
	w.columns = p.images * w.y.places * w.x.places;
	return w;
}

// A Depth is a place along the common axis, which has lines channels for each tap, those that are there and others to make whole steps.
struct Depth {
	u32 row, column, channel;

	INLINE Depth of(const Work &w, u32 at, u32 lines) {
		u32 tap = at / lines, row = w.x.taps == 0 ? 0 : tap / w.x.taps;
		return {row, tap - row * w.x.taps, at - tap * lines};
	}

	// tapOf is the number of the weights' tap.
	INLINE u32 tapOf(const Depth &d, const TiledConvolution &p, const Work &w) {
		return (w.y.tap + d.row * w.y.between) * p.window[1] + w.x.tap + d.column * w.x.between;
	}

	// next goes so many channels on, and reports whether that is another tap: the next one, where a tap has as many at least.
	template <bool LONG> INLINE bool next(Depth &d, const Work &w, u32 by, u32 lines) {
		d.channel += by;
		if (d.channel < lines) {
			return false;
		}
		do {
			d.channel -= lines;
			if (++d.column == w.x.taps) {
				d.column = 0;
				d.row++;
			}
		} while (!LONG && d.channel >= lines);
		return true;
	}
};

// stepsOf is how many steps of the common axis, of which a phase has so many, belong to a part that begins at begin.
INLINE u32 stepsOf(const TiledConvolution &p, u32 depth, u32 begin) { return begin < depth ? min(depth - begin, p.partSteps) : 0; }

// A Spot is where the sum of a pixel's first row belongs, in elements.
struct Spot {
	u64 at;
	bool inside;
};

INLINE Spot spotAt(const TiledConvolution &p, const Work &w, const Pixel &q) {
	u64 plane = ((u64)(w.part * p.images + q.image) * p.groups + w.group) * p.rows + w.m;
	u32 y = w.y.first + q.y * w.y.apart, x = w.x.first + q.x * w.x.apart;
	return {(plane * p.outSize[0] + y) * p.outSize[1] + x, true};
}

INLINE Spot spotOf(const TiledConvolution &p, const Work &w, u32 column) {
	return column < w.columns ? spotAt(p, w, pixelOf(column, w.y.places, w.x.places)) : Spot{0, false};
}

// put stores a sum with its bias, or a part of it, in channel m + row of a group.
INLINE void put(const TiledConvolution &p, u32 group, u32 channel, u64 at, f32 sum) {
	if (p.parts != 1) {
		store<f32>(p.out, (i64)at, sum);
		return;
	}
	f32 bias = p.bias != 0 ? element(p.bias, (i64)group * p.rows + channel) : 0;
	store<E>(p.out, (i64)at, Cast<E>::of(sum + bias));
}

// Outputs is the End of a tile of pixels.
template <int ROWS, int COLUMNS> struct Outputs {
	const TiledConvolution &p;
	Work w;
	Spot spot;

	__device__ __attribute__((always_inline)) Outputs(const TiledConvolution &p) : p(p), w(workOf<ROWS, COLUMNS>(p, thisBlock())), spot{0, false} {}

	__device__ __attribute__((always_inline)) void turn(u32 column) { spot = spotOf(p, w, w.n + column); }

	__device__ __attribute__((always_inline)) void put(u32 row, f32 sum) const {
		if (spot.inside && w.m + row < p.rows) {
			::put(p, w.group, w.m + row, spot.at + (u64)row * p.outSize[0] * p.outSize[1], sum);
		}
	}
};
