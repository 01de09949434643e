// Convolutions as implicit matrix products: the right operand, im2col's matrix, is never stored; its elements are loaded from
// where they lie in x or y.
//
// Every kernel takes Convolution. A block computes a tile of one group's result, as in product.cu. Grid: blocks walk over the
// tiles of all groups and parts, so that any number of blocks is right: as many as there are tiles. name_dtype: 256 threads,
// tiles of 64x64; name_small_dtype: 64 threads, tiles of 16x64, for up to 32 rows. The result's rows and columns, and the
// common axis: conv: outputs, the pixels of y, the taps of a group's channels. conv_grad_input: channels, the pixels of x, the
// taps of a group's outputs. conv_grad_weight: outputs, the taps of a group's channels, the pixels of y.
// dtypes: f64
#include "params.cuh"
#include "pixel.cuh"
#include "tile.cuh"

// A Place is where an element of the right operand lies: that of a column and that of a step along the common axis add up. It
// lies outside where y or x does, and where the phases differ: what a stride skips.
struct Place {
	i64 at;
	i32 y, x;
	u32 phase;
};

// A Step is a place along the common axis, in both operands.
struct Step {
	Place right;
	i64 left;
};

#define NO_COLUMN 0xffffffff // phases that no other equals
#define NO_STEP 0xfffffffe

// A Tap is one weight of a window over one channel, or for one output.
struct Tap {
	u32 channel, row, column;
};

INLINE Tap tapOf(const Convolution &p, u32 k) {
	u32 line = k / p.columns, channel = line / p.rows;
	return {channel, line - channel * p.rows, k - line * p.columns};
}

INLINE u32 inPixels(const Convolution &p) { return p.height * p.width; }
INLINE u32 outPixels(const Convolution &p) { return p.outHeight * p.outWidth; }
INLINE u32 window(const Convolution &p) { return p.rows * p.columns; }

// inputPlace is where the window of an output pixel begins in x, padding included.
INLINE Place inputPlace(const Convolution &p, u32 group, Pixel q) {
	i32 y = (i32)(q.y * p.stride[0] - p.padding[0]), x = (i32)(q.x * p.stride[1] - p.padding[1]);
	i64 plane = ((i64)q.image * p.groups + group) * p.channels;
	return {plane * inPixels(p) + (i64)y * p.width + x, y, x, 0};
}

// tapPlace is how much further a tap lies.
INLINE Place tapPlace(const Convolution &p, Tap t) {
	i32 y = (i32)(t.row * p.dilation[0]), x = (i32)(t.column * p.dilation[1]);
	return {(i64)t.channel * inPixels(p) + (i64)y * p.width + x, y, x, 0};
}

// y = w · x
struct Forward {
	static const bool alongDepth = false; // whether neighbouring threads look up steps of a column, or columns
	INLINE u32 rows(const Convolution &p) { return p.outputs; }
	INLINE u32 columns(const Convolution &p) { return p.images * outPixels(p); }
	INLINE u32 depth(const Convolution &p) { return p.channels * window(p); }
	INLINE u32 height(const Convolution &p) { return p.height; }
	INLINE u32 width(const Convolution &p) { return p.width; }
	INLINE i64 leftStep(const Convolution &p) { return depth(p); }
	INLINE i64 outStep(const Convolution &p) { return outPixels(p); }
	INLINE i64 out(const Convolution &p, u32 group, u32, u32 j) {
		u32 image = j / outPixels(p);
		return ((i64)image * p.groups + group) * p.outputs * outPixels(p) + (j - image * outPixels(p));
	}
	INLINE Place column(const Convolution &p, u32 group, u32 j) {
		return inputPlace(p, group, pixelOf(j, p.outHeight, p.outWidth));
	}
	INLINE Step step(const Convolution &p, u32 k) { return {tapPlace(p, tapOf(p, k)), k}; }
};

// dw = dy · xᵀ
struct GradWeight {
	static const bool alongDepth = true;
	INLINE u32 rows(const Convolution &p) { return p.outputs; }
	INLINE u32 columns(const Convolution &p) { return p.channels * window(p); }
	INLINE u32 depth(const Convolution &p) { return p.images * outPixels(p); }
	INLINE u32 height(const Convolution &p) { return p.height; }
	INLINE u32 width(const Convolution &p) { return p.width; }
	INLINE i64 leftStep(const Convolution &p) { return outPixels(p); }
	INLINE i64 outStep(const Convolution &p) { return columns(p); }
	INLINE i64 out(const Convolution &p, u32 group, u32 part, u32 j) {
		return ((i64)part * p.groups + group) * p.outputs * columns(p) + j;
	}
	INLINE Place column(const Convolution &p, u32 group, u32 j) {
		Tap t = tapOf(p, j);
		t.channel += group * p.channels;
		return tapPlace(p, t);
	}
	INLINE Step step(const Convolution &p, u32 k) {
		Pixel q = pixelOf(k, p.outHeight, p.outWidth);
		i64 plane = (i64)q.image * p.groups * p.outputs;
		return {inputPlace(p, 0, q), plane * outPixels(p) + q.y * p.outWidth + q.x};
	}
};

