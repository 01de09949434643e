// How panels of a convolution's operands of 16-bit elements come into shared memory: chunks of 8 channels. x and dy are packed with their channels
// last, [pixel][group][lines], lines being a multiple of 8, weights as [group][row][tap][lines]; zeros fill the lines beyond the channels.
//
// Offsets count chunks, so that 32 bits are enough for them, and an address is one multiplication.
#pragma once

#include "conv_pairs.cuh"
#include "conv_weights.cuh"
#include "mma_loop.cuh"

// A Course goes over panels of both operands of a convolution, which lie along the common axis: four neighbouring threads have the chunks of a line. What a
// tap changes, addresses and which pixels it sees, is computed when a thread comes to another one.
template <int ROWS, int COLUMNS, int THREADS> struct Course {
	using A = Panel<ROWS, true>;
	using B = Panel<COLUMNS, true>;
	static const int APART = THREADS / 4, COUNT = COLUMNS / APART, CHUNKS = ROWS / APART + COUNT; // of a thread: a's, then b's
	const TiledConvolution &p;
	const Work &w;
	u64 firstA, firstB; // of the thread's first row and of the group in the first pixel of the tile's image
	u64 fromA, fromB;   // the same, of the thread's chunk of the tap
	u32 row[ROWS / APART]; // chunks from the first of its rows on; those beyond the last are the last one
	i32 at[COUNT], y[COUNT], x[COUNT]; // pixels as they lie under the first tap
	Depth d;
	bool inA;         // whether there is a tap
	u32 inB;          // bits of the pixels that it sees
	u32 left, panels;
	u32 channel, last; // of a tap, with which the next panel starts, and ends at most; 0 where panels may lie in several taps

	__device__ __attribute__((always_inline)) Course(const TiledConvolution &p, const Work &w) : p(p), w(w) {
		u32 begin = w.part * p.partSteps, line = threadIdx.x / 4, first = pixelOf(w.n, w.y.places, w.x.places).image;
		left = stepsOf(p, w.y.taps * w.x.taps * p.lines, begin);
		d = Depth::of(w, begin + threadIdx.x % 4 * 8, p.lines);
		u32 top = min(w.m + line, p.rows - 1), chunks = p.window[0] * p.window[1] * p.lines / 8;
		firstA = p.left + (u64)(w.group * p.rows + top) * chunks * 16;
		firstB = p.right + ((u64)first * p.inSize[0] * p.inSize[1] * p.groups + w.group) * p.lines * 2;
#pragma unroll
		for (int l = 0; l < ROWS / APART; l++) {
			row[l] = (min(w.m + line + l * APART, p.rows - 1) - top) * chunks;
		}
#pragma unroll
		for (int l = 0; l < COUNT; l++) {
			u32 column = w.n + line + l * APART;
			bool has = column < w.columns;
			Pixel q = pixelOf(has ? column : 0, w.y.places, w.x.places);
			y[l] = w.y.source + (i32)q.y * w.y.stride;
			x[l] = w.x.source + (i32)q.x * w.x.stride;
			at[l] = (((i32)(q.image - first) * (i32)p.inSize[0] + y[l]) * (i32)p.inSize[1] + x[l]) * (i32)(p.groups * p.lines / 8);
			y[l] = has ? y[l] : -0x7fffffff - 1; // which no tap brings inside
		}
		panels = (left + STEPS - 1) / STEPS;
		last = (p.lines | begin) % STEPS == 0 ? p.lines : 0;
		channel = begin % p.lines;
		turn();
	}

	// turn goes to the tap of the thread's chunk.
	__device__ __attribute__((always_inline)) void turn() {
		i32 down = (i32)d.row * w.y.step, across = (i32)d.column * w.x.step;
		fromA = firstA + (u64)(Depth::tapOf(d, p, w) * p.lines + d.channel) * 2;
		fromB = firstB + (u64)((i64)((down * (i32)p.inSize[1] + across) * (i32)(p.groups * p.lines / 8) + (i32)(d.channel / 8)) * 16);
		inB = 0;
#pragma unroll
		for (int l = 0; l < COUNT; l++) {
			inB |= (u32)(y[l] + down) < p.inSize[0] && (u32)(x[l] + across) < p.inSize[1] ? 1 << l : 0;
		}
		inA = d.row < w.y.taps;
		inB = inA ? inB : 0;
	}

	// to is where a stage has a chunk of the thread.
	__device__ __attribute__((always_inline)) u32 to(int i) const {
		u32 first = A::place(threadIdx.x / 4, threadIdx.x % 4);
		return first + (i < CHUNKS - COUNT ? i * APART * A::LINE : A::BYTES + (i - CHUNKS + COUNT) * APART * B::LINE);
	}

	// whole reports whether the next panels are there, and those behind them of the same tap.
	__device__ __attribute__((always_inline)) bool whole(u32 panel) const { return panel < panels && channel + STEPS < last; }

	// next calls f for each of the thread's chunks of the next panels, with where it lies, and 0 where it is not inside; a course over pixels is told how many
	// are left.
	template <bool WHOLE, class F> __device__ __attribute__((always_inline)) void next(u32, F f) {
#pragma unroll
		for (int l = 0; l < ROWS / APART; l++) {
			f(l, fromA + (u64)row[l] * 16, WHOLE || inA);
		}
#pragma unroll
		for (int l = 0; l < COUNT; l++) {
			f(CHUNKS - COUNT + l, fromB + (u64)((i64)at[l] * 16), inB & 1 << l);
		}
		fromA += STEPS * 2;
		fromB += STEPS * 2;
		channel += STEPS;
		if (WHOLE) {
			d.channel += STEPS;
			return;
		}
		if (Depth::next<false>(d, w, STEPS, p.lines)) {
			turn();
		}
		channel = channel < last ? channel : 0;
	}
};

