// Moving elements by index; elements by size. An index out of range is a fault, and its elements are not written.
//
// Grid: blocks of 256 threads, any number of them: as many as the result has elements. take takes Rows, gather takes Lines,
// pick takes Runs; the triangles take Triangle. scatter takes Lines, with a thread for each line, scatter_sorted with one for each index; put_rows takes Rows, with the
// grid of add_rows, and put_sorted, with a thread for each of count·outer·inner.
// dtypes: b8 b16 b32 b64
#include "scatter.cuh"

// out[o][i] = in[o][index[i]]
ROW_KERNEL(take, 256)(const Rows p) {
#pragma unroll 1
	for (u64 at = thread(); at < p.outer * p.count * p.inner; at += threads()) {
		u64 line = at / p.inner, column = at - line * p.inner;
		u64 o = line / p.count, i = line - o * p.count;
		i64 chosen = load<i64>(p.index, (i64)i);
		if (within(p.report, chosen, p.extent, (i64)i)) {
			store<T>(p.out, (i64)at, load<T>(p.in, (i64)((o * p.extent + chosen) * p.inner + column)));
		}
	}
}

// out[i] = in[index[i]] along every line.
ROW_KERNEL(gather, 256)(const Lines p) {
#pragma unroll 1
	for (u64 e = thread(); e < p.lines * p.n; e += threads()) {
		u64 line = e / p.n;
		i64 i = (i64)(e - line * p.n), at[3];
		locate<3>(p, (u32)line, at);
		i64 chosen = load<i64>(p.index, at[2] + i * p.steps[2]);
		if (within(p.report, chosen, p.extent, (i64)e)) {
			store<T>(p.out, at[0] + i * p.steps[0], load<T>(p.in, at[1] + chosen * p.steps[1]));
		}
	}
}

// out[index[i]] = in[i] along every line: of those that meet the last.
ROW_KERNEL(scatter, 256)(const Lines p) {
	scatterLines(p, [](T, T b) { return b; });
}

// The same by sorted indexes: a thread for each, of which the last of equal ones writes.
ROW_KERNEL(scatter_sorted, 256)(const Lines p) {
#pragma unroll 1
	for (u64 j = thread(); j < p.lines * p.n; j += threads()) {
		u64 line = j / p.n;
		i64 at[3], key = load<i64>(p.sorted, (i64)j), place = load<i64>(p.places, (i64)j);
		bool last = j + 1 == (line + 1) * p.n || load<i64>(p.sorted, (i64)j + 1) != key;
		if (last && within(p.report, key, p.extent, (i64)(line * p.n) + place)) {
			locate<3>(p, (u32)line, at);
			store<T>(p.out, at[0] + key * p.steps[0], load<T>(p.in, at[1] + place * p.steps[1]));
		}
	}
}

// out[o][index[i]] = in[o][i]: of those that meet the last.
ROW_KERNEL(put_rows, 256)(const Rows p) {
	scatterRows(p, [](T, T b) { return b; });
}

// The same by sorted indexes: a thread for each, of which the last of equal ones writes.
ROW_KERNEL(put_sorted, 256)(const Rows p) {
	u64 columns = p.outer * p.inner;
#pragma unroll 1
	for (u64 t = thread(); t < p.count * columns; t += threads()) {
		u64 j = t / columns, column = t - j * columns;
		i64 key = load<i64>(p.sorted, (i64)j), place = load<i64>(p.places, (i64)j);
		bool last = j + 1 == p.count || load<i64>(p.sorted, (i64)j + 1) != key;
		if (last && within(p.report, key, p.extent, place)) {
			u64 o = column / p.inner, k = column - o * p.inner;
			store<T>(p.out, (i64)((o * p.extent + key) * p.inner + k), load<T>(p.in, (i64)((o * p.count + place) * p.inner + k)));
		}
	}
}

// out[o][k][i] = dy[o][i] where k is index[o][i], or 1 where there is no dy; 0 elsewhere.
ROW_KERNEL(pick, 256)(const Runs p) {
#pragma unroll 1
	for (u64 at = thread(); at < p.outer * p.n * p.inner; at += threads()) {
		u64 line = at / p.inner, i = at - line * p.inner;
		u64 o = line / p.n, k = line - o * p.n;
		i64 run = (i64)(o * p.inner + i), chosen = load<i64>(p.index, run);
		T v = 0;
		if (within(p.report, chosen, p.n, run) && (u64)chosen == k) {
			v = p.dy != 0 ? load<T>(p.dy, run) : (T)1;
		}
		store<T>(p.out, (i64)at, v);
	}
}

// triangle keeps what kept says of a row and a column.
template <class Kept> INLINE void triangle(const Triangle &p, Kept kept) {
#pragma unroll 1
	for (u64 at = thread(); at < p.n; at += threads()) {
		u64 line = at / p.cols;
		i64 c = (i64)(at - line * p.cols), r = (i64)(line % p.rows);
		store<T>(p.out, (i64)at, kept(r, c) ? load<T>(p.in, (i64)at) : (T)0);
	}
}

ROW_KERNEL(tril, 256)(const Triangle p) {
	triangle(p, [&](i64 r, i64 c) { return c <= r + p.diagonal; });
}
ROW_KERNEL(triu, 256)(const Triangle p) {
	triangle(p, [&](i64 r, i64 c) { return c >= r + p.diagonal; });
}
