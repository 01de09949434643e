// How tiles of a convolution's operands in float32 come into shared memory. A source tells of each of a thread's COUNT units, of the tile that it has
// turned to, where it lies in memory, whether it is inside, and where in the tile it goes. A tile lies across the common axis, its lines padded by GAP elements,
// which the main loop's file defines.
#pragma once

#include "conv_weights.cuh"

// A source's tile has DEEP steps.

// WeightLines are fours of the weights, packed as [group][tap][channel][row], in lines of p.pitch.
template <int SIZE, int DEEP, int THREADS> struct WeightLines {
	using Unit = Four;
	static const int LINE = SIZE / 4, APART = THREADS / LINE, COUNT = APART > DEEP ? 1 : DEEP / APART;
	u64 start, from, step; // of the matrix, of the thread's first unit, and from channel to channel, in bytes
	u32 k, i, left;

	__device__ __attribute__((always_inline)) WeightLines(const TiledConvolution &p, u32 m) : start(p.left), step((u64)p.pitch * 4), k(threadIdx.x / LINE), i(threadIdx.x % LINE * 4) {
		k = m + i < p.pitch ? k : DEEP; // which is never inside
		start += m * 4;
	}

	// turn goes to a line, which so many of the tap follow, with itself.
	__device__ __attribute__((always_inline)) void turn(u64 line, u32 lines) {
		from = start + (line + k) * step + i * 4;
		left = lines;
	}

	__device__ __attribute__((always_inline)) void advance() {
		from += DEEP * step;
		left -= min(left, DEEP);
	}

	__device__ __attribute__((always_inline)) bool in(int l) const { return k + l * APART < min(left, DEEP); }
	__device__ __attribute__((always_inline)) u64 at(int l) const { return from + l * APART * step; }
	__device__ __attribute__((always_inline)) u32 to(int l) const { return (threadIdx.x / LINE + l * APART) * (SIZE + GAP) * 4 + i * 4; }
	__device__ __attribute__((always_inline)) bool stored() const { return APART <= DEEP || threadIdx.x / LINE < DEEP; }
};

// Pixels are single elements of x or dy, of one pixel for each thread, as a tap sees it.
template <int SIZE, int DEEP, int THREADS> struct Pixels {
	using Unit = f32;
	static const int APART = THREADS / SIZE, COUNT = DEEP / APART;
	u64 start, from, plane; // of the image's first channel, of the thread's first unit, and from channel to channel, in bytes
	i32 y, x;
	u32 left;
	bool has;

	__device__ __attribute__((always_inline)) Pixels(const TiledConvolution &p, const Work &w) : plane((u64)p.inSize[0] * p.inSize[1] * 4) {
		u32 column = w.n + threadIdx.x % SIZE;
		has = column < w.columns;
		Pixel q = pixelOf(has ? column : 0, w.y.places, w.x.places);
		y = w.y.source + (i32)q.y * w.y.stride;
		x = w.x.source + (i32)q.x * w.x.stride;
		start = p.right + ((u64)q.image * p.groups + w.group) * p.channels * plane;
	}

	// turn goes to a channel, which so many of the tap follow, with itself.
	__device__ __attribute__((always_inline)) void turn(const TiledConvolution &p, const Work &w, const Depth &d, u32 channels) {
		u32 down = (u32)(y + (i32)d.row * w.y.step), across = (u32)(x + (i32)d.column * w.x.step);
		left = has && down < p.inSize[0] && across < p.inSize[1] ? channels : 0;
		from = start + (d.channel + threadIdx.x / SIZE) * plane + (u64)(down * p.inSize[1] + across) * 4;
	}

	__device__ __attribute__((always_inline)) void advance() {
		from += DEEP * plane;
		left -= min(left, DEEP);
	}

	__device__ __attribute__((always_inline)) bool in(int l) const { return threadIdx.x / SIZE + l * APART < left; }
	__device__ __attribute__((always_inline)) u64 at(int l) const { return from + l * APART * plane; }
	__device__ __attribute__((always_inline)) u32 to(int l) const { return ((threadIdx.x / SIZE + l * APART) * (SIZE + GAP) + threadIdx.x % SIZE) * 4; }
	__device__ __attribute__((always_inline)) bool stored() const { return true; }
};

