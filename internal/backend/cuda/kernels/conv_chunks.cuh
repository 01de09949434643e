// How panels of a convolution's operands of 16-bit elements come into shared memory: chunks of 8 channels. x and dy are packed with their channels
// last, [pixel][group][lines], lines being a multiple of 8, weights as [group][row][tap][lines]; what lies beyond the channels is not read.
#pragma once

#include "conv_weights.cuh"
#include "mma_loop.cuh"

// A Course copies panels of both operands of a convolution, which lie along the common axis: four neighbouring threads copy the chunks of a line.
template <int ROWS, int COLUMNS, int THREADS> struct Course {
	using A = Panel<ROWS, true>;
	using B = Panel<COLUMNS, true>;
	static const int APART = THREADS / 4, COUNT = COLUMNS / APART;
	const TiledConvolution &p;
	const Work &w;
	u64 weights, from[COUNT]; // of the first row; of pixels as they lie under the first tap
	i32 y[COUNT], x[COUNT];
	Depth d; // of the thread's chunk
	u32 left;

	__device__ __attribute__((always_inline)) Course(const TiledConvolution &p, const Work &w) : p(p), w(w) {
		u32 begin = w.part * p.partSteps, line = threadIdx.x / 4;
		left = stepsOf(p, w.y.taps * w.x.taps * p.lines, begin);
		d = Depth::of(w, begin + threadIdx.x % 4 * 8, p.lines);
		weights = p.left + (u64)(w.group * p.rows + w.m + line) * p.window[0] * p.window[1] * p.lines * 2;
#pragma unroll
		for (int l = 0; l < COUNT; l++) {
			u32 column = w.n + line + l * APART;
			bool has = column < w.columns;
			Pixel q = pixelOf(has ? column : 0, w.y.places, w.x.places);
			y[l] = w.y.source + (i32)q.y * w.y.stride;
			x[l] = w.x.source + (i32)q.x * w.x.stride;
			i64 pixel = ((i64)q.image * p.inSize[0] + y[l]) * p.inSize[1] + x[l];
			from[l] = p.right + (u64)((pixel * p.groups + w.group) * p.lines) * 2;
			y[l] = has ? y[l] : -0x7fffffff - 1; // which no tap brings inside
		}
	}

	// copy starts to copy the next panels, a's before b's.
	__device__ __attribute__((always_inline)) void copy(u32 stage) {
		u32 chunk = threadIdx.x % 4, line = threadIdx.x / 4;
		u32 bytes = d.row < w.y.taps && d.channel < p.channels ? min((p.channels - d.channel) * 2, 16) : 0;
		u64 at = weights + (u64)(Depth::tapOf(d, p, w) * p.lines + d.channel) * 2;
		u64 apart = (u64)APART * p.window[0] * p.window[1] * p.lines * 2;
#pragma unroll
		for (int l = 0; l < ROWS / APART; l++) {
			bool in = bytes > 0 && w.m + line + l * APART < p.rows;
			copyAsync(stage + A::place(line + l * APART, chunk), in ? at + l * apart : p.left, in ? bytes : 0);
		}
		i32 down = (i32)d.row * w.y.step, across = (i32)d.column * w.x.step;
		u64 further = (u64)(((i64)down * p.inSize[1] + across) * p.groups * p.lines + d.channel) * 2;
#pragma unroll
		for (int l = 0; l < COUNT; l++) {
			bool in = bytes > 0 && (u32)(y[l] + down) < p.inSize[0] && (u32)(x[l] + across) < p.inSize[1];
			copyAsync(stage + A::BYTES + B::place(line + l * APART, chunk), in ? from[l] + further : p.right, in ? bytes : 0);
		}
		left -= min(left, STEPS);
		Depth::next(d, w, STEPS, p.lines);
	}
};

