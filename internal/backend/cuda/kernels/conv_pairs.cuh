// How the sums of two neighbouring pixels of a convolution become elements of 16 bits, which go to memory as one word where they can.
#pragma once

#include "conv_place.cuh"
#include "fragments.cuh"

// A SpotPair is where the sums of two pixels belong in a tile's first row.
struct SpotPair {
	Spot first, second;
	bool whole; // whether both go to memory as one word

	INLINE SpotPair of(const TiledConvolution &p, Spot first, Spot second) {
		bool beside = first.inside && second.inside && second.at == first.at + 1 && (first.at | (u64)p.outSize[0] * p.outSize[1]) % 2 == 0;
		return {first, second, p.parts == 1 && beside};
	}

	// put stores both sums of a row of the tile, which is so many rows of a group.
	INLINE void put(const SpotPair &s, const TiledConvolution &p, u32 group, u32 channel, u32 row, f32 a, f32 b) {
		u64 further = (u64)row * p.outSize[0] * p.outSize[1];
		if (channel >= p.rows) {
			return;
		}
		if (s.whole) {
			f32 bias = p.bias != 0 ? element(p.bias, (i64)group * p.rows + channel) : 0;
			store<u32>(p.out, (i64)((s.first.at + further) / 2), pack(a + bias, b + bias));
			return;
		}
		if (s.first.inside) {
			::put(p, group, channel, s.first.at + further, a);
		}
		if (s.second.inside) {
			::put(p, group, channel, s.second.at + further, b);
		}
	}
};
