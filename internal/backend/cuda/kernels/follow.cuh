// What follows a product whose elements lie in a box of 64 by 64 in shared memory, from which the TMA stores them.
#pragma once

#include "result.cuh"

// follow makes of what a warp has stored in so many lines of a box, from line `first` on, row r and column c of the result, what follows it, or stores it as
// float32.
template <u32 LINES> INLINE void follow(const Product &p, u32 box, u32 first, u32 batch, u32 r, u32 c) {
	u32 lane = threadIdx.x % 32;
	c += lane * 2;
	asm volatile("bar.warp.sync 0xffffffff;" : : : "memory");
#pragma unroll 1
	for (u32 i = 0; i < LINES; i++) {
		if (r + i < p.m && c < p.n) {
			auto pair = (__attribute__((address_space(3))) u32 *)(u64)(box + (first + i) * 128 + ((lane / 4 ^ (first + i) % 8) << 4) + lane % 4 * 4);
			i64 at = batch * p.outStrides[0] + (r + i) * p.outStrides[1] + c * p.outStrides[2];
			if (widens(p)) {
				putWide(p, at, c + 1 < p.n, *pair);
			} else {
				*pair = after(p, at, c + 1 < p.n, *pair);
			}
		}
	}
}