// A WeightCourse goes over panels of dy and of x as taps see it, which lie across the common axis, the pixels of dy: four threads have the chunks of a
// pixel, whose taps stay the same. Of pixels beside each other they begin in either half of the banks. A thread has every fourth chunk, and knows where the
// first two lie of those that change places.
template <int ROWS, int COLUMNS, int THREADS> struct WeightCourse {
	using A = Panel<ROWS, false>;
	using B = Panel<COLUMNS, false>;
	static const int COUNT_A = A::CHUNKS / 4, COUNT_B = B::CHUNKS / 4, CHUNKS = COUNT_A + COUNT_B; // of a thread: a's, then b's
	static_assert(THREADS == STEPS * 4, "a thread has a pixel");
	const TiledConvolution &p;
	u64 fromA[2], step;      // of dy, and how far its next panel lies
	u32 toA[2], toB[2];      // in a stage
	u32 inA, left, panels;   // bits of A's chunks that are inside; pixels
	i32 at[COUNT_B], y[COUNT_B], x[COUNT_B]; // where the taps lie in a window
	u32 window, top, side;   // where the pixel's lies in x, in chunks, and but for the padding
	u32 further, high, wide; // the same, of what 32 pixels further is
	u32 height, width;       // what dy covers of x
	u32 atEdge, atEnd;       // how much further the window lies than it seems, in the next row and in the next image

	INLINE u32 chunkOf(int l, int count) { return threadIdx.x % 4 + 4 * (count > 1 ? l ^ (threadIdx.x / 4 % 2) : l); }

	__device__ __attribute__((always_inline)) WeightCourse(const TiledConvolution &p, const Work &w) : p(p), inA(0) {
		u32 begin = w.part * p.partSteps, line = threadIdx.x / 4, pixel = p.groups * p.lines / 8;
		left = stepsOf(p, p.images * p.outSize[0] * p.outSize[1], begin);
		panels = (left + STEPS - 1) / STEPS;
		step = (u64)STEPS * p.pitch * 2;
#pragma unroll
		for (int l = 0; l < 2; l++) {
			fromA[l] = p.left + ((u64)(begin + line) * p.pitch + w.group * (p.pitch / p.groups) + w.m + chunkOf(l, COUNT_A) * 8) * 2;
			toA[l] = A::place(line, chunkOf(l, COUNT_A));
			toB[l] = A::BYTES + B::place(line, chunkOf(l, COUNT_B));
		}
#pragma unroll
		for (int l = 0; l < COUNT_A; l++) {
			inA |= w.m + chunkOf(l, COUNT_A) * 8 < p.rows ? 1 << l : 0;
		}
#pragma unroll
		for (int l = 0; l < COUNT_B; l++) {
			u32 column = w.n + chunkOf(l, COUNT_B) * 8, tap = column / p.lines, channel = column - tap * p.lines, row = tap / p.window[1];
			y[l] = (i32)(row * p.dilation[0]) - (i32)p.padding[0];
			x[l] = (i32)((tap - row * p.window[1]) * p.dilation[1]) - (i32)p.padding[1];
			at[l] = (y[l] * (i32)p.inSize[1] + x[l]) * (i32)pixel + (i32)((w.group * p.lines + channel) / 8);
			y[l] = column < w.columns ? y[l] : 0x7ffffff0; // outside, wherever the pixel lies
		}
		Pixel q = pixelOf(begin + line, p.outSize[0], p.outSize[1]), by = pixelOf(STEPS, p.outSize[0], p.outSize[1]);
		top = q.y * p.stride[0];
		side = q.x * p.stride[1];
		window = ((q.image * p.inSize[0] + top) * p.inSize[1] + side) * pixel;
		high = by.y * p.stride[0];
		wide = by.x * p.stride[1];
		further = ((by.image * p.inSize[0] + high) * p.inSize[1] + wide) * pixel;
		height = p.outSize[0] * p.stride[0];
		width = p.outSize[1] * p.stride[1];
		atEdge = (p.stride[0] * p.inSize[1] - width) * pixel;
		atEnd = (p.inSize[0] - height) * p.inSize[1] * pixel;
	}

	// walk goes so many pixels on as a panel has.
	__device__ __attribute__((always_inline)) void walk() {
		window += further;
		top += high;
		side += wide;
		if (side >= width) {
			window += atEdge;
			top += p.stride[0];
			side -= width;
		}
		if (top >= height) {
			window += atEnd;
			top -= height;
		}
	}

	__device__ __attribute__((always_inline)) u32 to(int i) const {
		return i < COUNT_A ? toA[i % 2] + i / 2 * 128 : toB[(i - COUNT_A) % 2] + (i - COUNT_A) / 2 * 128;
	}

	// whole and next are those of a Course.
	__device__ __attribute__((always_inline)) bool whole(u32 panel) const { return (panel + 1) * STEPS <= left; }

	template <bool WHOLE, class F> __device__ __attribute__((always_inline)) void next(u32 left, F f) {
		bool has = WHOLE || threadIdx.x / 4 < left;
#pragma unroll
		for (int l = 0; l < COUNT_A; l++) {
			f(l, fromA[l % 2] + l / 2 * 128, (has ? inA : 0) & 1 << l);
		}
#pragma unroll
		for (int l = 0; l < COUNT_B; l++) {
			bool in = has && top + y[l] < p.inSize[0] && side + x[l] < p.inSize[1];
			f(COUNT_A + l, p.right + (u64)(window + at[l]) * 16, in);
		}
		goOn(fromA[0], step);
		goOn(fromA[1], step);
		walk();
	}
};

