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
// pixel, of which each has every fourth, and taps stay the same. Chunks change places with the pixel (swizzled.cuh); where lines have eight or more, eight neighbouring
// threads have pixels that are four apart, so that their chunks come to lie in either half of the banks.
template <int ROWS, int COLUMNS, int THREADS> struct WeightCourse {
	using A = Panel<ROWS, false>;
	using B = Panel<COLUMNS, false>;
	static const int COUNT_A = A::CHUNKS / 4, COUNT_B = B::CHUNKS / 4, CHUNKS = COUNT_A + COUNT_B; // of a thread: a's, then b's
	static_assert(THREADS == STEPS * 4, "a thread has a pixel");
	const TiledConvolution &p;
	u64 fromA, fromB;        // of dy, and of x as the pixel's first tap sees it
	u32 pitch;               // of pixels of dy
	u32 toA[2], toB[2];      // in a stage, of the first two chunks; those behind them lie evenly
	u32 inA, left, panels;   // bits of A's chunks that are inside; pixels
	i32 at[COUNT_B], y[COUNT_B], x[COUNT_B]; // where the others lie from the first tap on, in chunks and in pixels
	i32 top, side;           // where the first lies in an image
	i32 high, wide;          // how much lower and further to the side it does 32 pixels further
	i32 bottom, edge;        // where it would be below the last pixels of dy and beside them
	i32 height, width;       // what dy covers of x
	i32 further, atEdge, atEnd; // how much further x is read after a panel, so in the next row, and moreover in the next image, in chunks

	// A thread's line of a panel.
	INLINE u32 lineOf(u32 thread, int count) { return count == 1 ? thread / 4 : thread / 32 * 8 + thread / 8 % 4 + thread / 4 % 2 * 4; }

	__device__ __attribute__((always_inline)) WeightCourse(const TiledConvolution &p, const Work &w) : p(p), inA(0) {
		u32 begin = w.part * p.partSteps, lineA = lineOf(threadIdx.x, COUNT_A), line = lineOf(threadIdx.x, COUNT_B), first = threadIdx.x % 4;
		i32 pixel = (i32)(p.groups * p.lines / 8);
		left = stepsOf(p, p.images * p.outSize[0] * p.outSize[1], begin);
		panels = (left + STEPS - 1) / STEPS;
		pitch = held(p.pitch);
		fromA = p.left + ((u64)(begin + lineA) * p.pitch + w.group * (p.pitch / p.groups) + w.m + first * 8) * 2;
#pragma unroll
		for (int l = 0; l < 2; l++) {
			toA[l] = A::place(lineA, first + (COUNT_A > 1 ? l * 4 : 0));
			toB[l] = A::BYTES + B::place(line, first + l * 4);
		}
#pragma unroll
		for (int l = 0; l < COUNT_A; l++) {
			inA |= w.m + (first + l * 4) * 8 < p.rows ? 1 << l : 0;
		}
#pragma unroll
		for (int l = 0; l < COUNT_B; l++) {
			u32 column = w.n + (first + l * 4) * 8, tap = column / p.lines, channel = column - tap * p.lines, row = tap / p.window[1];
			y[l] = (i32)(row * p.dilation[0]) - (i32)p.padding[0];
			x[l] = (i32)((tap - row * p.window[1]) * p.dilation[1]) - (i32)p.padding[1];
			at[l] = (y[l] * (i32)p.inSize[1] + x[l]) * pixel + (i32)((w.group * p.lines + channel) / 8);
			y[l] = column < w.columns ? y[l] : (i32)p.inSize[0]; // outside, wherever the pixel lies
		}
		Pixel q = pixelOf(begin + line, p.outSize[0], p.outSize[1]), by = pixelOf(STEPS, p.outSize[0], p.outSize[1]);
		i32 down = (i32)p.inSize[0], across = (i32)p.inSize[1];
		top = (i32)(q.y * p.stride[0]);
		side = (i32)(q.x * p.stride[1]);
		fromB = p.right + (u64)(((q.image * p.inSize[0] + (u32)top) * p.inSize[1] + (u32)side) * (u32)pixel) * 16 + (u64)((i64)at[0] * 16);
		high = (i32)(by.y * p.stride[0]);
		wide = (i32)(by.x * p.stride[1]);
		height = (i32)held(p.outSize[0] * p.stride[0]);
		width = (i32)held(p.outSize[1] * p.stride[1]);
		further = (((i32)by.image * down + high) * across + wide) * pixel;
		atEdge = further + ((i32)p.stride[0] * across - width) * pixel;
		atEnd = (down - height) * across * pixel;
		top += y[0];
		side += x[0];
		bottom = height + y[0];
		edge = width + x[0];
#pragma unroll
		for (int l = COUNT_B - 1; l >= 0; l--) {
			at[l] -= at[0];
			y[l] -= y[0];
			x[l] -= x[0];
		}
	}

	// walk goes so many pixels on as a panel has.
	__device__ __attribute__((always_inline)) void walk() {
		i32 n;
		asm("{\n\t.reg .pred p, q;\n\t"
			"add.s32 %0, %0, %3;\n\tsetp.ge.s32 p, %0, %4;\n\t@p sub.s32 %0, %0, %5;\n\tselp.s32 %2, %6, %7, p;\n\t"
			"add.s32 %1, %1, %8;\n\t@p add.s32 %1, %1, %9;\n\t"
			"setp.ge.s32 q, %1, %10;\n\t@q sub.s32 %1, %1, %11;\n\t@q add.s32 %2, %2, %12;\n\t}"
			: "+r"(side), "+r"(top), "=&r"(n)
			: "r"(wide), "r"(edge), "r"(width), "r"(atEdge), "r"(further), "r"(high), "r"(p.stride[0]), "r"(bottom), "r"(height), "r"(atEnd));
		fromB += (u64)((i64)n * 16);
	}

	__device__ __attribute__((always_inline)) u32 to(int i) const {
		return i < COUNT_A ? toA[i % 2] + i / 2 * 128 : toB[(i - COUNT_A) % 2] + (i - COUNT_A) / 2 * 128;
	}

	// whole and next are those of a Course.
	__device__ __attribute__((always_inline)) bool whole(u32 panel) const { return panel < left / STEPS; }

	template <bool WHOLE, class F> __device__ __attribute__((always_inline)) void next(u32 left, F f) {
		bool hasA = WHOLE || lineOf(threadIdx.x, COUNT_A) < left, hasB = WHOLE || lineOf(threadIdx.x, COUNT_B) < left;
#pragma unroll
		for (int l = 0; l < COUNT_A; l++) {
			f(l, fromA + l * 64, (hasA ? inA : 0) & 1 << l);
		}
#pragma unroll
		for (int l = 0; l < COUNT_B; l++) {
			bool in = hasB && (u32)(top + y[l]) < p.inSize[0] && (u32)(side + x[l]) < p.inSize[1];
			f(COUNT_A + l, fromB + (u64)((i64)at[l] * 16), in);
		}
		goOn(fromA, (u64)STEPS * pitch * 2);
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