// A WeightCourse copies panels of dy and of x as taps see it, which lie across the common axis, the pixels of dy: a thread copies the same chunk of several
// pixels.
template <int ROWS, int COLUMNS, int THREADS> struct WeightCourse {
	using A = Panel<ROWS, false>;
	using B = Panel<COLUMNS, false>;
	static const int APART_A = THREADS / A::CHUNKS, APART_B = THREADS / B::CHUNKS;
	const TiledConvolution &p;
	u64 fromA, fromB; // of the thread's first pixel of dy, of x's first image under the tap
	u32 bytesA, bytesB, left;
	i32 y, x; // of the tap
	Walk walk;

	__device__ __attribute__((always_inline)) WeightCourse(const TiledConvolution &p, const Work &w) : p(p) {
		u32 begin = w.part * p.partSteps, row = w.m + threadIdx.x % A::CHUNKS * 8, column = w.n + threadIdx.x % B::CHUNKS * 8;
		left = stepsOf(p, p.images * p.outSize[0] * p.outSize[1], begin);
		bytesA = row < p.rows ? min((p.rows - row) * 2, 16) : 0;
		fromA = p.left + ((u64)(begin + threadIdx.x / A::CHUNKS) * p.pitch + w.group * (p.pitch / p.groups) + row) * 2;
		u32 tap = column / p.lines, channel = column - tap * p.lines, line = tap / p.window[1];
		bytesB = column < w.columns && channel < p.channels ? min((p.channels - channel) * 2, 16) : 0;
		y = (i32)(line * p.dilation[0]) - (i32)p.padding[0];
		x = (i32)((tap - line * p.window[1]) * p.dilation[1]) - (i32)p.padding[1];
		fromB = p.right + (u64)((((i64)y * p.inSize[1] + x) * p.groups + w.group) * p.lines + channel) * 2;
		walk = Walk::of(p, begin + threadIdx.x / B::CHUNKS, APART_B);
	}

	__device__ __attribute__((always_inline)) void copy(u32 stage) {
		u32 lineA = threadIdx.x / A::CHUNKS, lineB = threadIdx.x / B::CHUNKS;
#pragma unroll
		for (int l = 0; l < STEPS / APART_A; l++) {
			bool in = bytesA > 0 && lineA + l * APART_A < left;
			copyAsync(stage + A::place(lineA + l * APART_A, threadIdx.x % A::CHUNKS), in ? fromA + (u64)l * APART_A * p.pitch * 2 : p.left, in ? bytesA : 0);
		}
		fromA += (u64)STEPS * p.pitch * 2;
#pragma unroll
		for (int l = 0; l < STEPS / APART_B; l++) {
			u32 down = walk.at.y * p.stride[0], across = walk.at.x * p.stride[1];
			bool in = bytesB > 0 && lineB + l * APART_B < left && down + y < p.inSize[0] && across + x < p.inSize[1];
			u64 pixel = ((u64)walk.at.image * p.inSize[0] + down) * p.inSize[1] + across;
			u64 from = in ? fromB + pixel * p.groups * p.lines * 2 : p.right;
			copyAsync(stage + A::BYTES + B::place(lineB + l * APART_B, threadIdx.x % B::CHUNKS), from, in ? bytesB : 0);
			Walk::next(walk, p);
		}
		left -= min(left, STEPS);
	}
};

// OutputPairs is the End of a tile of pixels.
template <int ROWS, int COLUMNS> struct OutputPairs : Outputs<ROWS, COLUMNS> {
	Spot next;
	bool whole; // whether both go to memory as one word

	__device__ __attribute__((always_inline)) OutputPairs(const TiledConvolution &p) : Outputs<ROWS, COLUMNS>(p), next{0, false}, whole(false) {}

	__device__ __attribute__((always_inline)) void turn(u32 column) {
		const TiledConvolution &p = this->p;
		this->spot = spotOf(p, this->w, this->w.n + column);
		next = spotOf(p, this->w, this->w.n + column + 1);
		whole = p.parts == 1 && next.inside && next.at == this->spot.at + 1 && (this->spot.at | (u64)p.outSize[0] * p.outSize[1]) % 2 == 0;
	}

	__device__ __attribute__((always_inline)) void put(u32 row, f32 first, f32 second) const {
		const TiledConvolution &p = this->p;
		u32 channel = this->w.m + row;
		u64 further = (u64)row * p.outSize[0] * p.outSize[1];
		if (channel >= p.rows || !this->spot.inside) {
			return;
		}
		if (whole) {
			f32 bias = p.bias != 0 ? element(p.bias, (i64)this->w.group * p.rows + channel) : 0;
			store<u32>(p.out, (i64)((this->spot.at + further) / 2), pack(first + bias, second + bias));
			return;
		}
		::put(p, this->w.group, channel, this->spot.at + further, first);
		if (next.inside) {
			::put(p, this->w.group, channel, next.at + further, second);
		}
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
