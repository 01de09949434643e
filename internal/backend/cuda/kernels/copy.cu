// Copies and fills of elements by their size: in[0] to out, over any two layouts; in[0] may be a constant. By hand, since it is
// compiled for sizes of elements and not for dtypes, which the elementwise table has.
// dtypes: b8 b16 b32 b64
#include "elementwise.cuh"

ROW_KERNEL(copy, 256)(const Elementwise p) {
	each<4, T, T>(p, [](T a) { return a; });
}

#define TILE 32 // of a matrix, along either axis
#define HIGH 8  // rows of threads

// The copy of matrices whose first axis is contiguous in out and whose second is in in, tile by tile through shared memory, so that both
// are moved by rows. Grid: blocks of (32, 8) threads, one for each tile along x and y, and one for each matrix along z.
ROW_KERNEL(transpose, 256)(const Elementwise p) {
	__shared__ T tile[TILE][TILE + 1];
	i64 in = (i64)blockIdx.z * p.strides[1][2], out = (i64)blockIdx.z * p.strides[0][2];
	u32 c0 = blockIdx.x * TILE, r0 = blockIdx.y * TILE;
#pragma unroll
	for (int i = 0; i < TILE; i += HIGH) {
		u32 c = c0 + threadIdx.y + i, r = r0 + threadIdx.x;
		if (c < p.extents[0] && r < p.extents[1]) {
			tile[threadIdx.y + i][threadIdx.x] = load<T>(p.in[0], in + (i64)c * p.strides[1][0] + r);
		}
	}
	__syncthreads();
#pragma unroll
	for (int i = 0; i < TILE; i += HIGH) {
		u32 c = c0 + threadIdx.x, r = r0 + threadIdx.y + i;
		if (c < p.extents[0] && r < p.extents[1]) {
			store<T>(p.out, out + (i64)r * p.strides[0][1] + c, tile[threadIdx.x][threadIdx.y + i]);
		}
	}
}
