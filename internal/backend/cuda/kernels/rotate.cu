// Rotary position embedding: pairs of a row's elements turn by angles whose cosines and sines are given. Products are rounded to the result's type before they
// are added, as tensors' are.
//
// Every kernel takes Rotation. Grid: blocks of 256 threads, any number of them: as many as there are items. rotate has operands of one type; rotate_widening turns
// elements of a half type by tables of float32 to such elements, and rotate_narrowing elements of float32 to a half type, as the gradient of that.
// dtypes: f32 f64 f16 bf16
#include "elementwise.cuh"

// turn computes the N pairs, or copies the N elements, of item i of the row whose operands begin at at. X, C and R are the types of in, of the tables and of out.
template <int N, class X, class C, class R> INLINE void turn(const Rotation &p, i64 i, const i64 (&at)[4]) {
	const i64 n = p.points;
	auto read = [&](i64 k) { return Lanes<X, N>::load(p.in, at[1] + k * p.steps[1]); };
	auto write = [&](i64 k, const Lanes<R, N> &v) { v.store(p.out, at[0] + k * p.steps[0]); };
	Lanes<R, N> first, second;
	if (i >= n) {
		Lanes<X, N> rest = read(i + n);
#pragma unroll
		for (int k = 0; k < N; k++) {
			first.put(k, narrow<R>(wide(rest.at(k))));
		}
		write(i + n, first);
		return;
	}
	Lanes<X, N> a = read(i), b = read(i + n);
	Lanes<C, N> cosines = Lanes<C, N>::load(p.cosines, at[2] + i * p.steps[2]), sines = Lanes<C, N>::load(p.sines, at[3] + i * p.steps[3]);
	auto product = [](auto x, auto y) { return wide(narrow<R>(x * y)); };
#pragma unroll
	for (int k = 0; k < N; k++) {
		auto x = wide(a.at(k)), y = wide(b.at(k)), c = wide(cosines.at(k)), s = wide(sines.at(k));
		s = p.back ? -s : s;
		first.put(k, narrow<R>(product(x, c) - product(y, s)));
		second.put(k, narrow<R>(product(y, c) + product(x, s)));
	}
	write(i, first);
	write(i + n, second);
}

template <int N, class X, class C, class R> INLINE void turnRows(const Rotation &p) {
	const u32 each = (p.points + p.rest) / N;
#pragma unroll 1
	for (u64 item = thread(); item < p.n; item += threads()) {
		u32 row = (u32)item / each;
		i64 at[4];
		locate<4>(p, row, at);
		turn<N, X, C, R>(p, (i64)((u32)item - row * each) * N, at);
	}
}

template <class X, class C, class R> INLINE void turnAll(const Rotation &p) {
	if (p.lanes == 1) {
		turnRows<1, X, C, R>(p);
	} else {
		turnRows<lanes<X, C, R>(), X, C, R>(p);
	}
}

ROW_KERNEL(rotate, 256)(const Rotation p) {
	turnAll<T, T, T>(p);
}

#if defined(DTYPE_f16) || defined(DTYPE_bf16)
ROW_KERNEL(rotate_widening, 256)(const Rotation p) {
	turnAll<T, f32, f32>(p);
}
ROW_KERNEL(rotate_narrowing, 256)(const Rotation p) {
	turnAll<f32, f32, T>(p);
}
#endif
