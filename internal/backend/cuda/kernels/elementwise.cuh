// The loops around elementwise functions, and the macros that make a kernel of one line.
//
// Every kernel here takes Elementwise. Grid: blocks of 256 threads; any number of blocks is right, since threads step by
// the size of the grid: as many as the elements need, but no more than fill the device.
#pragma once

#include "dtype.cuh"
#include "fault.cuh"

// locate finds where element i lies in each of N operands.
template <int N, class P> INLINE void locate(const P &p, u32 i, i64 (&at)[N]) {
#pragma unroll
	for (int k = 0; k < N; k++) {
		at[k] = 0;
	}
#pragma unroll
	for (int d = 0; d < MAX_RANK; d++) {
		if (d >= p.rank) {
			break;
		}
		u32 next = i / p.extents[d];
		i64 along = i - next * p.extents[d];
#pragma unroll
		for (int k = 0; k < N; k++) {
			at[k] += along * p.strides[k][d];
		}
		i = next;
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

// UNARY is a kernel out = value of a, where R is the result's type. value may use p, the launch's parameters.
#define UNARY(name, R, value)                                                            \
	ROW_KERNEL(name, 256)(const Elementwise p) {                                         \
		eachElement<2>(p, [&](u64 i, i64(&at)[2]) {                                      \
			T a = operand<T>(p, 0, at[1]);                                               \
			store<R>(p.out, at[0], value);                                               \
		});                                                                              \
	}

// BINARY is a kernel out = value of a and b.
#define BINARY(name, R, value)                                                           \
	ROW_KERNEL(name, 256)(const Elementwise p) {                                         \
		eachElement<3>(p, [&](u64 i, i64(&at)[3]) {                                      \
			T a = operand<T>(p, 0, at[1]), b = operand<T>(p, 1, at[2]);                  \
			store<R>(p.out, at[0], value);                                               \
		});                                                                              \
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
