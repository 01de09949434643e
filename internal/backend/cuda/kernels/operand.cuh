// How a block brings tiles of a product's operands into shared memory, by way of registers.
//
// An operand lies in memory along the common axis or across it, along the rows of the result for a and its columns for b. Rows beyond the operand's end are read from its last, since their
// products are not stored; elements beyond the end of the common axis are zeros.
#pragma once

#include "again.cuh"
#include "tile_loop.cuh"

// Deep operands lie along k, in rows that are multiples of 4 and aligned for vectors of 4: each thread loads 4 steps of a row.
template <int SIZE, int THREADS> struct Deep {
	static const int COUNT = SIZE * STEPS / 4 / THREADS, APART = THREADS * 4 / STEPS;
	static const bool FEW = SIZE == 128; // registers are left
	u64 from[COUNT];
	Four held[COUNT];

	__device__ Deep(u64 matrix, i64 across, i64, u32 first, u32 size, u32 begin, u32) {
#pragma unroll
		for (int l = 0; l < COUNT; l++) {
			u32 row = min(first + rowOf(threadIdx.x) + l * APART, size - 1);
			from[l] = matrix + (u64)((i64)row * across + begin + stepOf(threadIdx.x)) * sizeof(T);
		}
	}

	INLINE u32 stepOf(u32 thread) { return thread % (STEPS / 4) * 4; }
	INLINE u32 rowOf(u32 thread) { return thread / (STEPS / 4); }

	// fetch loads the next tile, of which left steps are inside.
	INLINE void fetch(Deep &d, u32 left, i64, i64) {
		u32 k = stepOf(thisThread<FEW>());
#pragma unroll
		for (int l = 0; l < COUNT; l++) {
			d.held[l] = k < left ? load<Four>(d.from[l], 0) : Four(0);
			d.from[l] += STEPS * sizeof(T);
		}
	}

	INLINE void put(const Deep &d, Tile<SIZE> &to, i64, i64) {
		u32 thread = thisThread<FEW>();
		T *first = &to[stepOf(thread)][rowOf(thread)];
#pragma unroll
		for (int l = 0; l < COUNT; l++) {
#pragma unroll
			for (int j = 0; j < 4; j++) {
				first[j * (SIZE + GAP) + l * APART] = d.held[l][j];
			}
		}
	}
};

// Wide operands lie across k, with the same alignment: each thread loads 4 neighbours of a step.
template <int SIZE, int THREADS> struct Wide {
	static const int COUNT = SIZE * STEPS / 4 / THREADS, APART = THREADS * 4 / SIZE;
	static const bool FEW = SIZE == 128; // registers are left
	u64 from;
	Four held[COUNT];

	__device__ Wide(u64 matrix, i64, i64 deep, u32 first, u32 size, u32 begin, u32) {
		from = matrix + ((u64)(begin + stepOf(threadIdx.x)) * deep + min(first + rowOf(threadIdx.x), size - 4)) * sizeof(T);
	}

	INLINE u32 stepOf(u32 thread) { return thread / (SIZE / 4); }
	INLINE u32 rowOf(u32 thread) { return thread % (SIZE / 4) * 4; }

	INLINE void fetch(Wide &w, u32 left, i64, i64 deep) {
		u64 step = (u64)deep * sizeof(T);
		u32 k = stepOf(thisThread<FEW>());
#pragma unroll
		for (int l = 0; l < COUNT; l++) {
			w.held[l] = k + l * APART < left ? load<Four>(w.from + l * APART * step, 0) : Four(0);
		}
		w.from += STEPS * step;
	}

	INLINE void put(const Wide &w, Tile<SIZE> &to, i64, i64) {
		u32 thread = thisThread<FEW>();
		T *first = &to[stepOf(thread)][rowOf(thread)];
#pragma unroll
		for (int l = 0; l < COUNT; l++) {
			*(Four *)(first + l * APART * (SIZE + GAP)) = w.held[l];
		}
	}
};

// Loose operands lie anyhow: each thread loads single elements, along the axis on which neighbours lie closer.
template <int SIZE, int THREADS> struct Loose {
	static const int COUNT = SIZE * STEPS / THREADS;
	u64 from; // of the thread's first element
	T held[COUNT];
	u32 known; // where that goes in a tile, in bytes; from bit 16 on whether each is inside, first of a whole tile, then of a last one that is not

	__device__ Loose(u64 matrix, i64 across, i64 deep, u32 first, u32 size, u32 begin, u32 steps) {
		static_assert(COUNT <= 8 && sizeof(Tile<SIZE>) <= 1 << 16, "what is known are 32 bits");
		bool along = deep < across;
		u32 k = along ? threadIdx.x % STEPS : threadIdx.x / SIZE, i = along ? threadIdx.x / STEPS : threadIdx.x % SIZE;
		from = matrix + (u64)((i64)(first + i) * across + (i64)(begin + k) * deep) * sizeof(T);
		known = (k * (SIZE + GAP) + i) * sizeof(T);
#pragma unroll
		for (int l = 0; l < COUNT; l++) {
			u32 in = first + i + (along ? l * (THREADS / STEPS) : 0) < size ? 1 << (16 + l) : 0;
			known |= in | (k + (along ? 0 : l * (THREADS / SIZE)) < steps % STEPS ? in << COUNT : 0);
		}
	}

	// keep has the compiler take what is known for another number, so that it is not taken apart ahead of a loop.
	INLINE void keep(Loose &o) { asm volatile("" : "+r"(o.known)); }

	INLINE void fetch(Loose &o, u32 left, i64 across, i64 deep) {
		keep(o);
		u32 in = left < STEPS ? o.known >> COUNT : o.known;
		u64 at = o.from, apart = (u64)(deep < across ? across * (THREADS / STEPS) : deep * (THREADS / SIZE)) * sizeof(T);
#pragma unroll
		for (int l = 0; l < COUNT; l++) {
			o.held[l] = in & 1 << (16 + l) ? load<T>(at, 0) : 0;
			at += apart;
		}
		o.from += (u64)deep * STEPS * sizeof(T);
	}

	INLINE void put(Loose &o, Tile<SIZE> &to, i64 across, i64 deep) {
		keep(o);
		u32 apart = deep < across ? THREADS / STEPS * sizeof(T) : THREADS / SIZE * sizeof(to[0]);
		u8 *at = (u8 *)&to[0][0] + o.known % (1 << 16);
#pragma unroll
		for (int l = 0; l < COUNT; l++) {
			*(T *)at = o.held[l];
			at += apart;
		}
	}
};
