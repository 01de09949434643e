#include "device.h"

// out[i + shift] = x[i]: past either end when the sizes do not fit.
extern "C" __global__ void shifted(u32 *out, const u32 *x, s64 shift) {
	s64 i = blockIdx.x * blockDim.x + threadIdx.x;
	out[i + shift] = x[i];
}

extern "C" __global__ void misaligned(u8 *out) {
	*(u32 *)(out + threadIdx.x * 3) = 1;
}

extern "C" __global__ void shared_overrun(u32 *out, u32 n) {
	__shared__ u32 sm[64];
	sm[threadIdx.x + n] = 1;
	__syncthreads();
	out[threadIdx.x] = sm[threadIdx.x];
}

extern "C" __global__ void unconverged_shuffle(u32 *out) {
	u32 t = threadIdx.x, v = t;
	if (t & 1) {
		v = __nvvm_shfl_sync_bfly_i32(0xffffffffu, v, 2, 31);
		out[t] = v * 3;
	} else {
		out[t] = v;
	}
}
