// Softmax and its logarithm along runs, forward and backward.
//
// Every kernel takes Softmax. name_dtype gives each run of contiguous elements a row of threads, which
// reads it once where it has few enough elements for the row's registers. Grid: that of HeldGrid, outer*inner rows, for twice the
// elements in a gradient, which has two operands. name_columns_dtype lets neighbouring threads take neighbouring runs, for
// inner > 1. Grid: that of ColumnGrid.
// dtypes: f32 f64 f16 bf16
#include "elementary.cuh"
#include "math.cuh"
#include "reduction.cuh"

#define HELD (64 / sizeof(T)) // elements that a thread holds

// A Weight is Σ e**(x - most), and most the largest x; -∞ before the first. A Growing one is of what a thread has taken.
struct Weight {
	T most;
	f64 sum;
};
struct Growing {
	T most = -(T)INFINITY;
	Adder<T> sum = {};

	// in is the weight in units of a larger most: NaN where all are -∞, or one is NaN or ∞.
	__device__ __attribute__((always_inline)) f64 in(T larger) const { return sum.value() * (f64)exp(most - larger); }
};

// shiftOf is what to subtract from numbers of which the largest is known, so that -∞ less itself is no NaN.
INLINE T shiftOf(T most) { return most == -(T)INFINITY ? (T)0 : most; }

// raise makes w count in units of a larger most.
INLINE void raise(Growing &w, T most) {
	if (most > w.most || most != most) {
		w.sum.scale(exp(w.most - shiftOf(most)));
		w.most = most;
	}
}

// weightOf is that of a run of n elements, of which the row holds a chunk after the other, in x the last. A run that it holds as a
// whole becomes e**(x - most) where those are kept.
template <bool keeps> INLINE Weight weightOf(const Softmax &p, i64 start, u64 n, Share<HELD> &x) {
	Growing w;
#pragma unroll 1
	for (u64 first = 0; first < p.n; first += x.chunk()) {
		x.read(p.in, start, first, n, -(T)INFINITY);
		T most = w.most;
		x.each([&](T v) { most = Most<T>::join(most, v); });
		if (p.n <= x.chunk()) {
			most = joinRow<Most<T>>(most);
		}
		raise(w, most);
		x.each([&](T &v) {
			T e = exp(v - shiftOf(w.most));
			w.sum.take(e);
			v = keeps ? e : v;
		});
	}
	if (p.n <= x.chunk()) {
		return {w.most, joinRow<Total<f64>>(w.sum.value())};
	}
	T most = joinRow<Most<T>>(w.most);
	return {most, joinRow<Total<f64>>(w.in(most))};
}

// rewrite writes a run, of what value makes of every element; it is read again unless it is held as x.
template <class Value> INLINE void rewrite(const Softmax &p, i64 start, u64 n, Share<HELD> &x, Value value) {
#pragma unroll 1
	for (u64 first = 0; first < n; first += x.chunk()) {
		if (p.n > x.chunk()) {
			x.read(p.in, start, first, n, 0);
		}
		x.write(p.out, start, first, [&](T v, u32) { return value(v); });
	}
}

INLINE void softmax(const Softmax &p, i64 start, u64 n) {
	Share<HELD> x;
	Weight w = weightOf<true>(p, start, n, x);
	T whole = (T)w.sum;
	if (p.n <= x.chunk()) {
		whole = w.most == -(T)INFINITY || w.most == (T)INFINITY ? (T)NAN : whole;
		x.write(p.out, start, 0, [&](T e, u32) { return e / whole; });
	} else {
		rewrite(p, start, n, x, [&](T v) { return exp(v - w.most) / whole; });
	}
}

INLINE void logSoftmax(const Softmax &p, i64 start, u64 n) {
	Share<HELD> x;
	Weight w = weightOf<false>(p, start, n, x);
	T rest = (T)log(w.sum);
	rewrite(p, start, n, x, [&](T v) { return v - w.most - rest; });
}

