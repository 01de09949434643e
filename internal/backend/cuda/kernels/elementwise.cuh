// The loops around elementwise functions, and the macros that make a kernel of one line.
//
// Every kernel here takes Elementwise. Grid: blocks of 256 threads; any number of blocks is right, since threads step by
// the size of the grid: as many as the elements need, by VectorGrid where they lie so that 16 bytes can be moved at once.
#pragma once

#include "dtype.cuh"
#include "fault.cuh"
#include "half.cuh"
#include "vector.cuh"

#if defined(DTYPE_f16) || defined(DTYPE_bf16)
using T = DTYPE; // in memory; computed in float32
#endif

// along moves the places of N operands on by i steps of axis d.
template <int N, class P> INLINE void along(const P &p, u32 d, i64 i, i64 (&at)[N]) {
#pragma unroll
	for (int k = 0; k < N; k++) {
		at[k] += i * p.strides[k][d];
	}
}

// locate finds where element i lies in each of N operands, or where element i·step does, a divisor of the first extent.
template <int N, class P, int step = 1> INLINE void locate(const P &p, u32 i, i64 (&at)[N]) {
#pragma unroll
	for (int k = 0; k < N; k++) {
		at[k] = 0;
	}
	if (p.rank == 0) {
		return;
	}
	u32 extent = p.extents[0] / step, next = i / extent;
	along(p, 0, (i64)(i - next * extent) * step, at);
#pragma unroll 1
	for (u32 d = 1; d < p.rank; d++) {
		i = next;
		next = i / p.extents[d];
		along(p, d, (i64)(i - next * p.extents[d]), at);
	}
}

// constant is the low bytes of a word as a number.
template <class E> INLINE E constant(u64 word) {
	if constexpr (sizeof(E) == 8) {
		return bits<E>(word);
	} else if constexpr (sizeof(E) == 4) {
		return bits<E>((u32)word);
	} else {
		return (E)word;
	}
}

// operand is element at of operand k, or its constant.
template <class E> INLINE E operand(const Elementwise &p, int k, i64 at) {
	return p.in[k] != 0 ? load<E>(p.in[k], at) : constant<E>(p.constants[k]);
}

// scalar is parameter k of the op as a number of the elements' type.
template <class E> INLINE E scalar(const Elementwise &p, int k) {
	if constexpr (__is_floating_point(E)) {
		return (E)bits<f64>(p.scalars[k]);
	} else {
		return (E)p.scalars[k];
	}
}

// eachElement calls body with every element's number and its places in N operands, the result first. Contiguous
// operands have a loop of their own, without strides.
template <int N, class Body> INLINE void eachElement(const Elementwise &p, Body body) {
	if (p.rank == 0) {
#pragma unroll 1
		for (u64 i = thread(); i < p.n; i += threads()) {
			i64 at[N];
#pragma unroll
			for (int k = 0; k < N; k++) {
				at[k] = i;
			}
			body(i, at);
		}
		return;
	}
#pragma unroll 1
	for (u64 i = thread(); i < p.n; i += threads()) {
		i64 at[N];
		locate<N>(p, (u32)i, at);
		body(i, at);
	}
}

// narrow is a number as an element of the result.
template <class R, class V> INLINE R narrow(V v) {
	if constexpr (__is_same(R, V)) {
		return v;
	} else if constexpr (__is_same(R, f16) || __is_same(R, bf16)) {
		return Cast<R>::of(v);
	} else {
		return (R)v;
	}
}

// A Stream is N neighbours of operand K, for as many vectors as a thread has in flight.
template <int K, class E, int N, int MANY> struct Stream {
	Lanes<E, N> of[MANY];

	__device__ __attribute__((always_inline)) void read(const Elementwise &p, int m, i64 at, bool apart) {
		if (p.in[K] != 0) {
			of[m] = apart ? Lanes<E, N>::load(p.in[K], at) : Lanes<E, N>::all(load<E>(p.in[K], at));
		}
	}
	__device__ __attribute__((always_inline)) auto value(const Elementwise &p, int m, int lane) const {
		return p.in[K] != 0 ? wide(of[m].at(lane)) : constant<decltype(wide(E()))>(p.constants[K]);
	}
};
template <int N, int MANY, class Numbers, class... A> struct Streams;
template <int N, int MANY, int... K, class... A> struct Streams<N, MANY, Sequence<K...>, A...> : Stream<K, A, N, MANY>... {
	// read loads vector m, which lies at the same place in every operand.
	__device__ __attribute__((always_inline)) void read(const Elementwise &p, int m, i64 at) {
		(Stream<K, A, N, MANY>::read(p, m, at, true), ...);
	}
	// read loads the first vector, from a place for each operand behind the result's.
	__device__ __attribute__((always_inline)) void read(const Elementwise &p, const i64 (&at)[sizeof...(A) + 1]) {
		(Stream<K, A, N, MANY>::read(p, 0, at[K + 1], N == 1 || p.strides[K + 1][0] != 0), ...);
	}
	// results is f of the elements of vector m.
	template <class R, class F> __device__ __attribute__((always_inline)) Lanes<R, N> results(const Elementwise &p, int m, F f) const {
		Lanes<R, N> out;
#pragma unroll
		for (int lane = 0; lane < N; lane++) {
			out.put(lane, narrow<R>(f(Stream<K, A, N, MANY>::value(p, m, lane)...)));
		}
		return out;
	}
};

