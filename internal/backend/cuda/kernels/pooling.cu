// Pools over the last two axes, and their gradients. A gradient is gathered: each element of x asks the windows that may hold
// it, in order, so that nothing is added twice at once, and every sum has the CPU's order.
//
// Every kernel takes Pool. Grid: blocks of 256 threads, any number of them: as many as the result has elements, a quarter of it in max_pool and avg_pool. Places are counted in
// I: i32 where p.narrow says that it is enough, since that is several times as fast to divide.
// dtypes: f32 f64
#include "dtype.cuh"
#include "math.cuh"
#include "params.cuh"
#include "vector.cuh"

template <class I> struct Unsigned {
	using Type = u64;
};
template <> struct Unsigned<i32> {
	using Type = u32;
};

// BESIDE results of a line are computed at once: their loads are on their way together. Places of 64 bits would take too many registers.
template <class I> const int BESIDE = sizeof(I) == 4 ? 4 : 1;

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

// Windows are those of BESIDE neighbours of a line of results: the columns of the k-th are left[k], and wide[k] - 1 more, across apart. Those beyond the line's
// end have none.
template <class I> struct Windows {
	I top, high, down, across, most, left[BESIDE<I>], wide[BESIDE<I>];

	// each calls body with the elements of the windows that lie inside of a plane, by rows and columns, and with their places there.
	template <class Body> __device__ __attribute__((always_inline)) void each(const Pool &p, u64 in, Body body) const {
		I height = (I)p.inSize[0], width = (I)p.inSize[1];
#pragma unroll 1
		for (I r = 0, y = top; r < high; r++, y += down) {
			if (y < 0 || y >= height) {
				continue;
			}
#pragma unroll 1
			for (I c = 0; c < most; c++) {
				T v[BESIDE<I>];
				I place[BESIDE<I>];
#pragma unroll
				for (int k = 0; k < BESIDE<I>; k++) {
					I x = left[k] + c * across;
					place[k] = c < wide[k] && x >= 0 && x < width ? y * width + x : -1;
					v[k] = place[k] < 0 ? (T)0 : load<T>(in, place[k]);
				}
#pragma unroll
				for (int k = 0; k < BESIDE<I>; k++) {
					if (place[k] >= 0) {
						body(k, v[k], place[k]);
					}
				}
			}
		}
	}
};

// eachWindows calls body with the plane of x and the number of the first of BESIDE results, how many of them there are, their windows, and where the first lies.
template <class I, class Body> INLINE void eachWindowsOf(const Pool &p, Body body) {
	using U = typename Unsigned<I>::Type;
	U height = (U)p.outSize[0], width = (U)p.outSize[1], turns = (width + BESIDE<I> - 1) / BESIDE<I>;
#pragma unroll 1
	for (u64 i = thread(); i < p.planes * height * turns; i += threads()) {
		U line = (U)i / turns, plane = line / height, first = ((U)i - line * turns) * BESIDE<I>;
		I y = (I)(line - plane * height), left = (I)(width - first);
		Windows<I> w = {y * (I)p.stride[0] - (I)p.padding[0], (I)p.kernel[0], (I)p.dilation[0], (I)p.dilation[1], (I)p.kernel[1]};
		if (p.adaptive) {
			Span<I> rows = spanOf(p, 0, y);
			w.top = rows.first, w.high = rows.count, w.down = w.across = 1, w.most = 0;
		}
#pragma unroll
		for (int k = 0; k < BESIDE<I>; k++) {
			w.left[k] = ((I)first + k) * (I)p.stride[1] - (I)p.padding[1];
			w.wide[k] = k < left ? (I)p.kernel[1] : 0;
			if (p.adaptive && k < left) {
				Span<I> columns = spanOf(p, 1, (I)first + k);
				w.left[k] = columns.first, w.wide[k] = columns.count;
				w.most = w.most > columns.count ? w.most : columns.count;
			}
		}
		body(plane, (u64)line * width + first, left < BESIDE<I> ? left : BESIDE<I>, w, Spot<I>{plane, y, (I)first});
	}
}
template <class Body> INLINE void eachWindows(const Pool &p, Body body) {
	if (p.narrow) {
		eachWindowsOf<i32>(p, body);
	} else {
		eachWindowsOf<i64>(p, body);
	}
}

// put stores the first n of N neighbours, by vectors where they are all there and aligned.
template <class E, int N> INLINE void put(u64 to, u64 at, int n, const E (&v)[N]) {
	const int EACH = N > 1 ? 16 / sizeof(E) : 1;
	if (N > 1 && n == N && (to + at * sizeof(E)) % 16 == 0) {
#pragma unroll
		for (int k = 0; k < N; k += EACH) {
			Lanes<E, EACH> some;
#pragma unroll
			for (int e = 0; e < EACH; e++) {
				some.put(e, v[k + e]);
			}
			some.store(to, (i64)(at + k));
		}
		return;
	}
#pragma unroll
	for (int k = 0; k < N; k++) {
		if (k < n) {
			store<E>(to, (i64)(at + k), v[k]);
		}
	}
}

// The largest element of each window, and, where that is asked for, where it lies in its plane: padding never wins; of equal elements the first does,
// and of NaNs the last.
KERNEL_OF(JOIN(max_pool, DTYPE), 256, 4)(const Pool p) {
	eachWindows(p, [&]<class I>(u64 plane, u64 at, int n, const Windows<I> &w, const Spot<I> &) {
		T most[BESIDE<I>];
		I places[BESIDE<I>];
#pragma unroll
		for (int k = 0; k < BESIDE<I>; k++) {
			most[k] = -(T)INFINITY;
			places[k] = -1;
		}
		w.each(p, p.in + plane * p.inSize[0] * p.inSize[1] * sizeof(T), [&](int k, T v, I place) {
			if (places[k] < 0 || v > most[k] || v != v) {
				most[k] = v;
				places[k] = place;
			}
		});
		put(p.out, at, n, most);
		if (p.index != 0) {
			i64 index[BESIDE<I>];
#pragma unroll
			for (int k = 0; k < BESIDE<I>; k++) {
				index[k] = places[k] < 0 ? 0 : places[k];
			}
			put(p.index, at, n, index);
		}
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
	eachWindows(p, [&]<class I>(u64 plane, u64 at, int n, const Windows<I> &w, const Spot<I> &s) {
		T sums[BESIDE<I>] = {};
		w.each(p, p.in + plane * p.inSize[0] * p.inSize[1] * sizeof(T), [&](int k, T v, I) { sums[k] += v; });
		Span<I> rows = spanOf(p, 0, s.y);
#pragma unroll
		for (int k = 0; k < BESIDE<I>; k++) {
			Span<I> columns = spanOf(p, 1, s.x + (k < n ? k : 0));
			bool any = rows.first < rows.end && columns.first < columns.end;
			sums[k] = any ? sums[k] / (T)(rows.count * columns.count) : (T)0;
		}
		put(p.out, at, n, sums);
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
