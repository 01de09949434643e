// What a row of a layer normalization is made of: its chunks, half types in their places, what stands for its columns, and its figures.
#pragma once

#include "params.cuh"
#include "reduction.cuh"
#include "math.cuh"
#include "twofold.cuh"

#define HELD (64 / sizeof(T)) // elements that a thread holds

// A Slope is what stands for columns of a row: a part of weight or bias, of which an element is for each columns.
struct Slope {
	u64 base;
	bool whole; // whether groups of it can be moved at once

	INLINE Slope of(const LayerNorm &p, u64 base, u64 r) {
		u64 first = p.groups == 1 ? 0 : r % p.groups * (p.columns / p.each);
		base += base == 0 ? 0 : first * sizeof(Stored);
		return {base, p.each == 1 && isWhole(base, 0, 1)};
	}

	// read is what stands for the group of columns from k on, or as many as there are, or `otherwise`.
	__device__ __attribute__((always_inline)) void read(const LayerNorm &p, u64 k, T otherwise, T (&v)[GROUP]) const {
		if (base == 0) {
#pragma unroll
			for (int lane = 0; lane < GROUP; lane++) {
				v[lane] = otherwise;
			}
		} else if (whole && k + GROUP <= p.columns) {
			Lanes<Stored, GROUP> group = Lanes<Stored, GROUP>::load(base, (i64)k);
#pragma unroll
			for (int lane = 0; lane < GROUP; lane++) {
				v[lane] = wide(group.at(lane));
			}
		} else if (p.each != 1 && (u32)p.each % GROUP == 0) { // the group lies in one channel
			T all = ::read(base, (i64)((u32)k / (u32)p.each));
#pragma unroll
			for (int lane = 0; lane < GROUP; lane++) {
				v[lane] = all;
			}
		} else {
#pragma unroll
			for (int lane = 0; lane < GROUP; lane++) {
				u64 at = k + lane < p.columns ? k + lane : p.columns - 1;
				v[lane] = ::read(base, (i64)(p.each == 1 ? at : (u32)at / (u32)p.each));
			}
		}
	}
};

// eachChunk reads the row in p.x or p.sum chunk by chunk, unless it is held, and calls body with the first column of each. columns is 0 for a
// row beyond the last, which its threads compute and do not keep, since those of a warp stay together.
template <class Body> INLINE void eachChunk(u64 base, Share<HELD> &x, i64 start, u64 columns, bool held, Body body) {
#pragma unroll 1
	for (u64 first = 0; first < columns; first += x.chunk()) {
		if (!held) {
			x.read(base, start, first, columns, 0);
		}
		body(first);
	}
}

// withHalf calls body with a zero of the half type that a type in the parameters names, and reports whether it names one.
template <class Body> INLINE bool withHalf(u32 type, Body body) {
#ifdef DTYPE_f32
	if (type == BFLOAT16_TYPE) {
		body(bf16{});
		return true;
	}
	if (type == FLOAT16_TYPE) {
		body(f16{});
		return true;
	}
#endif
	return false;
}

// eachHalf calls body with each element of a chunk and that of a half type that lies in its place.
template <class S, class Half, class Body> INLINE void eachHalf(S &x, u64 base, i64 start, u64 first, Half zero, Body body) {
	base += (u64)(start + (i64)first) * sizeof(Half);
	bool whole = base % (GROUP * sizeof(Half)) == 0;
	x.groups([&](T (&v)[GROUP], u32 k) {
		Lanes<Half, GROUP> group = Lanes<Half, GROUP>::all(zero);
		if (whole && k + GROUP <= x.count) {
			group = Lanes<Half, GROUP>::load(base, k);
		} else {
#pragma unroll
			for (int lane = 0; lane < GROUP; lane++) {
				group.put(lane, k + lane < x.count ? load<Half>(base, k + lane) : zero);
			}
		}
#pragma unroll
		for (int lane = 0; lane < GROUP; lane++) {
			body(v[lane], wide(group.at(lane)));
		}
	});
}

// readHalves loads a chunk of a row of a half type, and 0 for what would lie behind its end.
template <class Half> INLINE void readHalves(Share<HELD / 2> &x, u64 base, i64 start, u64 first, u64 columns, Half zero) {
	x.count = first >= columns ? 0 : columns - first < x.chunk() ? (u32)(columns - first) : (u32)x.chunk();
	eachHalf(x, base, start, first, zero, [](T &v, T w) { v = w; });
}

// writeHalves stores a chunk as a half type.
template <class S, class Half> INLINE void writeHalves(S &x, u64 base, i64 start, u64 first, Half) {
	base += (u64)(start + (i64)first) * sizeof(Half);
	bool whole = base % (GROUP * sizeof(Half)) == 0;
	x.groups([&](T (&v)[GROUP], u32 k) {
		Lanes<Half, GROUP> group;
#pragma unroll
		for (int lane = 0; lane < GROUP; lane++) {
			group.put(lane, Cast<Half>::of(v[lane]));
		}
		if (whole && k + GROUP <= x.count) {
			group.store(base, k);
		} else {
#pragma unroll
			for (int lane = 0; lane < GROUP; lane++) {
				if (k + lane < x.count) {
					store<Half>(base, k + lane, group.at(lane));
				}
			}
		}
	});
}

// addResidual adds the residual of the chunk from first on to x, as an op would; that of a float32 may be of a half type.
INLINE void addResidual(const LayerNorm &p, Share<HELD> &x, i64 start, u64 first, u64 columns) {
	if (!withHalf(p.residualType, [&](auto zero) { eachHalf(x, p.residual, start, first, zero, [](T &v, T w) { v += w; }); })) {
		x.add(p.residual, start, first, columns);
	}
}

// A row's sums are of what threads have added up, times SHARE, so that many of these do not overflow.
const T SHARE = (T)0x1p-10;

INLINE void take(Fine<T> &sum, T own) { sum = add(sum, own * SHARE); }

#ifndef DTYPE_f64
// perColumn is a row's sum over the number of its columns, which float32 has to hold.
INLINE Twofold perColumn(const LayerNorm &p, Twofold sum) {
	Twofold each = inverse((f32)(u32)p.columns);
	return settled(times(sum, {each.high * 0x1p10f, each.low * 0x1p10f}));
}
#endif
// perColumn64 is that of any sum and number.
INLINE f64 perColumn64(const LayerNorm &p, Fine<T> sum) { return whole(sum) * 0x1p10 / (f64)(i64)p.columns; }
INLINE bool fewColumns(const LayerNorm &p) { return p.columns < 1 << 24; } // float32 holds their number

// The mean of a row in two parts: what the elements' type holds of it, and the rest.
struct Center {
	T high, low;

	INLINE Center of(const LayerNorm &p, Fine<T> sum) {
#ifndef DTYPE_f64
		Twofold near = perColumn(p, sum);
		if (fewColumns(p) && spans(near.high)) {
			return {near.high, near.low};
		}
#endif
		f64 mean = perColumn64(p, sum);
		return {(T)mean, (T)(mean - (f64)(T)mean)};
	}
	__device__ __attribute__((always_inline)) T from(T v) const { return v - high - low; }
};

// rootOf is 1 / √(mean square + eps).
INLINE T rootOf(const LayerNorm &p, Fine<T> squares) {
#ifndef DTYPE_f64
	Twofold variance = add(perColumn(p, squares), twofold(p.eps));
	if (fewColumns(p) && variance.high > 0x1p-60f && variance.high < 0x1p60f) {
		return inverseRoot(variance);
	}
#endif
	return (T)(1 / sqrt(perColumn64(p, squares) + p.eps));
}
