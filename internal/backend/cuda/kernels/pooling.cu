// Pools over the last two axes, and their gradients. A gradient is gathered: each element of x asks the windows that may hold
// it, in order, so that nothing is added twice at once, and every sum has the CPU's order.
//
// Every kernel takes Pool. Grid: blocks of 256 threads, any number of them: as many as the result has elements.
// dtypes: f32 f64
#include "dtype.cuh"
#include "math.cuh"
#include "params.cuh"

// A Spot is an element of a batch of planes.
struct Spot {
	u64 plane;
	i64 y, x;
};

// eachSpot calls body with every element of planes of a size, and with its number.
template <class Body> INLINE void eachSpot(const Pool &p, const i64 (&size)[2], Body body) {
#pragma unroll 1
	for (u64 i = thread(); i < p.planes * size[0] * size[1]; i += threads()) {
		u64 line = i / size[1], plane = line / size[0];
		body(i, Spot{plane, (i64)(line - plane * size[0]), (i64)(i - line * size[1])});
	}
}

// A Span is some of an axis, from first up to end; count is what it counts for in a mean.
struct Span {
	i64 first, end, count;
};

// spanOf is what the window i of an axis covers, for a mean.
INLINE Span spanOf(const Pool &p, int axis, i64 i) {
	i64 n = p.inSize[axis];
	if (p.adaptive) {
		i64 windows = p.outSize[axis], first = i * n / windows, end = ((i + 1) * n + windows - 1) / windows;
		return {first, end, end - first};
	}
	i64 first = i * p.stride[axis] - p.padding[axis], end = first + p.kernel[axis];
	end = end < n + p.padding[axis] ? end : n + p.padding[axis];
	i64 all = end - first;
	first = first > 0 ? first : 0;
	end = end < n ? end : n;
	if (p.divided) {
		return {first, end, axis == 0 ? p.divisor : 1};
	}
	return {first, end, p.countPadding ? all : end - first};
}

// windowsOver are those windows of an axis that may hold its element i.
INLINE Span windowsOver(const Pool &p, int axis, i64 i) {
	i64 n = p.inSize[axis], windows = p.outSize[axis];
	if (p.adaptive) {
		return {i * windows / n, ((i + 1) * windows + n - 1) / n, 0};
	}
	i64 stride = p.stride[axis], at = i + p.padding[axis], least = at - (p.kernel[axis] - 1) * p.dilation[axis];
	i64 first = least > 0 ? (least + stride - 1) / stride : 0, end = at / stride + 1;
	return {first, end < windows ? end : windows, 0};
}

// sumOver adds what value makes of each window that may hold an element, by the window's number in its plane.
template <class Value> INLINE T sumOver(const Span &rows, const Span &columns, i64 width, Value value) {
	T sum = 0;
#pragma unroll 1
	for (i64 y = rows.first; y < rows.end; y++) {
#pragma unroll 1
		for (i64 x = columns.first; x < columns.end; x++) {
			sum += value(y, x, y * width + x);
		}
	}
	return sum;
}

// The largest element of each window, and where it lies in its plane: padding never wins; of equal elements the first does,
// and of NaNs the last.
ROW_KERNEL(max_pool, 256)(const Pool p) {
	eachSpot(p, p.outSize, [&](u64 i, Spot s) {
		i64 top = s.y * p.stride[0] - p.padding[0], left = s.x * p.stride[1] - p.padding[1];
		i64 high = p.kernel[0], wide = p.kernel[1], down = p.dilation[0], across = p.dilation[1];
		if (p.adaptive) {
			Span rows = spanOf(p, 0, s.y), columns = spanOf(p, 1, s.x);
			top = rows.first, left = columns.first, high = rows.count, wide = columns.count, down = across = 1;
		}
		i64 height = p.inSize[0], width = p.inSize[1], start = (i64)s.plane * height * width, place = -1;
		T most = -(T)INFINITY;
#pragma unroll 1
		for (i64 r = 0, y = top; r < high; r++, y += down) {
			if ((u64)y >= (u64)height) {
				continue;
			}
#pragma unroll 1
			for (i64 c = 0, x = left; c < wide; c++, x += across) {
				if ((u64)x >= (u64)width) {
					continue;
				}
				T v = load<T>(p.in, start + y * width + x);
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
	eachSpot(p, p.inSize, [&](u64 i, Spot s) {
		i64 start = (i64)s.plane * p.outSize[0] * p.outSize[1], place = s.y * p.inSize[1] + s.x;
		Span rows = windowsOver(p, 0, s.y), columns = windowsOver(p, 1, s.x);
		if (p.strays && place == 0) {
			rows = {0, p.outSize[0], 0};
			columns = {0, p.outSize[1], 0};
		}
		store<T>(p.out, (i64)i, sumOver(rows, columns, p.outSize[1], [&](i64, i64, i64 at) {
			return load<i64>(p.index, start + at) == place ? load<T>(p.in, start + at) : (T)0;
		}));
	});
}

// The mean of each window.
ROW_KERNEL(avg_pool, 256)(const Pool p) {
	eachSpot(p, p.outSize, [&](u64 i, Spot s) {
		Span rows = spanOf(p, 0, s.y), columns = spanOf(p, 1, s.x);
		i64 start = (i64)s.plane * p.inSize[0] * p.inSize[1];
		T sum = sumOver(rows, columns, p.inSize[1], [&](i64, i64, i64 at) { return load<T>(p.in, start + at); });
		bool any = rows.first < rows.end && columns.first < columns.end;
		store<T>(p.out, (i64)i, any ? sum / (T)(rows.count * columns.count) : (T)0);
	});
}

// Σ dy / count over the windows that hold the element, those of a row of windows first, as the CPU adds them.
ROW_KERNEL(avg_pool_grad, 256)(const Pool p) {
	eachSpot(p, p.inSize, [&](u64 i, Spot s) {
		Span rows = windowsOver(p, 0, s.y), columns = windowsOver(p, 1, s.x);
		i64 start = (i64)s.plane * p.outSize[0] * p.outSize[1];
		T sum = 0;
#pragma unroll 1
		for (i64 y = rows.first; y < rows.end; y++) {
			sum += sumOver({y, y + 1, 0}, columns, p.outSize[1], [&](i64 y, i64 x, i64 at) {
				return load<T>(p.in, start + at) / (T)(spanOf(p, 0, y).count * spanOf(p, 1, x).count);
			});
		}
		store<T>(p.out, (i64)i, sum);
	});
}