// eachVector stores f of operands that lie contiguously, N neighbours at a time, MANY times in flight.
template <int N, int MANY, class R, class... A, class F> INLINE void eachVector(const Elementwise &p, F f) {
	u64 vectors = p.n / N;
#pragma unroll 1
	for (u64 first = thread(); first < vectors; first += threads() * MANY) {
		Streams<N, MANY, Numbers<sizeof...(A)>, A...> in;
#pragma unroll
		for (int m = 0; m < MANY; m++) {
			if (u64 v = first + m * threads(); v < vectors) {
				in.read(p, m, (i64)v * N);
			}
		}
#pragma unroll
		for (int m = 0; m < MANY; m++) {
			if (u64 v = first + m * threads(); v < vectors) {
				in.template results<R>(p, m, f).store(p.out, (i64)v * N);
			}
		}
	}
}

// eachStrided stores f of operands of any layout, from element first on; N neighbours at a time along the first axis, where they
// lie side by side or are one and the same.
template <int N, class R, class... A, class F> INLINE void eachStrided(const Elementwise &p, u64 first, F f) {
#pragma unroll 1
	for (u64 v = first; v < p.n / N; v += threads()) {
		Streams<N, 1, Numbers<sizeof...(A)>, A...> in;
		i64 at[sizeof...(A) + 1];
		if (p.rank == 0) {
#pragma unroll
			for (int k = 0; k <= sizeof...(A); k++) {
				at[k] = (i64)v;
			}
		} else {
			locate<sizeof...(A) + 1, Elementwise, N>(p, (u32)v, at);
		}
		in.read(p, at);
		in.template results<R>(p, 0, f).store(p.out, at[0]);
	}
}

// each stores f of the elements of operands of the types A as elements R. A thread has up to MANY vectors of 16 bytes in flight, fewer
// of short elements, which are more; one element at a time for MANY = 0, where computing takes far longer than moving, and
// where operands do not lie for it.
template <int MANY, class R, class... A, class F> INLINE void each(const Elementwise &p, F f) {
	const int N = lanes<R, A...>();
	u64 first = thread();
	if (MANY > 0 && p.lanes == N && p.rank == 0) {
		eachVector<N, MANY * 4 < N ? 1 : MANY * 4 / N < MANY ? MANY * 4 / N : MANY, R, A...>(p, f);
		first += p.n / N * N;
	}
	if (MANY > 1 && p.lanes == N && p.rank != 0) {
		eachStrided<N, R, A...>(p, first, f);
	} else {
		eachStrided<1, R, A...>(p, first, f);
	}
}

// UNARY is a kernel out = value of a, where R is the result's type. value may use p, the launch's parameters.
#define UNARY(name, R, value)                                                            \
	ROW_KERNEL(name, 256)(const Elementwise p) {                                         \
		each<2, R, T>(p, [&](T a) { return (R)(value); });                               \
	}

// BINARY is a kernel out = value of a and b.
#define BINARY(name, R, value)                                                           \
	ROW_KERNEL(name, 256)(const Elementwise p) {                                         \
		each<2, R, T, T>(p, [&](T a, T b) { return (R)(value); });                       \
	}

// DIVISION is BINARY for integers: a divisor b of zero is a fault, and its element is not written.
#define DIVISION(name, R, value)                                                         \
	ROW_KERNEL(name, 256)(const Elementwise p) {                                         \
		eachElement<3>(p, [&](u64 i, i64(&at)[3]) {                                      \
			T a = operand<T>(p, 0, at[1]), b = operand<T>(p, 1, at[2]);                  \
			if (b == 0) {                                                                \
				report(p.report, DIVISOR_FAULT, 0, 0, (i64)i);                           \
			} else {                                                                     \
				store<R>(p.out, at[0], value);                                           \
			}                                                                            \
		});                                                                              \
	}
