// How a block brings tiles of a product's operands into shared memory, by way of registers.
//
// An operand lies in memory along the common axis or across it, along the rows of the result for a and its columns for b. Rows beyond the operand's end are read from its last, since their
// products are not stored; elements beyond the end of the common axis are zeros.
#pragma once

#include "tile_loop.cuh"

// Deep operands lie along k, in rows that are multiples of 4 and aligned for vectors of 4: each thread loads 4 steps of a row.
template <int SIZE, int THREADS> struct Deep {
	static const int COUNT = SIZE * STEPS / 4 / THREADS, APART = THREADS * 4 / STEPS;
	u64 from[COUNT];
	Four held[COUNT];
	u32 k, i;

	__device__ Deep(u64 matrix, i64 across, i64, u32 first, u32 size, u32 begin) : k(threadIdx.x % 2 * 4), i(threadIdx.x / 2) {
#pragma unroll
		for (int l = 0; l < COUNT; l++) {
			u32 row = min(first + i + l * APART, size - 1);
			from[l] = matrix + (u64)((i64)row * across + begin + k) * sizeof(T);
		}
	}

	// fetch loads the next tile, of which left steps are inside.
	INLINE void fetch(Deep &d, u32 left) {
#pragma unroll
		for (int l = 0; l < COUNT; l++) {
			d.held[l] = d.k < left ? load<Four>(d.from[l], 0) : Four(0);
			d.from[l] += STEPS * sizeof(T);
		}
	}

	INLINE void put(const Deep &d, Tile<SIZE> &to) {
#pragma unroll
		for (int l = 0; l < COUNT; l++) {
#pragma unroll
			for (int j = 0; j < 4; j++) {
				to[d.k + j][d.i + l * APART] = d.held[l][j];
			}
		}
	}
};

// Wide operands lie across k, with the same alignment: each thread loads 4 neighbours of a step.
template <int SIZE, int THREADS> struct Wide {
	static const int COUNT = SIZE * STEPS / 4 / THREADS, APART = THREADS * 4 / SIZE;
	u64 from, step;
	Four held[COUNT];
	u32 k, i;

	__device__ Wide(u64 matrix, i64, i64 deep, u32 first, u32 size, u32 begin)
		: step((u64)deep * sizeof(T)), k(threadIdx.x / (SIZE / 4)), i(threadIdx.x % (SIZE / 4) * 4) {
		from = matrix + ((u64)(begin + k) * deep + min(first + i, size - 4)) * sizeof(T);
	}

	INLINE void fetch(Wide &w, u32 left) {
#pragma unroll
		for (int l = 0; l < COUNT; l++) {
			w.held[l] = w.k + l * APART < left ? load<Four>(w.from + l * APART * w.step, 0) : Four(0);
		}
		w.from += STEPS * w.step;
	}

	INLINE void put(const Wide &w, Tile<SIZE> &to) {
#pragma unroll
		for (int l = 0; l < COUNT; l++) {
			*(Four *)&to[w.k + l * APART][w.i] = w.held[l];
		}
	}
};

// Loose operands lie anyhow: each thread loads single elements, along the axis on which neighbours lie closer.
template <int SIZE, int THREADS> struct Loose {
	static const int COUNT = SIZE * STEPS / THREADS;
	u64 from, step, apart; // of the first element, to the next tile, to the thread's next element, in bytes
	T held[COUNT];
	u32 k, i, addK, addI, inside;

	__device__ Loose(u64 matrix, i64 across, i64 deep, u32 first, u32 size, u32 begin) {
		bool along = deep < across;
		k = along ? threadIdx.x % STEPS : threadIdx.x / SIZE;
		i = along ? threadIdx.x / STEPS : threadIdx.x % SIZE;
		addK = along ? 0 : THREADS / SIZE;
		addI = along ? THREADS / STEPS : 0;
		from = matrix + (u64)((i64)(first + i) * across + (i64)(begin + k) * deep) * sizeof(T);
		apart = (u64)(addI * across + addK * deep) * sizeof(T);
		step = (u64)deep * STEPS * sizeof(T);
		inside = size - first;
	}

	INLINE void fetch(Loose &o, u32 left) {
#pragma unroll
		for (int l = 0; l < COUNT; l++) {
			bool in = o.k + l * o.addK < left && o.i + l * o.addI < o.inside;
			o.held[l] = in ? load<T>(o.from + l * o.apart, 0) : 0;
		}
		o.from += o.step;
	}

	INLINE void put(const Loose &o, Tile<SIZE> &to) {
#pragma unroll
		for (int l = 0; l < COUNT; l++) {
			to[o.k + l * o.addK][o.i + l * o.addI] = o.held[l];
		}
	}
};
