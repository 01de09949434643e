// What sorts share: where elements of lines lie, and where they go.
#pragma once

#include "dtype.cuh"
#include "params.cuh"

// An Item is an element and its place in the line.
struct Item {
	T value;
	u32 from;
};

// placeOf is where element k of a line lies.
INLINE i64 placeOf(const Sort &p, u64 line, u64 k) {
	if (p.inFrom != 0 || p.inner == 1) {
		return (i64)(line * p.n + k);
	}
	u64 o = line / p.inner;
	return (i64)((o * p.n + k) * p.inner + (line - o * p.inner));
}

// originOf is the place in its line of the element k, which lies at a place.
INLINE u32 originOf(const Sort &p, i64 at, u64 k) { return p.inFrom != 0 ? load<u32>(p.inFrom, at) : (u32)k; }

// put stores the item that is number `at` of a sorted line: among the results where it is one of the first k, or for the next launch.
INLINE void put(const Sort &p, u64 line, u64 at, const Item &item) {
	if (p.index == 0) {
		store<T>(p.out, (i64)(line * p.n + at), item.value);
		store<u32>(p.outFrom, (i64)(line * p.n + at), item.from);
	} else if (at < p.k) {
		u64 o = line / p.inner;
		i64 to = (i64)((o * p.k + at) * p.inner + (line - o * p.inner));
		store<T>(p.out, to, item.value);
		store<i64>(p.index, to, item.from);
	}
}