// OutputPairs is the End of a tile of pixels.
template <int ROWS, int COLUMNS> struct OutputPairs : Outputs<ROWS, COLUMNS> {
	SpotPair spots;

	__device__ __attribute__((always_inline)) OutputPairs(const TiledConvolution &p) : Outputs<ROWS, COLUMNS>(p), spots{} {}

	__device__ __attribute__((always_inline)) void turn(u32 column) {
		u32 n = this->w.n + column;
		spots = SpotPair::of(this->p, spotOf(this->p, this->w, n), spotOf(this->p, this->w, n + 1));
	}

	__device__ __attribute__((always_inline)) void put(u32 row, f32 first, f32 second) const {
		SpotPair::put(spots, this->p, this->w.group, this->w.m + row, row, first, second);
	}
};

// WeightPairs is the End of a tile of a weight's gradient.
template <int ROWS, int COLUMNS> struct WeightPairs {
	Weights<ROWS, COLUMNS> first, second;

	__device__ __attribute__((always_inline)) WeightPairs(const TiledConvolution &p) : first(p), second(p) {}

	__device__ __attribute__((always_inline)) void turn(u32 column) {
		first.turn(column);
		second.turn(column + 1);
	}

	__device__ __attribute__((always_inline)) void put(u32 row, f32 a, f32 b) const {
		first.put(row, a);
		second.put(row, b);
	}
};