// Shifts are two numbers whose sum is log Σ e**x: the largest element, and the rest. They are float32 beside half types.
INLINE void shifts(const Softmax &p, u64 run, const Weight &w) {
	store<T>(p.out, (i64)(2 * run), w.most);
	store<T>(p.out, (i64)(2 * run + 1), (T)log(w.sum));
}

INLINE void softmaxShifts(const Softmax &p, i64 start, u64 n) {
	Share<HELD> x;
	Weight w = weightOf<false>(p, start, n, x);
	if (threadIdx.x == 0 && n > 0) {
		shifts(p, row(), w);
	}
}

// gradient writes what value makes of every dy and y of a run and of a sum, to which take adds them.
template <class Take, class Value> INLINE void gradient(const Softmax &p, i64 start, u64 n, Take take, Value value) {
	Share<HELD / 2> dy, y;
	T whole = (T)joinRow<Total<f64>>(added<T>([&](auto &sum) __attribute__((always_inline)) {
#pragma unroll 1
		for (u64 first = 0; first < n; first += dy.chunk()) {
			dy.read(p.dy, start, first, n, 0);
			y.read(p.y, start, first, n, 0);
			dy.turns(y, [&](const auto &dy, const auto &y) { take(sum, dy, y); });
		}
	}));
#pragma unroll 1
	for (u64 first = 0; first < n; first += dy.chunk()) {
		if (p.n > dy.chunk()) {
			dy.read(p.dy, start, first, n, 0);
			y.read(p.y, start, first, n, 0);
		}
		dy.with(y, [&](T &dy, T y, u32) { dy = value(dy, y, whole); });
		dy.write(p.out, start, first, [](T v, u32) { return v; });
	}
}

// y * (dy - Σ dy*y)
struct ProductsTake {
	template <class A, int N> __device__ __attribute__((always_inline)) void operator()(A &sum, const T (&dy)[N], const T (&y)[N]) const { sum.takeProducts(dy, y); }
};
INLINE T softmaxSlope(T dy, T y, T whole) { return y * (dy - whole); }

// dy - e**y * Σ dy
struct GradientsTake {
	template <class A, int N> __device__ __attribute__((always_inline)) void operator()(A &sum, const T (&dy)[N], const T (&)[N]) const { sum.take(dy); }
};
INLINE T logSoftmaxSlope(T dy, T y, T whole) { return dy - exp(y) * whole; }

INLINE void softmaxGrad(const Softmax &p, i64 start, u64 n) { gradient(p, start, n, ProductsTake{}, softmaxSlope); }
INLINE void logSoftmaxGrad(const Softmax &p, i64 start, u64 n) { gradient(p, start, n, GradientsTake{}, logSoftmaxSlope); }

// ROWS is a kernel whose body a row of threads runs for each run. Rows beyond the last have one of no elements, since the threads of a
// warp stay together.
#define ROWS(name, body)                                                                 \
	HELD_KERNEL(name, 8 / sizeof(T))(const Softmax p) {                                  \
		u64 run = row();                                                                 \
		body(p, (i64)(run * p.n), run < p.outer * p.inner ? p.n : 0);                    \
	}

ROWS(softmax, softmax)
ROWS(log_softmax, logSoftmax)
ROWS(softmax_grad, softmaxGrad)
ROWS(log_softmax_grad, logSoftmaxGrad)
ROWS(softmax_shifts, softmaxShifts)

#define HIGH 8 // threads of a column
#define MANY 8 // elements of theirs in flight

// A Column is the run of a thread, of which it takes every 8th element.
struct Column {
	i64 start;
	u64 run, n; // no elements where there is no run

	INLINE Column of(const Softmax &p) {
		u64 run = (u64)blockIdx.x * WARP + threadIdx.x;
		bool mine = run < p.outer * p.inner;
		return {mine ? startOf(p, run) : 0, run, mine ? p.n : 0};
	}

