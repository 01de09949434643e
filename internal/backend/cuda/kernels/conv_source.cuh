// How tiles of a convolution's operands in float32 come into shared memory. A source tells of each of a thread's COUNT units, of the tile that it has
// turned to, where it lies in memory and whether it is inside where so many lines are, and of the first where in the tile it goes; the others go
// FURTHER bytes each. A tile lies across the common axis; that of a source whose threads lie along it is bent, as bent.cuh says.
#pragma once

#include "again.cuh"
#include "bent.cuh"
#include "conv_weights.cuh"

// A source's tile has DEEP steps.

#define NEVER 0x40000000 // a step that is not inside, whatever a tile has

// WeightLines are fours of the weights, packed as [group][tap][channel][row], in lines of p.pitch.
template <int SIZE, int DEEP, int THREADS> struct WeightLines {
	using Unit = Four;
	static const bool BENT = false;
	static const int LINE = SIZE / 4, APART = THREADS / LINE, COUNT = APART > DEEP ? 1 : DEEP / APART, FURTHER = APART * (SIZE + GAP) * 4;
	const TiledConvolution &p;
	u64 from; // of the thread's first unit
	i32 k;

	__device__ __attribute__((always_inline)) WeightLines(const TiledConvolution &p, u32 m, bool any) : p(p) {
		k = any && m + threadIdx.x % LINE * 4 < p.pitch && threadIdx.x / LINE < DEEP ? threadIdx.x / LINE : NEVER;
	}

	// turn goes to a line, from row m on.
	__device__ __attribute__((always_inline)) void turn(u32 m, u64 line) {
		u32 thread = thisThread<true>();
		from = p.left + ((line + thread / LINE) * p.pitch + m + thread % LINE * 4) * 4;
	}

	__device__ __attribute__((always_inline)) void advance() { from += (u64)p.pitch * (DEEP * 4); }

	__device__ __attribute__((always_inline)) bool in(int l, i32 lines) const { return lines - k > l * APART; }
	__device__ __attribute__((always_inline)) u64 at(int l) const { return from + (u64)p.pitch * (l * APART * 4); }
	__device__ __attribute__((always_inline)) u32 to(u32 thread) const { return thread / LINE * (SIZE + GAP) * 4 + thread % LINE * 16; }
	__device__ __attribute__((always_inline)) bool stored() const { return APART <= DEEP || threadIdx.x / LINE < DEEP; }
};

// A Start is where a thread's pixel meets the window's first tap, and its image of a group.
struct Start {
	i32 y, x;
	u32 image;
};

// Pixels are single elements of x or dy, of one pixel for each thread, as a tap sees it. Their start is read at each tap alone, and may lie in shared memory.
template <int SIZE, int DEEP, int THREADS> struct Pixels {
	using Unit = f32;
	static const bool BENT = false;
	static const int APART = THREADS / SIZE, COUNT = DEEP / APART, FURTHER = APART * (SIZE + GAP) * 4;
	const TiledConvolution &p;
	Start &start;
	u64 from; // of the thread's first unit
	i32 k;

	__device__ __attribute__((always_inline)) Pixels(const TiledConvolution &p, const Work &w, Start &start, bool any) : p(p), start(start) {
		u32 column = w.n + threadIdx.x % SIZE;
		bool has = any && column < w.columns;
		Pixel q = pixelOf(has ? column : 0, w.y.places, w.x.places);
		start.y = has ? w.y.source + (i32)q.y * w.y.stride : -0x7fffffff - 1; // which no tap brings inside
		start.x = w.x.source + (i32)q.x * w.x.stride;
		start.image = q.image * p.groups + w.group;
	}

	__device__ __attribute__((always_inline)) u32 plane() const { return p.inSize[0] * p.inSize[1]; }

	// turn goes to a channel of a tap.
	__device__ __attribute__((always_inline)) void turn(const Work &w, const Depth &d) {
		u32 down = (u32)(start.y + (i32)d.row * w.y.step), across = (u32)(start.x + (i32)d.column * w.x.step);
		u32 line = thisThread<true>() / SIZE;
		k = down < p.inSize[0] && across < p.inSize[1] ? line : NEVER;
		from = p.right + (((u64)start.image * p.channels + d.channel + line) * plane() + down * p.inSize[1] + across) * 4;
	}

	__device__ __attribute__((always_inline)) void advance() { from += (u64)plane() * (DEEP * 4); }

	__device__ __attribute__((always_inline)) bool in(int l, i32 lines) const { return lines - k > l * APART; }
	__device__ __attribute__((always_inline)) u64 at(int l) const { return from + (u64)plane() * (l * APART * 4); }
	__device__ __attribute__((always_inline)) u32 to(u32 thread) const { return (thread / SIZE * (SIZE + GAP) + thread % SIZE) * 4; }
	__device__ __attribute__((always_inline)) bool stored() const { return true; }
};

#define MOST_REACHES 512 // of a convolution of few channels

