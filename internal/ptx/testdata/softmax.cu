#include "device.h"

// exp by 2**k times a polynomial on [-ln2/2, ln2/2].
__device__ static inline float exp_f32(float x) {
	float k = __builtin_rintf(x * 1.44269504f);
	k = k < -126 ? -126 : k > 127 ? 127 : k;
	float r = __builtin_fmaf(k, -0.693145752f, x);
	r = __builtin_fmaf(k, -1.42860677e-6f, r);
	r = r < -1 ? -1 : r;
	float p = 1.38888892e-3f;
	p = __builtin_fmaf(p, r, 8.33333377e-3f);
	p = __builtin_fmaf(p, r, 4.16666679e-2f);
	p = __builtin_fmaf(p, r, 1.66666672e-1f);
	p = __builtin_fmaf(p, r, 0.5f);
	p = __builtin_fmaf(p, r, 1.0f);
	p = __builtin_fmaf(p, r, 1.0f);
	return p * __builtin_bit_cast(float, ((int)k + 127) << 23);
}

// One block a row.
extern "C" __global__ BOUNDS(256) void softmax(float *out, const float *x, u32 cols) {
	__shared__ float parts[8];
	u32 t = threadIdx.x;
	const float *row = x + (u64)blockIdx.x * cols;
	float *to = out + (u64)blockIdx.x * cols;
	float m = -__builtin_inff();
	for (u32 i = t; i < cols; i += 256)
		m = row[i] > m ? row[i] : m;
	for (int d = 16; d > 0; d /= 2) {
		float o = __nvvm_shfl_sync_bfly_f32(all, m, d, 31);
		m = o > m ? o : m;
	}
	if (t % 32 == 0)
		parts[t / 32] = m;
	__syncthreads();
	m = parts[0];
	for (int w = 1; w < 8; w++)
		m = parts[w] > m ? parts[w] : m;
	__syncthreads();
	float s = 0;
	for (u32 i = t; i < cols; i += 256) {
		float e = exp_f32(row[i] - m);
		to[i] = e;
		s += e;
	}
	for (int d = 16; d > 0; d /= 2)
		s += __nvvm_shfl_sync_bfly_f32(all, s, d, 31);
	if (t % 32 == 0)
		parts[t / 32] = s;
	__syncthreads();
	s = 0;
	for (int w = 0; w < 8; w++)
		s += parts[w];
	s = 1 / s;
	for (u32 i = t; i < cols; i += 256)
		to[i] *= s;
}
