#include "device.h"

__device__ static inline float warp_sum(float x) {
	for (int d = 16; d > 0; d /= 2)
		x += __nvvm_shfl_sync_bfly_f32(all, x, d, 31);
	return x;
}

__device__ static inline float block_sum(float x) {
	__shared__ float parts[32];
	x = warp_sum(x);
	if (threadIdx.x % 32 == 0)
		parts[threadIdx.x / 32] = x;
	__syncthreads();
	x = threadIdx.x < blockDim.x / 32 ? parts[threadIdx.x] : 0;
	if (threadIdx.x < 32)
		x = warp_sum(x);
	return x;
}

extern "C" __global__ BOUNDS(256) void sum_atomic(float *out, const float *x, u32 n) {
	float s = 0;
	for (u32 i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
		s += x[i];
	s = block_sum(s);
	if (threadIdx.x == 0)
		__nvvm_atom_add_gen_f(out, s);
}

// The last block to arrive adds the blocks' sums in their order.
extern "C" __global__ BOUNDS(256) void sum_ordered(float *out, const float *x, u32 n, volatile float *parts, u32 *arrived) {
	__shared__ bool last;
	float s = 0;
	for (u32 i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
		s += x[i];
	s = block_sum(s);
	if (threadIdx.x == 0) {
		parts[blockIdx.x] = s;
		__nvvm_membar_gl();
		last = __nvvm_atom_inc_gen_ui(arrived, gridDim.x - 1) == gridDim.x - 1;
	}
	__syncthreads();
	if (last && threadIdx.x == 0) {
		s = 0;
		for (u32 b = 0; b < gridDim.x; b++)
			s += parts[b];
		*out = s;
	}
}
