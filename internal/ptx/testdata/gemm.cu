#include "device.h"

// c[m,n] = a[m,k] b[k,n]: 64 by 64 a block of 256 threads, 4 by 4 a thread.
template <class T>
__device__ static inline void gemm(T *c, const T *a, const T *b, u32 m, u32 n, u32 k) {
	__shared__ __attribute__((aligned(16))) T as[16][64];
	__shared__ __attribute__((aligned(16))) T bs[16][64];
	u32 t = threadIdx.x, row = blockIdx.y * 64, col = blockIdx.x * 64, ty = t / 16 * 4, tx = t % 16 * 4;
	T sum[4][4] = {};
	for (u32 k0 = 0; k0 < k; k0 += 16) {
		for (u32 i = t; i < 64 * 16; i += 256) {
			u32 r = i / 16, kk = i % 16;
			as[kk][r] = row + r < m && k0 + kk < k ? a[(u64)(row + r) * k + k0 + kk] : 0;
			u32 q = i / 64, cc = i % 64;
			bs[q][cc] = k0 + q < k && col + cc < n ? b[(u64)(k0 + q) * n + col + cc] : 0;
		}
		__syncthreads();
		for (u32 q = 0; q < 16; q++)
			for (u32 i = 0; i < 4; i++)
				for (u32 j = 0; j < 4; j++)
					sum[i][j] = __builtin_elementwise_fma(as[q][ty + i], bs[q][tx + j], sum[i][j]);
		__syncthreads();
	}
	for (u32 i = 0; i < 4; i++)
		for (u32 j = 0; j < 4; j++)
			if (row + ty + i < m && col + tx + j < n)
				c[(u64)(row + ty + i) * n + col + tx + j] = sum[i][j];
}

extern "C" __global__ BOUNDS(256) void gemm_f32(float *c, const float *a, const float *b, u32 m, u32 n, u32 k) {
	gemm(c, a, b, m, n, k);
}

extern "C" __global__ BOUNDS(256) void gemm_f64(double *c, const double *a, const double *b, u32 m, u32 n, u32 k) {
	gemm(c, a, b, m, n, k);
}
