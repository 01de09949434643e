// Rotary position embedding: pairs of a row's elements turn by angles whose cosines and sines are given. Products are rounded to the elements' type before they
// are added, as tensors' are.
//
// rotate takes Rotation. Grid: blocks of 256 threads, any number of them: as many as there are items.
// dtypes: f32 f64 f16 bf16
#include "elementwise.cuh"

// turn computes the N pairs, or copies the N elements, of item i of the row whose operands begin at at.
template <int N> INLINE void turn(const Rotation &p, i64 i, const i64 (&at)[4]) {
	const i64 n = p.points;
	if (i >= n) {
		i += n;
		Lanes<T, N>::load(p.in, at[1] + i * p.steps[1]).store(p.out, at[0] + i * p.steps[0]);
		return;
	}
	Lanes<T, N> a = Lanes<T, N>::load(p.in, at[1] + i * p.steps[1]), b = Lanes<T, N>::load(p.in, at[1] + (i + n) * p.steps[1]);
	Lanes<T, N> cosines = Lanes<T, N>::load(p.cosines, at[2] + i * p.steps[2]), sines = Lanes<T, N>::load(p.sines, at[3] + i * p.steps[3]);
	auto product = [](auto x, auto y) { return wide(narrow<T>(x * y)); };
	Lanes<T, N> first, second;
#pragma unroll
	for (int k = 0; k < N; k++) {
		auto x = wide(a.at(k)), y = wide(b.at(k)), c = wide(cosines.at(k)), s = wide(sines.at(k));
		s = p.back ? -s : s;
		first.put(k, narrow<T>(product(x, c) - product(y, s)));
		second.put(k, narrow<T>(product(y, c) + product(x, s)));
	}
	first.store(p.out, at[0] + i * p.steps[0]);
	second.store(p.out, at[0] + (i + n) * p.steps[0]);
}

template <int N> INLINE void turnAll(const Rotation &p) {
	const u32 each = (p.points + p.rest) / N;
#pragma unroll 1
	for (u64 item = thread(); item < p.n; item += threads()) {
		u32 row = (u32)item / each;
		i64 at[4];
		locate<4>(p, row, at);
		turn<N>(p, (i64)((u32)item - row * each) * N, at);
	}
}

ROW_KERNEL(rotate, 256)(const Rotation p) {
	if (p.lanes == 1) {
		turnAll<1>(p);
	} else {
		turnAll<lanes<T>()>(p);
	}
}