// FewPixels are Pixels for few channels: the common axis is each tap's channels without any lines between, and a table tells of its steps.
template <int SIZE, int DEEP, int THREADS> struct FewPixels {
	using Unit = f32;
	static const bool BENT = false;
	static const int APART = THREADS / SIZE, COUNT = DEEP / APART, FURTHER = APART * (SIZE + GAP) * 4;
	i64 start; // of the window's first tap, in elements
	i32 y, x;
	u32 k, end;
	const Reach *reaches;
	u64 right;
	u32 height, width;

	__device__ __attribute__((always_inline)) FewPixels(const TiledConvolution &p, const Work &w, const Reach *reaches, u32 begin, u32 end)
		: k(begin + threadIdx.x / SIZE), end(end), reaches(reaches), right(p.right), height(p.inSize[0]), width(p.inSize[1]) {
		u32 column = w.n + threadIdx.x % SIZE;
		Pixel q = pixelOf(column < w.columns ? column : 0, p.outSize[0], p.outSize[1]);
		y = w.y.source + (i32)(q.y * p.stride[0]);
		x = w.x.source + (i32)(q.x * p.stride[1]);
		start = (((i64)q.image * p.groups + w.group) * p.channels * height + y) * width + x;
		y = column < w.columns ? y : -0x7fffffff - 1; // which no tap brings inside
	}

	__device__ __attribute__((always_inline)) void advance() { k += DEEP; }

	// reach is a step's, or of one that is not inside the last one's.
	__device__ __attribute__((always_inline)) const Reach &reach(int l) const { return reaches[min(k + l * APART, end - 1)]; }

	__device__ __attribute__((always_inline)) bool in(int l, i32) const {
		const Reach &r = reach(l);
		return k + l * APART < end & (u32)(y + r.y) < height & (u32)(x + r.x) < width;
	}
	__device__ __attribute__((always_inline)) u64 at(int l) const { return right + (u64)(start + reach(l).at) * 4; }
	__device__ __attribute__((always_inline)) u32 to(u32 thread) const { return (thread / SIZE * (SIZE + GAP) + thread % SIZE) * 4; }
	__device__ __attribute__((always_inline)) bool stored() const { return true; }
};

// Gradients are single elements of dy, of one pixel for each thread.
template <int SIZE, int DEEP, int THREADS> struct Gradients {
	using Unit = f32;
	static const bool BENT = true;
	static const int APART = THREADS / DEEP, COUNT = SIZE / APART, FURTHER = APART * 4;
	u64 start, from, plane; // of the first image's first row, of the thread's first unit, and from row to row, in bytes
	u32 i, rows;

	__device__ __attribute__((always_inline)) Gradients(const TiledConvolution &p, const Work &w)
		: plane((u64)p.outSize[0] * p.outSize[1] * 4), i(threadIdx.x / DEEP), rows(p.rows - w.m) {
		start = p.left + ((u64)w.group * p.rows + w.m + i) * plane;
	}

	__device__ __attribute__((always_inline)) void turn(const TiledConvolution &p, const Pixel &q, bool has) {
		from = start + (u64)q.image * p.groups * p.rows * plane + (u64)(q.y * p.outSize[1] + q.x) * 4;
		i = has ? threadIdx.x / DEEP : 0x80000000; // which is never inside
	}

	__device__ __attribute__((always_inline)) bool in(int l, i32) const { return i + l * APART < rows; }
	__device__ __attribute__((always_inline)) u64 at(int l) const { return from + l * APART * plane; }
	__device__ __attribute__((always_inline)) u32 to(u32 thread) const { return (thread % DEEP * (SIZE + GAP) + (thread / DEEP ^ bentBy(thread % DEEP))) * 4; }
	__device__ __attribute__((always_inline)) bool stored() const { return true; }
};

// Seen are single elements of x, as each column's tap sees the thread's pixel of dy.
template <int SIZE, int DEEP, int THREADS> struct Seen {
	using Unit = f32;
	static const bool BENT = true;
	static const int APART = THREADS / DEEP, COUNT = SIZE / APART, FURTHER = APART * 4;
	const Reach *reaches;
	u64 start, from; // of the first image's first channel, and of the window's first tap
	i32 y, x;
	u32 height, width;

	__device__ __attribute__((always_inline)) Seen(const TiledConvolution &p, const Work &w, const Reach *reaches)
		: reaches(reaches), start(p.right + (u64)w.group * p.channels * p.inSize[0] * p.inSize[1] * 4), height(p.inSize[0]), width(p.inSize[1]) {}

	__device__ __attribute__((always_inline)) void turn(const TiledConvolution &p, const Pixel &q, bool has) {
		y = (i32)(q.y * p.stride[0]) - (i32)p.padding[0];
		x = (i32)(q.x * p.stride[1]) - (i32)p.padding[1];
		from = start + (u64)((((i64)q.image * p.groups * p.channels * height) + y) * width + x) * 4;
		y = has ? y : -0x7fffffff - 1; // which no tap brings inside
	}

	__device__ __attribute__((always_inline)) bool in(int l, i32) const {
		const Reach &r = reaches[threadIdx.x / DEEP + l * APART];
		return (u32)(y + r.y) < height && (u32)(x + r.x) < width;
	}
	__device__ __attribute__((always_inline)) u64 at(int l) const { return from + (u64)reaches[threadIdx.x / DEEP + l * APART].at * 4; }
	__device__ __attribute__((always_inline)) u32 to(u32 thread) const { return (thread % DEEP * (SIZE + GAP) + (thread / DEEP ^ bentBy(thread % DEEP))) * 4; }
	__device__ __attribute__((always_inline)) bool stored() const { return true; }
};

