// Weights of int8 and int4 as products read them, 16 bytes of a row at a time, and the reduction of a block's sums.
#pragma once

#include "element.cuh"
#include "math.cuh"
#include "params_quantized.cuh"

// words loads 16 bytes of a row that is not aligned, of which so many are inside: zeros stand for the others.
INLINE uint4 words(u64 from, u32 inside) {
	uint4 v = 0;
#pragma unroll 1
	for (u32 i = min(inside, 16); i > 0; i--) {
		v = {v[0] << 8 | load<u8>(from, i - 1), v[1] << 8 | v[0] >> 24, v[2] << 8 | v[1] >> 24, v[3] << 8 | v[2] >> 24};
	}
	return v;
}

// The bits of 2^23 and those of a number below: a float32 without a conversion, of which there are few in a clock.
#define UNITS 0x4b000000u

// number is byte i of a word whose highest bits have been turned over, less 128.
INLINE f32 number(u32 turned, int i) {
	u32 v;
	asm("prmt.b32 %0, %1, %2, %3;" : "=r"(v) : "r"(turned), "r"(UNITS), "n"(0x7440 | i));
	return bits<f32>(v) - 8388736.f;
}

// zeroOf is the zero point of a row's group.
INLINE f32 zeroOf(const Quantized &p, u32 row, u32 group, u32 groups) {
	if (p.zero == 0) {
		return 8;
	}
	return bits<f32>(UNITS | (load<u32>(p.zero, (i64)(row / 8) * groups + group) >> row % 8 * 4 & 15)) - 8388608.f;
}

// reduceBlock has the block's first threads, one for each of HIGH * ROWS, take the sums of all lanes, in an order that the size of the block alone decides.
template <class S, int HIGH, int ROWS, class Take> INLINE void reduceBlock(S (&sums)[HIGH][ROWS], Take take) {
	__shared__ S sides[4][HIGH * ROWS];
#pragma unroll
	for (int h = 0; h < HIGH; h++) {
#pragma unroll
		for (int r = 0; r < ROWS; r++) {
#pragma unroll
			for (u32 mask = 16; mask > 0; mask /= 2) {
				sums[h][r] += fromLane(sums[h][r], mask);
			}
			if (threadIdx.x % 32 == 0) {
				sides[threadIdx.x / 32][h * ROWS + r] = sums[h][r];
			}
		}
	}
	__syncthreads();
	if (threadIdx.x < HIGH * ROWS) {
		S sum = sides[0][threadIdx.x];
#pragma unroll 1
		for (u32 w = 1; w < blockDim.x / 32; w++) {
			sum += sides[w][threadIdx.x];
		}
		take(threadIdx.x / ROWS, threadIdx.x % ROWS, sum);
	}
}

// biased is an element of the result, to which the bias is added.
INLINE E biased(const Quantized &p, u32 n, f32 y) {
	if (p.bias != 0) {
		y += element(p.bias, n);
	}
	return Cast<E>::of(y);
}

INLINE void storeResult(const Quantized &p, u32 m, u32 n, f32 y) { store<E>(p.out, (i64)m * p.n + n, biased(p, n, y)); }

// counted is what a sum of products of int8 stands for.
INLINE f32 counted(const Quantized &p, u32 m, u32 n, i64 sum) { return (f32)((f64)sum * (load<f64>(p.steps, m) * (f64)load<f32>(p.scale, n))); }
