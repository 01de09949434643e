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

// rewrite writes a run, of what value makes of every element. Unless it is held as x it is read again, and again makes of what was read what would be held.
template <class Again, class Value> INLINE void rewrite(const Softmax &p, i64 start, u64 n, Share<HELD> &x, Again again, Value value) {
#pragma unroll 1
	for (u64 first = 0; first < n; first += x.chunk()) {
		if (p.n > x.chunk()) {
			x.read(p.in, start, first, n, 0);
			x.each(again);
		}
		x.write(p.out, start, first, [&](T v, u32) { return value(v); });
	}
}

INLINE void softmax(const Softmax &p, i64 start, u64 n) {
	Share<HELD> x;
	Weight w = weightOf<true>(p, start, n, x);
	T whole = (T)w.sum;
	whole = w.most == -(T)INFINITY || w.most == (T)INFINITY ? (T)NAN : whole;
	rewrite(p, start, n, x, [&](T &v) { v = exp(v - w.most); }, [&](T e) { return e / whole; });
}

INLINE void logSoftmax(const Softmax &p, i64 start, u64 n) {
	Share<HELD> x;
	Weight w = weightOf<false>(p, start, n, x);
	T rest = (T)log(w.sum);
	rewrite(p, start, n, x, [](T) {}, [&](T v) { return v - w.most - rest; });
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

// COLUMN_KERNEL starts a kernel of columns. It says how many blocks have registers: the assembler by itself spills some for more.
#define COLUMN_KERNEL(name) KERNEL_OF(JOIN(name, DTYPE), 256, sizeof(T) == 8 ? 3 : 5)

// A Column is the run of a thread, of which it takes every 8th element.
struct Column {
	i64 start;
	u64 run, n; // no elements where there is no run

	INLINE Column of(const Softmax &p) {
		u64 run = (u64)blockIdx.x * WARP + threadIdx.x;
		bool mine = run < p.outer * p.inner;
		return {mine ? startOf(p, run) : 0, run, mine ? p.n : 0};
	}

	// each calls body with what the thread takes next, MANY elements of an operand at most, and where in the column they begin.
	template <class Body> __device__ __attribute__((always_inline)) void each(const Softmax &p, u64 base, Body body) const {
#pragma unroll 1
		for (u64 k = threadIdx.y; k < n; k += MANY * HIGH) {
			T v[MANY] = {};
			several(p, k, [&](int m, i64 at) { v[m] = read(base, at); });
			body(v, k);
		}
	}

	// several calls body with the number of each element of such a group, and where it lies.
	template <class Body> __device__ __attribute__((always_inline)) void several(const Softmax &p, u64 k, Body body) const {
		i64 at = start + (i64)(k * p.inner);
		renew(at);
#pragma unroll
		for (int m = 0; m < MANY; m++, at += HIGH * p.inner) {
			if (k + m * HIGH < n) {
				body(m, at);
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
		c.several(p, k, [&](int m, i64) { most = Most<T>::join(most, v[m]); });
		raise(w, most);
		c.several(p, k, [&](int m, i64) { w.sum.take(exp(v[m] - shiftOf(w.most))); });
	});
	T most = joinColumn<Most<T>>(w.most);
	return {most, joinColumn<Total<f64>>(w.in(most))};
}

// rewrite writes what value makes of every element of a column.
template <class Value> INLINE void rewrite(const Softmax &p, const Column &c, Value value) {
	c.each(p, p.in, [&](T (&v)[MANY], u64 k) {
		c.several(p, k, [&](int m, i64 at) { write(p.out, at, value(v[m])); });
	});
}

COLUMN_KERNEL(softmax_columns)(const Softmax p) {
	Column c = Column::of(p);
	Weight w = weightOf(p, c);
	T whole = (T)w.sum;
	rewrite(p, c, [&](T v) { return exp(v - w.most) / whole; });
}

COLUMN_KERNEL(log_softmax_columns)(const Softmax p) {
	Column c = Column::of(p);
	Weight w = weightOf(p, c);
	T rest = (T)log(w.sum);
	rewrite(p, c, [&](T v) { return v - w.most - rest; });
}

COLUMN_KERNEL(softmax_shifts_columns)(const Softmax p) {
	Column c = Column::of(p);
	Weight w = weightOf(p, c);
	if (threadIdx.y == 0 && c.n > 0) {
		shifts(p, c.run, w);
	}
}

template <class Take, class Value> INLINE void gradient(const Softmax &p, Take take, Value value) {
	Column c = Column::of(p);
	auto both = [&](auto body) __attribute__((always_inline)) {
		c.each(p, p.dy, [&](T (&dy)[MANY], u64 k) {
			T y[MANY] = {};
			c.several(p, k, [&](int m, i64 at) { y[m] = read(p.y, at); });
			body(dy, y, k);
		});
	};
	T whole = (T)joinColumn<Total<f64>>(added<T>([&](auto &sum) __attribute__((always_inline)) {
		both([&](T (&dy)[MANY], T (&y)[MANY], u64) { take(sum, dy, y); });
	}));
	both([&](T (&dy)[MANY], T (&y)[MANY], u64 k) {
		c.several(p, k, [&](int m, i64 at) { write(p.out, at, value(dy[m], y[m], whole)); });
	});
}

COLUMN_KERNEL(softmax_grad_columns)(const Softmax p) { gradient(p, ProductsTake{}, softmaxSlope); }
COLUMN_KERNEL(log_softmax_grad_columns)(const Softmax p) { gradient(p, GradientsTake{}, logSoftmaxSlope); }
