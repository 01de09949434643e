// Pools over the last two axes, and their gradients. A gradient is gathered: each element of x asks the windows that may hold
// it, in order, so that nothing is added twice at once, and every sum has the CPU's order.
//
// Every kernel takes Pool. Grid: blocks of 256 threads, any number of them: as many as the result has elements. Places are counted in
// I: i32 where p.narrow says that it is enough, since that is several times as fast to divide.
// dtypes: f32 f64
#include "dtype.cuh"
#include "math.cuh"
#include "params.cuh"

template <class I> struct Unsigned {
	using Type = u64;
};
template <> struct Unsigned<i32> {
	using Type = u32;
};

// A Spot is an element of a batch of planes.
template <class I> struct Spot {
	u64 plane;
	I y, x;
};

// eachSpot calls body with every element of planes of a size, and with its number.
template <class I, class Body> INLINE void eachSpotOf(const Pool &p, const i64 (&size)[2], Body body) {
	using U = typename Unsigned<I>::Type;
	U height = (U)size[0], width = (U)size[1];
#pragma unroll 1
	for (u64 i = thread(); i < p.planes * size[0] * size[1]; i += threads()) {
		U line = (U)i / width, plane = line / height;
		body(i, Spot<I>{plane, (I)(line - plane * height), (I)((U)i - line * width)});
	}
}
template <class Body> INLINE void eachSpot(const Pool &p, const i64 (&size)[2], Body body) {
	if (p.narrow) {
		eachSpotOf<i32>(p, size, body);
	} else {
		eachSpotOf<i64>(p, size, body);
	}
}

// A Span is some of an axis, from first up to end; count is what it counts for in a mean.
template <class I> struct Span {
	I first, end, count;
};

// spanOf is what the window i of an axis covers, for a mean.
template <class I> INLINE Span<I> spanOf(const Pool &p, int axis, I i) {
	I n = (I)p.inSize[axis];
	if (p.adaptive) {
		I windows = (I)p.outSize[axis], first = i * n / windows, end = ((i + 1) * n + windows - 1) / windows;
		return {first, end, end - first};
	}
	I padding = (I)p.padding[axis], first = i * (I)p.stride[axis] - padding, end = first + (I)p.kernel[axis];
	end = end < n + padding ? end : n + padding;
	I all = end - first;
	first = first > 0 ? first : 0;
	end = end < n ? end : n;
	if (p.divided) {
		return {first, end, axis == 0 ? (I)p.divisor : 1};
	}
	return {first, end, p.countPadding ? all : end - first};
}

// windowsOver are those windows of an axis that may hold its element i.
template <class I> INLINE Span<I> windowsOver(const Pool &p, int axis, I i) {
	I n = (I)p.inSize[axis], windows = (I)p.outSize[axis];
	if (p.adaptive) {
		return {i * windows / n, ((i + 1) * windows + n - 1) / n, 0};
	}
	I stride = (I)p.stride[axis], at = i + (I)p.padding[axis], least = at - ((I)p.kernel[axis] - 1) * (I)p.dilation[axis];
	I first = least > 0 ? (least + stride - 1) / stride : 0, end = at / stride + 1;
	return {first, end < windows ? end : windows, 0};
}

// sumOver adds what value makes of each window that may hold an element, by the window's number in its plane.
template <class I, class Value> INLINE T sumOver(const Span<I> &rows, const Span<I> &columns, I width, Value value) {
	T sum = 0;
#pragma unroll 1
	for (I y = rows.first; y < rows.end; y++) {
#pragma unroll 1
		for (I x = columns.first; x < columns.end; x++) {
			sum += value(y, x, y * width + x);
		}
	}
	return sum;
}

