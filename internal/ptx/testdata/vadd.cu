#include "device.h"

struct Layout {
	int rank;
	u32 sizes[6];
	s64 a[6], b[6];
};

extern "C" __global__ BOUNDS(256) void vadd(float *out, const float *a, const float *b, u32 n) {
	for (u32 i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
		out[i] = a[i] + b[i];
}

extern "C" __global__ BOUNDS(256) void vadd_strided(float *out, const float *a, const float *b, u32 n, Layout l) {
	for (u32 i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
		u32 rest = i;
		s64 ia = 0, ib = 0;
		for (int d = l.rank - 1; d >= 0; d--) {
			u32 at = rest % l.sizes[d];
			rest /= l.sizes[d];
			ia += at * l.a[d];
			ib += at * l.b[d];
		}
		out[i] = a[ia] + b[ib];
	}
}

typedef float float4 __attribute__((ext_vector_type(4)));
typedef float float2 __attribute__((ext_vector_type(2)));

extern "C" __global__ BOUNDS(256) void vadd_x4(float4 *out, const float4 *a, const float4 *b, u32 n) {
	u32 i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < n)
		out[i] = a[i] + b[i];
}

extern "C" __global__ void swap_x2(float2 *x, u32 n) {
	u32 i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < n) {
		float2 v = x[i];
		x[i] = (float2){v.y, v.x};
	}
}
