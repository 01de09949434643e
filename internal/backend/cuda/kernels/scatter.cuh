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

#define CHUNK 256 // sorted indexes, of which each whole one that names a single place is joined by a thread of its own (kernels.SortedChunk)

// joinEquals returns what join makes of v and of the values of every index from i up to end that is key, STEP sorted indexes at a time; i goes behind them.
template <int STEP, class P, class Value, class Join> INLINE T joinEquals(const P &p, u64 &i, u64 end, i64 key, T v, Value value, Join join) {
	const int MANY = 4; // values in flight
	bool more = true;
#pragma unroll 1
	while (more) {
		T part[MANY];
		bool same[MANY];
		u64 from = i;
#pragma unroll
		for (int m = 0; m < MANY; m++) {
			u64 last = from + (m + 1) * STEP - 1;
			same[m] = last < end && load<i64>(p.sorted, (i64)last) == key;
			if (same[m]) {
				part[m] = value(from + m * STEP);
			}
		}
#pragma unroll
		for (int m = 0; m < MANY; m++) {
			if (same[m]) {
				v = join(v, part[m]);
				i += STEP;
			}
		}
		more = same[MANY - 1];
	}
	return v;
}

// joinRun returns what join makes of v and of every element whose index, of the sorted ones from j up to end, is the first one's, in order of their places:
// those ahead of the next chunk, whole chunks, whose elements are joined already, and the rest. at tells where the element of a place lies, chunk where the
// element of a chunk does. Chunks are counted from begin on.
template <class P, class At, class Chunk, class Join> INLINE T joinRun(const P &p, u64 begin, u64 j, u64 end, T v, At at, Chunk chunk, Join join) {
	i64 key = load<i64>(p.sorted, (i64)j);
	u64 next = begin + (j - begin + CHUNK - 1) / CHUNK * CHUNK;
	auto element = [&](u64 i) __attribute__((always_inline)) { return load<T>(p.in, at(load<i64>(p.places, (i64)i))); };
	v = joinEquals<1>(p, j, next < end ? next : end, key, v, element, join);
	v = joinEquals<CHUNK>(p, j, end, key, v, [&](u64 i) __attribute__((always_inline)) { return chunk((i - begin) / CHUNK); }, join);
	return joinEquals<1>(p, j, end, key, v, element, join);
}

// joinChunk returns what join makes of the elements of a chunk of sorted indexes, all of which name one place.
template <class P, class At, class Join> INLINE T joinChunk(const P &p, u64 first, At at, Join join) {
	const int MANY = 8; // elements in flight
	T v = load<T>(p.in, at(load<i64>(p.places, (i64)first)));
#pragma unroll 1
	for (u64 i = 0; i < CHUNK; i += MANY) {
		T part[MANY];
#pragma unroll
		for (int m = 0; m < MANY; m++) {
			part[m] = load<T>(p.in, at(load<i64>(p.places, (i64)(first + i + m))));
		}
#pragma unroll
		for (int m = 0; m < MANY; m++) {
			v = i + m > 0 ? join(v, part[m]) : v;
		}
	}
	return v;
}

// alike is the index that all of a chunk are, and whether they are.
template <class P> INLINE bool alike(const P &p, u64 first, i64 &key) {
	key = load<i64>(p.sorted, (i64)first);
	return load<i64>(p.sorted, (i64)(first + CHUNK - 1)) == key;
}

// joinChunks makes of every whole chunk whose indexes are alike, but for the index skip, an element for each column, [chunk][column].
template <class Join> INLINE void joinChunks(const Rows &p, Join join) {
	u64 columns = p.outer * p.inner;
#pragma unroll 1
	for (u64 t = thread(); t < p.count / CHUNK * columns; t += threads()) {
		u64 chunk = t / columns, column = t - chunk * columns, o = column / p.inner, k = column - o * p.inner;
		i64 key;
		if (alike(p, chunk * CHUNK, key) && key != p.skip) {
			auto at = [&](i64 place) { return (i64)((o * p.count + place) * p.inner + k); };
			store<T>(p.joined, (i64)t, joinChunk(p, chunk * CHUNK, at, join));
		}
	}
}

// joinSorted writes what join makes of out[o][k] and of every in[o][places[i]] whose sorted index is k, but for the index skip: by one
// thread for each element of the result that is written, that of the first of equal indexes. joinChunks has gone ahead.
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
		auto chunk = [&](u64 c) { return load<T>(p.joined, (i64)(c * columns + column)); };
		store<T>(p.out, to, joinRun(p, 0, j, p.count, load<T>(p.out, to), at, chunk, join));
	}
}

// scatterChunks is joinChunks of lines, [line][chunk].
template <class Join> INLINE void scatterChunks(const Lines &p, Join join) {
	u64 chunks = p.n / CHUNK;
#pragma unroll 1
	for (u64 t = thread(); t < p.lines * chunks; t += threads()) {
		u64 line = t / chunks, first = line * p.n + (t - line * chunks) * CHUNK;
		i64 at[3], key;
		if (alike(p, first, key)) {
			locate<3>(p, (u32)line, at);
			auto from = [&](i64 place) { return at[1] + place * p.steps[1]; };
			store<T>(p.joined, (i64)t, joinChunk(p, first, from, join));
		}
	}
}

// scatterSorted is scatterLines by sorted indexes: by the thread of the first of equal ones. scatterChunks has gone ahead.
template <class Join> INLINE void scatterSorted(const Lines &p, Join join) {
	u64 chunks = p.n / CHUNK;
#pragma unroll 1
	for (u64 j = thread(); j < p.lines * p.n; j += threads()) {
		u64 line = j / p.n, begin = line * p.n;
		i64 at[3], key = load<i64>(p.sorted, (i64)j);
		if ((j > begin && load<i64>(p.sorted, (i64)j - 1) == key) || !within(p.report, key, p.extent, (i64)begin + load<i64>(p.places, (i64)j))) {
			continue;
		}
		locate<3>(p, (u32)line, at);
		i64 to = at[0] + key * p.steps[0];
		auto from = [&](i64 place) { return at[1] + place * p.steps[1]; };
		auto chunk = [&](u64 c) { return load<T>(p.joined, (i64)(line * chunks + c)); };
		store<T>(p.out, to, joinRun(p, begin, j, begin + p.n, load<T>(p.out, to), from, chunk, join));
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
