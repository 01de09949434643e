// How two sums beside each other become elements of 16 bits, which go to memory as one word where they can.
#pragma once

#include "fragments.cuh"
#include "job.cuh"

// finish stores two neighbours of a row, the first of which lies inside.
INLINE void finish(const Product &p, const Place &at, u32 r, u32 c, f32 first, f32 second) {
	bool both = c + 1 < p.n;
	if (at.parts != 1) {
		i64 i = (i64)(at.partials.from + r * at.partials.pitch + c);
		store<f32>(p.partials, i, first);
		if (both) {
			store<f32>(p.partials, i + 1, second);
		}
		return;
	}
	i64 i = at.batch * p.outStrides[0] + r * p.outStrides[1] + c * p.outStrides[2];
	u32 pair = pack(finished(p, at.batch, r, c, first), both ? finished(p, at.batch, r, c + 1, second) : 0);
	if (follows(p)) {
		pair = after(p, i, both, pair);
		if (widens(p)) {
			return;
		}
	}
	if (p.n % 2 == 0 && p.outStrides[2] == 1) {
		((Global<u32>)(p.out + (u64)i * 2))[0] = pair;
		return;
	}
	store<E>(p.out, i, E{(u16)pair});
	if (both) {
		store<E>(p.out, i + p.outStrides[2], E{(u16)(pair >> 16)});
	}
}