	// each calls body with what the thread takes next, MANY elements of an operand at most, and how many they are.
	template <class Body> __device__ __attribute__((always_inline)) void each(const Softmax &p, u64 base, Body body) const {
#pragma unroll 1
		for (u64 k = threadIdx.y; k < n; k += MANY * HIGH) {
			T v[MANY];
#pragma unroll
			for (int m = 0; m < MANY; m++) {
				v[m] = k + m * HIGH < n ? read(base, place(p, k, m)) : (T)0;
			}
			body(v, k);
		}
	}
	__device__ __attribute__((always_inline)) i64 place(const Softmax &p, u64 k, int m) const { return start + (i64)((k + m * HIGH) * p.inner); }

	// several calls body with the number of each element of such a group.
	template <class Body> __device__ __attribute__((always_inline)) void several(u64 k, Body body) const {
#pragma unroll
		for (int m = 0; m < MANY; m++) {
			if (k + m * HIGH < n) {
				body(m);
			}
		}
	}
};

// joinColumn joins the accumulators of the threads of a column in order.
template <class R> INLINE typename R::Acc joinColumn(typename R::Acc acc) {
	__shared__ typename R::Acc all[HIGH][WARP];
	all[threadIdx.y][threadIdx.x] = acc;
	__syncthreads();
	acc = all[0][threadIdx.x];
#pragma unroll 1
	for (int y = 1; y < HIGH; y++) {
		acc = R::join(acc, all[y][threadIdx.x]);
	}
	__syncthreads();
	return acc;
}

INLINE Weight weightOf(const Softmax &p, const Column &c) {
	Growing w;
	c.each(p, p.in, [&](T (&v)[MANY], u64 k) {
		T most = w.most;
		c.several(k, [&](int m) { most = Most<T>::join(most, v[m]); });
		raise(w, most);
		c.several(k, [&](int m) { w.sum.take(exp(v[m] - shiftOf(w.most))); });
	});
	T most = joinColumn<Most<T>>(w.most);
	return {most, joinColumn<Total<f64>>(w.in(most))};
}

// rewrite writes what value makes of every element of a column.
template <class Value> INLINE void rewrite(const Softmax &p, const Column &c, Value value) {
	c.each(p, p.in, [&](T (&v)[MANY], u64 k) {
		c.several(k, [&](int m) { write(p.out, c.place(p, k, m), value(v[m])); });
	});
}

ROW_KERNEL(softmax_columns, 256)(const Softmax p) {
	Column c = Column::of(p);
	Weight w = weightOf(p, c);
	T whole = (T)w.sum;
	rewrite(p, c, [&](T v) { return exp(v - w.most) / whole; });
}

ROW_KERNEL(log_softmax_columns, 256)(const Softmax p) {
	Column c = Column::of(p);
	Weight w = weightOf(p, c);
	T rest = (T)log(w.sum);
	rewrite(p, c, [&](T v) { return v - w.most - rest; });
}

ROW_KERNEL(softmax_shifts_columns, 256)(const Softmax p) {
	Column c = Column::of(p);
	Weight w = weightOf(p, c);
	if (threadIdx.y == 0 && c.n > 0) {
		shifts(p, c.run, w);
	}
}

template <class Take, class Value> INLINE void gradient(const Softmax &p, Take take, Value value) {
	Column c = Column::of(p);
	T whole = (T)joinColumn<Total<f64>>(added<T>([&](auto &sum) __attribute__((always_inline)) {
		c.each(p, p.dy, [&](T (&dy)[MANY], u64 k) {
			T y[MANY] = {};
			c.several(k, [&](int m) { y[m] = read(p.y, c.place(p, k, m)); });
			take(sum, dy, y);
		});
	}));
	c.each(p, p.dy, [&](T (&dy)[MANY], u64 k) {
		c.several(k, [&](int m) { write(p.out, c.place(p, k, m), value(dy[m], read(p.y, c.place(p, k, m)), whole)); });
	});
}

ROW_KERNEL(softmax_grad_columns, 256)(const Softmax p) { gradient(p, ProductsTake{}, softmaxSlope); }
ROW_KERNEL(log_softmax_grad_columns, 256)(const Softmax p) { gradient(p, GradientsTake{}, logSoftmaxSlope); }
