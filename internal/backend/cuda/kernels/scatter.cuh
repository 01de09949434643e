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

#define CHUNK_BITS 6
#define CHUNK (1 << CHUNK_BITS) // sorted indexes, of which each whole chunk that names a single place is joined by a thread of its own (kernels.SortedChunk)

// joinMany returns what join makes of v and of n values.
template <int MANY, class Value, class Join> INLINE T joinMany(u64 n, T v, Value value, Join join) {
#pragma unroll 1
	for (u64 i = 0; i < n; i += MANY) {
		T part[MANY]; // in flight
#pragma unroll
		for (int m = 0; m < MANY; m++) {
			if (i + m < n) {
				part[m] = value(i + m);
			}
		}
#pragma unroll
		for (int m = 0; m < MANY; m++) {
			if (i + m < n) {
				v = join(v, part[m]);
			}
		}
	}
	return v;
}

// runEnd is where the run of sorted indexes that are key ends which is under way at j: steps double until one leaves the run, and are halved then.
template <class P> INLINE u64 runEnd(const P &p, u64 j, u64 end, i64 key) {
	u64 step = 1;
#pragma unroll 1
	for (; j + step < end && load<i64>(p.sorted, (i64)(j + step)) == key; step *= 2) {
		j += step;
	}
#pragma unroll 1
	while (step /= 2) {
		if (j + step < end && load<i64>(p.sorted, (i64)(j + step)) == key) {
			j += step;
		}
	}
	return j + 1;
}

// joinRun returns what join makes of v and of every element whose index, of the sorted ones from j up to end, is the first one's, in order of their places. Chunks
// are counted from begin on, and CHUNK of them that lie in the run are a larger one: of those that begin at one place the largest is joined already, and
// chunk tells where its element lies; at does so for the element of a place.
template <class P, class At, class Chunk, class Join> INLINE T joinRun(const P &p, u64 begin, u64 j, u64 end, T v, At at, Chunk chunk, Join join) {
	end = runEnd(p, j, end, load<i64>(p.sorted, (i64)j)) - begin;
	auto element = [&](u64 i) __attribute__((always_inline)) { return load<T>(p.in, at(load<i64>(p.places, (i64)i))); };
#pragma unroll 1
	for (u64 i = j - begin; i < end;) {
		u32 shift = 0;
#pragma unroll 1
		while ((i & (((u64)CHUNK << shift) - 1)) == 0 && i + ((u64)CHUNK << shift) <= end) {
			shift += CHUNK_BITS;
		}
		u64 next = (i | (((u64)CHUNK << shift) - 1)) + 1, n = ((next < end ? next : end) - i) >> shift; // up to where a larger one may begin
		v = joinMany<4>(n, v, [&](u64 k) __attribute__((always_inline)) {
			return shift == 0 ? element(begin + i + k) : chunk((i + (k << shift)) >> CHUNK_BITS);
		}, join);
		i += n << shift;
	}
	return v;
}

// joinChunk returns what join makes of CHUNK values.
template <class Value, class Join> INLINE T joinChunk(Value value, Join join) {
	const int MANY = 8; // values in flight
	T v = value(0);
#pragma unroll 1
	for (int i = 0; i < CHUNK; i += MANY) {
		T part[MANY];
#pragma unroll
		for (int m = 0; m < MANY; m++) {
			part[m] = value(i + m);
		}
#pragma unroll
		for (int m = 0; m < MANY; m++) {
			v = i + m > 0 ? join(v, part[m]) : v;
		}
	}
	return v;
}

// alike is the index that all of so many are, and whether they are.
template <class P> INLINE bool alike(const P &p, u64 first, u64 many, i64 &key) {
	key = load<i64>(p.sorted, (i64)first);
	return load<i64>(p.sorted, (i64)(first + many - 1)) == key;
}

// joinChunks makes of every whole chunk whose indexes are alike, but for the index skip, an element for each column, [chunk][column]. On higher levels
// chunks are of chunks that the level below has joined, and their elements take the place of the first of these, which is not read again.
template <class Join> INLINE void joinChunks(const Rows &p, Join join) {
	u64 columns = p.outer * p.inner;
	u32 shift = p.level * CHUNK_BITS;
#pragma unroll 1
	for (u64 t = thread(); t < (p.count >> shift >> CHUNK_BITS) * columns; t += threads()) {
		u64 chunk = t / columns, column = t - chunk * columns, o = column / p.inner, k = column - o * p.inner;
		u64 first = chunk << CHUNK_BITS << shift;
		i64 key;
		if (!alike(p, first, (u64)CHUNK << shift, key) || key == p.skip) {
			continue;
		}
		i64 to = (i64)((first >> CHUNK_BITS) * columns + column);
		if (shift == 0) {
			auto element = [&](u64 i) { return load<T>(p.in, (i64)((o * p.count + load<i64>(p.places, (i64)(first + i))) * p.inner + k)); };
			store<T>(p.joined, to, joinChunk(element, join));
		} else {
			i64 step = (i64)(columns << (shift - CHUNK_BITS));
			store<T>(p.joined, to, joinChunk([&](u64 i) { return load<T>(p.joined, to + (i64)i * step); }, join));
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
	u32 shift = p.level * CHUNK_BITS;
	u64 chunks = p.n >> shift >> CHUNK_BITS;
#pragma unroll 1
	for (u64 t = thread(); t < p.lines * chunks; t += threads()) {
		u64 line = t / chunks, from = (t - line * chunks) << shift << CHUNK_BITS, first = line * p.n + from;
		i64 at[3], key;
		if (!alike(p, first, (u64)CHUNK << shift, key)) {
			continue;
		}
		i64 to = (i64)(line * (p.n >> CHUNK_BITS) + (from >> CHUNK_BITS));
		if (shift == 0) {
			locate<3>(p, (u32)line, at);
			auto element = [&](u64 i) { return load<T>(p.in, at[1] + load<i64>(p.places, (i64)(first + i)) * p.steps[1]); };
			store<T>(p.joined, to, joinChunk(element, join));
		} else {
			store<T>(p.joined, to, joinChunk([&](u64 i) { return load<T>(p.joined, to + (i64)(i << (shift - CHUNK_BITS))); }, join));
		}
	}
}

// scatterSorted is scatterLines by sorted indexes: by the thread of the first of equal ones. scatterChunks has gone ahead.
template <class Join> INLINE void scatterSorted(const Lines &p, Join join) {
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
		auto chunk = [&](u64 c) { return load<T>(p.joined, (i64)(line * (p.n >> CHUNK_BITS) + c)); };
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