// dx = wᵀ · dy: a pixel of x meets a tap in the output pixel that lies as many strides away as there are between them, if that
// is a whole number.
struct GradInput {
	static const bool alongDepth = false;
	INLINE u32 rows(const Convolution &p) { return p.channels; }
	INLINE u32 columns(const Convolution &p) { return p.images * inPixels(p); }
	INLINE u32 depth(const Convolution &p) { return p.outputs * window(p); }
	INLINE u32 height(const Convolution &p) { return p.outHeight; }
	INLINE u32 width(const Convolution &p) { return p.outWidth; }
	INLINE i64 leftStep(const Convolution &p) { return window(p); }
	INLINE i64 outStep(const Convolution &p) { return inPixels(p); }
	INLINE i64 out(const Convolution &p, u32 group, u32, u32 j) {
		u32 image = j / inPixels(p);
		return ((i64)image * p.groups + group) * p.channels * inPixels(p) + (j - image * inPixels(p));
	}
	INLINE Place column(const Convolution &p, u32 group, u32 j) {
		Pixel q = pixelOf(j, p.height, p.width);
		u32 down = q.y + p.padding[0], across = q.x + p.padding[1];
		i32 y = (i32)(down / p.stride[0]), x = (i32)(across / p.stride[1]);
		i64 plane = ((i64)q.image * p.groups + group) * p.outputs;
		return {plane * outPixels(p) + (i64)y * p.outWidth + x, y, x, phase(p, down, across)};
	}
	INLINE Step step(const Convolution &p, u32 k) {
		Tap t = tapOf(p, k);
		u32 down = t.row * p.dilation[0], across = t.column * p.dilation[1];
		i32 y = -(i32)(down / p.stride[0]), x = -(i32)(across / p.stride[1]);
		i64 at = (i64)t.channel * outPixels(p) + (i64)y * p.outWidth + x;
		i64 left = (i64)t.channel * p.channels * window(p) + t.row * p.columns + t.column;
		return {{at, y, x, phase(p, down, across)}, left};
	}
	INLINE u32 phase(const Convolution &p, u32 down, u32 across) {
		return down % p.stride[0] * p.stride[1] + across % p.stride[1];
	}
};

// groupStart is where a group's rows of the left operand start.
template <class Kind> INLINE i64 groupStart(const Convolution &p, u32 group) {
	return (i64)group * p.outputs * (Kind::alongDepth ? outPixels(p) : p.channels * window(p));
}

template <class Kind> INLINE Place columnOf(const Convolution &p, u32 group, u32 j) {
	return j < Kind::columns(p) ? Kind::column(p, group, j) : Place{0, 0, 0, NO_COLUMN};
}

template <class Kind> INLINE Step stepOf(const Convolution &p, u32 k, u32 end) {
	return k < end ? Kind::step(p, k) : Step{{0, 0, 0, NO_STEP}, 0};
}

template <class Kind> INLINE T rightAt(const Convolution &p, const Place &column, const Step &step) {
	u32 y = (u32)(column.y + step.right.y), x = (u32)(column.x + step.right.x);
	bool inside = column.phase == step.right.phase && y < Kind::height(p) && x < Kind::width(p);
	return inside ? load<T>(p.right, column.at + step.right.at) : (T)0;
}

// A Tile is the part of the result that a block computes: from row m and column n on, for a group and a part.
struct Tile {
	u32 m, n, group, part;
};

