// Exponentials and logarithms as double-single numbers, by units for float32.
#pragma once

#include "elementary.cuh"
#include "twofold.cuh"

// A Scaled is of·2**exponent, which no exponent of float32 bounds.
struct Scaled {
	Twofold of;
	i32 exponent;
};

// roots are 2**(j/16).
static __device__ Twofold roots[16] = {
	{0x1.000000p+0f, 0}, {0x1.0b5586p+0f, 0x1.9f3122p-25f}, {0x1.172b84p+0f, -0x1.c15742p-27f}, {0x1.2387a6p+0f, 0x1.ceac48p-25f},
	{0x1.306fe0p+0f, 0x1.4636e2p-25f}, {0x1.3dea64p+0f, 0x1.824684p-25f}, {0x1.4bfdaep+0f, -0x1.593abcp-25f}, {0x1.5ab07ep+0f, -0x1.5bd5ecp-27f},
	{0x1.6a09e6p+0f, 0x1.9fcef4p-26f}, {0x1.7a1148p+0f, -0x1.829fd0p-25f}, {0x1.8ace54p+0f, 0x1.15506ep-27f}, {0x1.9c4918p+0f, 0x1.51f848p-27f},
	{0x1.ae89fap+0f, -0x1.a94b14p-26f}, {0x1.c199bep+0f, -0x1.3d56b2p-27f}, {0x1.d5818ep+0f, -0x1.822dbcp-27f}, {0x1.ea4afap+0f, 0x1.52486cp-27f},
};

// MOST_EXPONENT bounds what exponential takes.
#define MOST_EXPONENT 0x1p16f

// exponential is e**v for |v| up to MOST_EXPONENT, off by 2**-40 of itself: v = (n + j/16)·log 2 + r, with log 2 in three parts (Cody and Waite), of which the first product is exact.
INLINE Scaled exponential(Twofold v) {
	f32 shifted = __builtin_fmaf(v.high, 0x1.715476p+4f, 0x1.8p+23f), n = shifted - 0x1.8p+23f;
	i32 at = bits<i32>(shifted) - 0x4b400000;
	f32 rest = __builtin_fmaf(n, -0x1.62e430p-5f, v.high), part = n * 0x1.05c610p-33f, off = __builtin_fmaf(n, 0x1.05c610p-33f, -part);
	f32 r = rest + part;
	Twofold near = settled({r, lost(rest, part, r) + __builtin_fmaf(n, 0x1.950d88p-58f, off + v.low)});
	Twofold square = times(near, near);
	f32 cube = near.high * square.high, tail = __builtin_fmaf(__builtin_fmaf(near.high, 1.f / 120, 1.f / 24), near.high, 1.f / 6);
	Twofold more = add(near, Twofold{square.high * 0.5f, __builtin_fmaf(cube, tail, square.low * 0.5f)}); // e**r - 1
	Twofold root = roots[at & 15];
	return {settled(add(root, times(root, more))), at >> 4};
}

// logarithm is log(v·2**exponent), for v > 0 that spans, off by 2**-40 of itself or of 1: a float32 that is near, and a step of Newton's.
INLINE Twofold logarithm(Scaled v) {
	i32 own = (i32)(bits<u32>(v.of.high) - 0x3f3504f3u) >> 23; // from √½ to √2
	f32 scale = twoTo(-own);
	Twofold of = {v.of.high * scale, v.of.low * scale};
	f32 near = log(of.high), n = (f32)(v.exponent + own);
	Scaled inverse = exponential({-near, 0});
	f32 back = twoTo(inverse.exponent);
	Twofold one = times(of, {inverse.of.high * back, inverse.of.low * back});
	f32 off = (one.high - 1) + one.low;
	f32 part = n * 0x1.62e430p-1f, rest = __builtin_fmaf(n, 0x1.62e430p-1f, -part);
	return settled(add(Twofold{part, __builtin_fmaf(n, -0x1.05c610p-29f, rest)}, Twofold{near, __builtin_fmaf(-0.5f * off, off, off)}));
}

// power is v**x for v ≥ 0, off by some 2**-38 of itself where that spans. It is not finite where it is beyond, or v is 0 and x below.
INLINE Twofold power(f32 v, Twofold x) {
	bool low = v < 1;
	Twofold y = times(x, logarithm({{low ? v * 0x1p64f : v * 0x1p-64f, 0}, low ? -64 : 64}));
	Scaled all = exponential({y.high < -1000 ? -1000 : y.high, y.low});
	f32 by = twoTo(all.exponent);
	bool beyond = y.high > 87 || (v == 0 && x.high < 0);
	return {beyond ? __builtin_inff() : v == 0 ? 0 : all.of.high * by, v == 0 ? 0 : all.of.low * by};
}