// A Course is how the blocks of a convolution go along the common axis: what is left of a part, in a tap and its channel.
template <class A, class B> struct Course {
	const TiledConvolution &p;
	const Work &w;
	Depth d;
	u32 left;
	A a;
	B b;

	__device__ __attribute__((always_inline)) Course(const TiledConvolution &p, const Work &w, Start &start)
		: p(p), w(w), d(Depth::of(w, w.part * p.partSteps, p.lines)), left(stepsOf(p, w.y.taps * w.x.taps * p.lines, w.part * p.partSteps)), a(p, w.m, left > 0), b(p, w, start, left > 0) {
		turn();
	}

	__device__ __attribute__((always_inline)) void turn() {
		a.turn(w.m, (u64)(w.group * p.window[0] * p.window[1] + Depth::tapOf(d, p, w)) * p.channels + d.channel);
		b.turn(w, d);
	}

	// lines is how many of the tap's channels are left.
	__device__ __attribute__((always_inline)) i32 lines() const { return (i32)(p.channels - d.channel); }

	// whole reports whether so many lines are channels, and those behind them are of the same tap.
	__device__ __attribute__((always_inline)) bool whole(u32 by) const { return left > 0 && d.channel + by < p.channels; }

	// next goes so many steps on, which are a tile.
	template <bool WHOLE = false> __device__ __attribute__((always_inline)) void next(u32 by) {
		left -= min(left, by);
		if (WHOLE) {
			d.channel += by;
			a.advance();
			b.advance();
		} else if (Depth::next<true>(d, w, by, p.lines)) {
			turn();
		} else {
			a.advance();
			b.advance();
		}
	}
};

// A FewCourse is a Course of FewPixels.
template <class A, class B> struct FewCourse {
	u32 left;
	A a;
	B b;

	__device__ __attribute__((always_inline)) FewCourse(const TiledConvolution &p, const Work &w, Reach *reaches)
		: left(stepsOf(p, p.window[0] * p.window[1] * p.channels, w.part * p.partSteps)), a(p, w.m, true),
		  b(p, w, reaches, w.part * p.partSteps, w.part * p.partSteps + left) {
		u32 depth = p.window[0] * p.window[1] * p.channels;
		a.turn(w.m, (u64)w.group * depth + w.part * p.partSteps);
		for (u32 k = threadIdx.x; k < depth; k += blockDim.x) {
			reaches[k] = Reach::of(p, k / p.channels, k % p.channels);
		}
		__syncthreads();
	}

	__device__ __attribute__((always_inline)) i32 lines() const { return (i32)left; }

	__device__ __attribute__((always_inline)) bool whole(u32) const { return false; }

	template <bool WHOLE = false> __device__ __attribute__((always_inline)) void next(u32 by) {
		left -= min(left, by);
		a.advance();
		b.advance();
	}
};

// A WeightCourse goes over the pixels of dy.
template <class A, class B, int DEEP, int COLUMNS> struct WeightCourse {
	const TiledConvolution &p;
	u32 left;
	Walk walk;
	A a;
	B b;

	__device__ __attribute__((always_inline)) WeightCourse(const TiledConvolution &p, const Work &w, Reach *reaches)
		: p(p), left(stepsOf(p, p.images * p.outSize[0] * p.outSize[1], w.part * p.partSteps)),
		  walk(Walk::of(p, w.part * p.partSteps + threadIdx.x % DEEP, DEEP)), a(p, w), b(p, w, reaches) {
		for (u32 j = threadIdx.x; j < COLUMNS; j += blockDim.x) {
			u32 column = w.n + j, tap = column / p.lines;
			reaches[j] = column < w.columns ? Reach::of(p, tap, column - tap * p.lines) : Reach{0, 0x7ffffff0, 0}; // outside, wherever the pixel lies
		}
		__syncthreads();
		turn();
	}

	__device__ __attribute__((always_inline)) void turn() {
		bool has = threadIdx.x % DEEP < left;
		a.turn(p, walk.at, has);
		b.turn(p, walk.at, has);
	}

	__device__ __attribute__((always_inline)) i32 lines() const { return 0; } // which its sources know

	__device__ __attribute__((always_inline)) bool whole(u32) const { return false; }

	template <bool WHOLE = false> __device__ __attribute__((always_inline)) void next(u32 by) {
		left -= min(left, by);
		Walk::next(walk, p);
		turn();
	}
};
