// How kernels report what is wrong with their data.
#pragma once

#include "params.cuh"

// report tells a fault, unless there was one before.
INLINE void report(const Report &r, u32 code, i64 index, i64 extent, i64 at) {
	Global<Fault> f = (Global<Fault>)r.word;
	u32 none = 0;
	if (__atomic_compare_exchange_n(&f->code, &none, code, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
		f->tag = r.tag;
		f->index = index;
		f->extent = extent;
		f->at = at;
		if (f->flag != 0) {
			store<u32>(f->flag, 0, 1);
		}
	}
}

// within tells whether an index is in 0 … extent-1, and reports it where it is not.
INLINE bool within(const Report &r, i64 index, u64 extent, i64 at) {
	if ((u64)index < extent) {
		return true;
	}
	report(r, INDEX_FAULT, index, (i64)extent, at);
	return false;
}