// fill loads the next tiles of both operands into shared memory, zeros beyond their ends: left of the rows from m on that
// start at from, right of columns. Neighbouring threads load neighbouring addresses of both operands. All loads are
// issued before the first store to shared memory waits for one.
template <class Kind, int ROWS, int COLUMNS, int THREADS>
INLINE void fill(const Convolution &p, Operand<ROWS> &left, Operand<COLUMNS> &right, const Place *columns, const Step *steps,
				 i64 from, u32 rows) {
	const int LEFT = ROWS * DEPTH / THREADS, RIGHT = COLUMNS * DEPTH / THREADS, APART = THREADS / DEPTH;
	const u32 t = threadIdx.x, leftD = t % DEPTH, leftI = t / DEPTH;
	const u32 rightD = Kind::alongDepth ? t % DEPTH : t / COLUMNS, nextD = Kind::alongDepth ? 0 : THREADS / COLUMNS;
	const u32 rightJ = Kind::alongDepth ? t / DEPTH : t % COLUMNS, nextJ = Kind::alongDepth ? APART : 0;
	T lefts[LEFT], rights[RIGHT];
	bool step = steps[leftD].right.phase != NO_STEP;
	from += steps[leftD].left + leftI * Kind::leftStep(p);
#pragma unroll
	for (int l = 0; l < LEFT; l++) {
		bool inside = step && leftI + l * APART < rows;
		lefts[l] = inside ? load<T>(p.left, from + l * APART * Kind::leftStep(p)) : (T)0;
	}
#pragma unroll
	for (int l = 0; l < RIGHT; l++) {
		rights[l] = rightAt<Kind>(p, columns[rightJ + l * nextJ], steps[rightD + l * nextD]);
	}
#pragma unroll
	for (int l = 0; l < LEFT; l++) {
		left[leftD][leftI + l * APART] = lefts[l];
	}
#pragma unroll
	for (int l = 0; l < RIGHT; l++) {
		right[rightD + l * nextD][rightJ + l * nextJ] = rights[l];
	}
}

// put stores a thread's sums, whose first is in row m and column n, with the bias of their rows.
template <class Kind> INLINE void put(const Convolution &p, Tile at, const T (&sums)[SIDE][SIDE]) {
#pragma unroll
	for (int j = 0; j < SIDE; j++) {
		if (at.n + j >= Kind::columns(p)) {
			break;
		}
		i64 to = Kind::out(p, at.group, at.part, at.n + j);
#pragma unroll
		for (int i = 0; i < SIDE; i++) {
			u32 r = at.m + i;
			if (r < Kind::rows(p)) {
				T bias = p.bias != 0 ? load<T>(p.bias, (i64)at.group * Kind::rows(p) + r) : (T)0;
				store<T>(p.out, to + r * Kind::outStep(p), sums[i][j] + bias);
			}
		}
	}
}

template <class Kind, int DOWN, int ACROSS> INLINE void convolve(const Convolution &p) {
	const int ROWS = DOWN * SIDE, COLUMNS = ACROSS * SIDE;
	__shared__ __attribute__((aligned(16))) Operand<ROWS> left;
	__shared__ __attribute__((aligned(16))) Operand<COLUMNS> right;
	__shared__ Place columns[COLUMNS];
	__shared__ Step steps[DEPTH];
	const u32 t = threadIdx.x, y = t / ACROSS * SIDE, x = t % ACROSS * SIDE;
	u64 down = (Kind::rows(p) + ROWS - 1) / ROWS, across = ((u64)Kind::columns(p) + COLUMNS - 1) / COLUMNS;
#pragma unroll 1
	for (u64 tile = blockIdx.x; tile < down * across * p.groups * p.parts; tile += gridDim.x) {
		u64 band = tile / across, upper = band / down;
		Tile at = {(u32)(band - upper * down) * ROWS, (u32)(tile - band * across) * COLUMNS, 0, (u32)(upper / p.groups)};
		at.group = (u32)(upper - (u64)at.part * p.groups);
		u32 k = at.part * p.part, end = Kind::depth(p) < k + p.part ? Kind::depth(p) : k + p.part;
		i64 from = groupStart<Kind>(p, at.group) + at.m * Kind::leftStep(p);
		if (t < COLUMNS) {
			columns[t] = columnOf<Kind>(p, at.group, at.n + t);
		}
		if (t < DEPTH) {
			steps[t] = stepOf<Kind>(p, k + t, end);
		}
		__syncthreads();
		T sums[SIDE][SIDE] = {};
#pragma unroll 1
		for (; k < end; k += DEPTH) {
			fill<Kind, ROWS, COLUMNS, DOWN * ACROSS>(p, left, right, columns, steps, from, Kind::rows(p) - at.m);
			__syncthreads();
			if (t < DEPTH) {
				steps[t] = stepOf<Kind>(p, k + DEPTH + t, end);
			}
			multiply<ROWS, COLUMNS>(left, right, y, x, sums);
			__syncthreads();
		}
		put<Kind>(p, {at.m + y, at.n + x, at.group, at.part}, sums);
	}
}

// CONVOLUTION is both kernels of a kind.
#define CONVOLUTION(name, Kind)                                                          \
	ROW_KERNEL(name, 256)(const Convolution p) { convolve<Kind, 16, 16>(p); }            \
	ROW_KERNEL(name##_small, 64)(const Convolution p) { convolve<Kind, 4, 16>(p); }

CONVOLUTION(conv, Forward)
CONVOLUTION(conv_grad_input, GradInput)
CONVOLUTION(conv_grad_weight, GradWeight)
