// Writing elements to places that an index names: what meets in one place is written in the order of the index, by one thread.
#pragma once

#include "elementwise.cuh"

// scatterLines writes along every line, by one thread in the order of the index, what join makes of out[index[i]] and in[i].
template <class P, class Join> INLINE void scatterLines(const P &p, Join join) {
#pragma unroll 1
	for (u64 line = thread(); line < p.lines; line += threads()) {
		i64 at[3];
		locate<3>(p, (u32)line, at);
#pragma unroll 1
		for (u64 i = 0; i < p.n; i++) {
			i64 chosen = load<i64>(p.index, at[2] + (i64)i * p.steps[2]);
			if (within(p.report, chosen, p.extent, (i64)(line * p.n + i))) {
				i64 to = at[0] + chosen * p.steps[0];
				store<T>(p.out, to, join(load<T>(p.out, to), load<T>(p.in, at[1] + (i64)i * p.steps[1])));
			}
		}
	}
}

// joinEquals returns what join makes of v and of every element whose sorted index, of those from j up to end, is the first one's, in order of
// their places; at tells where the element of a place lies.
template <class P, class At, class Join> INLINE T joinEquals(const P &p, u64 j, u64 end, T v, At at, Join join) {
	const int MANY = 4; // elements in flight
	i64 key = load<i64>(p.sorted, (i64)j);
	bool more = true;
#pragma unroll 1
	for (u64 i = j; more; i += MANY) {
		T part[MANY];
		bool same[MANY];
#pragma unroll
		for (int m = 0; m < MANY; m++) {
			same[m] = i + m < end && load<i64>(p.sorted, (i64)(i + m)) == key;
			if (same[m]) {
				part[m] = load<T>(p.in, at(load<i64>(p.places, (i64)(i + m))));
			}
		}
#pragma unroll
		for (int m = 0; m < MANY; m++) {
			if (same[m]) {
				v = join(v, part[m]);
			}
		}
		more = same[MANY - 1];
	}
	return v;
}

// joinSorted writes what join makes of out[o][k] and of every in[o][places[i]] whose sorted index is k, but for the index skip: by one
// thread for each element of the result that is written, that of the first of equal indexes.
template <class Join> INLINE void joinSorted(const Rows &p, Join join) {
	u64 columns = p.outer * p.inner;
#pragma unroll 1
	for (u64 t = thread(); t < p.count * columns; t += threads()) {
		u64 j = t / columns, column = t - j * columns;
		i64 key = load<i64>(p.sorted, (i64)j);
		if (key == p.skip || (j > 0 && load<i64>(p.sorted, (i64)j - 1) == key) ||
			!within(p.report, key, p.extent, load<i64>(p.places, (i64)j))) {
			continue;
		}
		u64 o = column / p.inner, k = column - o * p.inner;
		i64 to = (i64)((o * p.extent + key) * p.inner + k);
		auto at = [&](i64 place) { return (i64)((o * p.count + place) * p.inner + k); };
		store<T>(p.out, to, joinEquals(p, j, p.count, load<T>(p.out, to), at, join));
	}
}

// scatterSorted is scatterLines by sorted indexes: by the thread of the first of equal ones.
template <class Join> INLINE void scatterSorted(const Lines &p, Join join) {
#pragma unroll 1
	for (u64 j = thread(); j < p.lines * p.n; j += threads()) {
		u64 line = j / p.n;
		i64 at[3], key = load<i64>(p.sorted, (i64)j);
		if ((j > line * p.n && load<i64>(p.sorted, (i64)j - 1) == key) ||
			!within(p.report, key, p.extent, (i64)(line * p.n) + load<i64>(p.places, (i64)j))) {
			continue;
		}
		locate<3>(p, (u32)line, at);
		i64 to = at[0] + key * p.steps[0];
		auto from = [&](i64 place) { return at[1] + place * p.steps[1]; };
		store<T>(p.out, to, joinEquals(p, j, (line + 1) * p.n, load<T>(p.out, to), from, join));
	}
}

// scatterRows writes what join makes of out[o][index[i]] and in[o][i], but for the index skip. Threads of all y share the rows of
// the result, so that one thread does all that meets in an element, in the order of the index.
template <class P, class Join> INLINE void scatterRows(const P &p, Join join) {
	u64 columns = p.outer * p.inner;
	u32 share = threadIdx.y + blockIdx.y * blockDim.y, shares = gridDim.y * blockDim.y;
#pragma unroll 1
	for (u64 column = thread(); column < columns; column += threads()) {
		u64 o = column / p.inner, k = column - o * p.inner;
#pragma unroll 1
		for (u64 i = 0; i < p.count; i++) {
			i64 chosen = load<i64>(p.index, (i64)i);
			if ((u32)chosen % shares != share || chosen == p.skip) {
				continue;
			}
			if (within(p.report, chosen, p.extent, (i64)i)) {
				i64 to = (i64)((o * p.extent + chosen) * p.inner + k);
				store<T>(p.out, to, join(load<T>(p.out, to), load<T>(p.in, (i64)((o * p.count + i) * p.inner + k))));
			}
		}
	}
}