// The largest element of each window, and where it lies in its plane: padding never wins; of equal elements the first does,
// and of NaNs the last.
ROW_KERNEL(max_pool, 256)(const Pool p) {
	eachSpot(p, p.outSize, [&]<class I>(u64 i, Spot<I> s) {
		I top = s.y * (I)p.stride[0] - (I)p.padding[0], left = s.x * (I)p.stride[1] - (I)p.padding[1];
		I high = (I)p.kernel[0], wide = (I)p.kernel[1], down = (I)p.dilation[0], across = (I)p.dilation[1];
		if (p.adaptive) {
			Span<I> rows = spanOf(p, 0, s.y), columns = spanOf(p, 1, s.x);
			top = rows.first, left = columns.first, high = rows.count, wide = columns.count, down = across = 1;
		}
		I height = (I)p.inSize[0], width = (I)p.inSize[1], place = -1;
		u64 in = p.in + s.plane * p.inSize[0] * p.inSize[1] * sizeof(T);
		T most = -(T)INFINITY;
#pragma unroll 1
		for (I r = 0, y = top; r < high; r++, y += down) {
			if (y < 0 || y >= height) {
				continue;
			}
#pragma unroll 1
			for (I c = 0, x = left; c < wide; c++, x += across) {
				if (x < 0 || x >= width) {
					continue;
				}
				T v = load<T>(in, y * width + x);
				if (place < 0 || v > most || v != v) {
					most = v;
					place = y * width + x;
				}
			}
		}
		store<T>(p.out, (i64)i, most);
		store<i64>(p.index, (i64)i, place < 0 ? 0 : place);
	});
}

// Σ dy over the windows whose largest element this is. A window of nothing but padding names element 0.
ROW_KERNEL(max_pool_grad, 256)(const Pool p) {
	eachSpot(p, p.inSize, [&]<class I>(u64 i, Spot<I> s) {
		I windows[2] = {(I)p.outSize[0], (I)p.outSize[1]}, place = s.y * (I)p.inSize[1] + s.x;
		u64 start = s.plane * p.outSize[0] * p.outSize[1], index = p.index + start * sizeof(i64), dy = p.in + start * sizeof(T);
		Span<I> rows = windowsOver(p, 0, s.y), columns = windowsOver(p, 1, s.x);
		if (p.strays && place == 0) {
			rows = {0, windows[0], 0};
			columns = {0, windows[1], 0};
		}
		store<T>(p.out, (i64)i, sumOver(rows, columns, windows[1], [&](I, I, I at) {
			return load<i64>(index, at) == place ? load<T>(dy, at) : (T)0;
		}));
	});
}

// The mean of each window.
ROW_KERNEL(avg_pool, 256)(const Pool p) {
	eachSpot(p, p.outSize, [&]<class I>(u64 i, Spot<I> s) {
		Span<I> rows = spanOf(p, 0, s.y), columns = spanOf(p, 1, s.x);
		u64 in = p.in + s.plane * p.inSize[0] * p.inSize[1] * sizeof(T);
		T sum = sumOver(rows, columns, (I)p.inSize[1], [&](I, I, I at) { return load<T>(in, at); });
		bool any = rows.first < rows.end && columns.first < columns.end;
		store<T>(p.out, (i64)i, any ? sum / (T)(rows.count * columns.count) : (T)0);
	});
}

// Σ dy / count over the windows that hold the element, those of a row of windows first, as the CPU adds them.
ROW_KERNEL(avg_pool_grad, 256)(const Pool p) {
	eachSpot(p, p.inSize, [&]<class I>(u64 i, Spot<I> s) {
		Span<I> rows = windowsOver(p, 0, s.y), columns = windowsOver(p, 1, s.x);
		I width = (I)p.outSize[1];
		u64 dy = p.in + s.plane * p.outSize[0] * p.outSize[1] * sizeof(T);
		T sum = 0;
#pragma unroll 1
		for (I y = rows.first; y < rows.end; y++) {
			I count = spanOf(p, 0, y).count;
			sum += sumOver(Span<I>{y, y + 1, 0}, columns, width, [&](I, I x, I at) {
				return load<T>(dy, at) / (T)(count * spanOf(p, 1, x).count);
			});
		}
		store<T>(p.out, (i64)i, sum);
	});
}
