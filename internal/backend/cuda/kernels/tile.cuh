// How a block computes a tile of a matrix product from tiles of both operands in shared memory: each thread SIDE x SIDE
// elements of it, whose products are added in order of the common axis, by fma.
#pragma once

#include "dtype.cuh"
#include "math.cuh"

#define SIDE 4   // of a thread's part of the tile
#define DEPTH 16 // of the operands' tiles, along the common axis

typedef T Four __attribute__((ext_vector_type(SIDE)));

// four loads neighbours from shared memory at once, which the compiler would do one by one.
INLINE Four four(const T *from) {
	Four v;
	u32 at = (u32)(u64)(const __attribute__((address_space(3))) T *)from;
#if defined(DTYPE_f32)
	asm volatile("ld.shared.v4.f32 {%0, %1, %2, %3}, [%4];"
				 : "=f"(v.x), "=f"(v.y), "=f"(v.z), "=f"(v.w) : "r"(at) : "memory");
#else
	asm volatile("ld.shared.v2.f64 {%0, %1}, [%2];" : "=d"(v.x), "=d"(v.y) : "r"(at) : "memory");
	asm volatile("ld.shared.v2.f64 {%0, %1}, [%2+16];" : "=d"(v.z), "=d"(v.w) : "r"(at) : "memory");
#endif
	return v;
}

// Rows of an operand's tile are padded by 4 elements, so that neighbouring rows start in different banks of shared memory and
// stay aligned for vector loads.
template <int TILE> using Operand = T[DEPTH][TILE + 4];

// multiply adds the product of two tiles to the thread's sums, whose first row is y and first column x.
template <int ROWS, int COLUMNS>
INLINE void multiply(const Operand<ROWS> &a, const Operand<COLUMNS> &b, u32 y, u32 x, T (&sums)[SIDE][SIDE]) {
#pragma unroll
	for (int d = 0; d < DEPTH; d++) {
		Four as = four(&a[d][y]), bs = four(&b[d][x]);
#pragma unroll
		for (int i = 0; i < SIDE; i++) {
#pragma unroll
			for (int j = 0; j < SIDE; j++) {
				sums[i][j] = fma(as[i], bs[j], sums[i][j]);
			}
		}
	}
}

// A Loader loads one tile after another of a matrix into shared memory, zeros beyond its end: to[k][i] is element i of the
// tile's long axis. Neighbouring threads load along the contiguous axis, so that their loads coalesce.
template <int TILE, int THREADS> struct Loader {
	u64 from;               // this thread's first element of the next tile
	u64 apart, step;        // bytes between its elements, and to the next tile
	u32 i, d, addI, addD;   // where its first element goes, and how much further each of the others
	u32 rows;               // of the tile that the matrix has

	INLINE Loader of(u64 matrix, i64 along, i64 deep, u64 first, u64 most) {
		const int S = sizeof(T);
		Loader l;
		bool deepFirst = deep == 1;
		l.d = deepFirst ? threadIdx.x % DEPTH : threadIdx.x / TILE;
		l.i = deepFirst ? threadIdx.x / DEPTH : threadIdx.x % TILE;
		l.addI = deepFirst ? THREADS / DEPTH : 0;
		l.addD = deepFirst ? 0 : THREADS / TILE;
		l.from = matrix + (u64)((i64)(first + l.i) * along + (i64)l.d * deep) * S;
		l.apart = (u64)(l.addI * along + l.addD * deep) * S;
		l.step = (u64)deep * DEPTH * S;
		l.rows = most - first < TILE ? (u32)(most - first) : TILE;
		return l;
	}

	// fill loads the next tile, of which the matrix has depth elements along k.
	__device__ __attribute__((always_inline)) void fill(Operand<TILE> &to, u32 depth) {
		const int COUNT = TILE * DEPTH / THREADS;
		if (rows == TILE && depth == DEPTH) {
#pragma unroll
			for (int l = 0; l < COUNT; l++) {
				to[d + l * addD][i + l * addI] = load<T>(from + l * apart, 0);
			}
		} else {
#pragma unroll
			for (int l = 0; l < COUNT; l++) {
				bool inside = d + l * addD < depth && i + l * addI < rows;
				to[d + l * addD][i + l * addI] = inside ? load<T>(from + l * apart, 0) : 0;
			}
		}
		from += step;
	}
};