#define MOST_REACHES 512 // of a convolution of few channels

// FewPixels are Pixels for few channels: the common axis is each tap's channels without any lines between, and a table tells of its steps.
template <int SIZE, int DEEP, int THREADS> struct FewPixels {
	using Unit = f32;
	static const int APART = THREADS / SIZE, COUNT = DEEP / APART;
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

	__device__ __attribute__((always_inline)) bool in(int l) const {
		u32 at = k + l * APART;
		return at < end && (u32)(y + reaches[at].y) < height && (u32)(x + reaches[at].x) < width;
	}
	__device__ __attribute__((always_inline)) u64 at(int l) const { return right + (u64)(start + reaches[k + l * APART].at) * 4; }
	__device__ __attribute__((always_inline)) u32 to(int l) const { return ((threadIdx.x / SIZE + l * APART) * (SIZE + GAP) + threadIdx.x % SIZE) * 4; }
	__device__ __attribute__((always_inline)) bool stored() const { return true; }
};

// Gradients are single elements of dy, of one pixel for each thread.
template <int SIZE, int DEEP, int THREADS> struct Gradients {
	using Unit = f32;
	static const int APART = THREADS / DEEP, COUNT = SIZE / APART;
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

	__device__ __attribute__((always_inline)) bool in(int l) const { return i + l * APART < rows; }
	__device__ __attribute__((always_inline)) u64 at(int l) const { return from + l * APART * plane; }
	__device__ __attribute__((always_inline)) u32 to(int l) const { return (threadIdx.x % DEEP * (SIZE + GAP) + threadIdx.x / DEEP + l * APART) * 4; }
	__device__ __attribute__((always_inline)) bool stored() const { return true; }
};

// Seen are single elements of x, as each column's tap sees the thread's pixel of dy.
template <int SIZE, int DEEP, int THREADS> struct Seen {
	using Unit = f32;
	static const int APART = THREADS / DEEP, COUNT = SIZE / APART;
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

	__device__ __attribute__((always_inline)) bool in(int l) const {
		const Reach &r = reaches[threadIdx.x / DEEP + l * APART];
		return (u32)(y + r.y) < height && (u32)(x + r.x) < width;
	}
	__device__ __attribute__((always_inline)) u64 at(int l) const { return from + (u64)reaches[threadIdx.x / DEEP + l * APART].at * 4; }
	__device__ __attribute__((always_inline)) u32 to(int l) const { return (threadIdx.x % DEEP * (SIZE + GAP) + threadIdx.x / DEEP + l * APART) * 4; }
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

	__device__ __attribute__((always_inline)) Course(const TiledConvolution &p, const Work &w)
		: p(p), w(w), d(Depth::of(w, w.part * p.partSteps, p.lines)), left(stepsOf(p, w.y.taps * w.x.taps * p.lines, w.part * p.partSteps)), a(p, w.m), b(p, w) {
		turn();
	}

	__device__ __attribute__((always_inline)) void turn() {
		u32 channels = left > 0 ? p.channels - d.channel : 0; // a phase may meet no tap
		a.turn((u64)(w.group * p.window[0] * p.window[1] + Depth::tapOf(d, p, w)) * p.channels + d.channel, channels);
		b.turn(p, w, d, channels);
	}

	// next goes so many steps on, which are a tile.
	__device__ __attribute__((always_inline)) void next(u32 by) {
		left -= min(left, by);
		if (Depth::next<true>(d, w, by, p.lines)) {
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
		: left(stepsOf(p, p.window[0] * p.window[1] * p.channels, w.part * p.partSteps)), a(p, w.m),
		  b(p, w, reaches, w.part * p.partSteps, w.part * p.partSteps + left) {
		u32 depth = p.window[0] * p.window[1] * p.channels;
		a.turn((u64)w.group * depth + w.part * p.partSteps, left);
		for (u32 k = threadIdx.x; k < depth; k += blockDim.x) {
			reaches[k] = Reach::of(p, k / p.channels, k % p.channels);
		}
		__syncthreads();
	}

	__device__ __attribute__((always_inline)) void next(u32 by) {
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

	__device__ __attribute__((always_inline)) void next(u32 by) {
		left -= min(left, by);
		Walk::next(walk, p);
		turn();
	}
};
