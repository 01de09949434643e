#include "device.h"

#define EACH(name, To, From)                                                             \
	extern "C" __global__ void name(To *out, const From *x, u32 n) {                     \
		u32 i = blockIdx.x * blockDim.x + threadIdx.x;                                   \
		if (i < n)                                                                       \
			out[i] = (To)x[i];                                                           \
	}

EACH(f32_to_s32, s32, float)
EACH(f32_to_u32, u32, float)
EACH(f32_to_s64, s64, float)
EACH(f32_to_u64, u64, float)
EACH(f32_to_f64, double, float)
EACH(f32_to_u8, u8, float)
EACH(f32_to_s8, s8, float)
EACH(f32_to_s16, s16, float)
EACH(f64_to_f32, float, double)
EACH(f64_to_s32, s32, double)
EACH(f64_to_s64, s64, double)
EACH(s32_to_f32, float, s32)
EACH(u32_to_f32, float, u32)
EACH(s64_to_f32, float, s64)
EACH(u64_to_f32, float, u64)
EACH(s64_to_f64, double, s64)
EACH(s64_to_s32, s32, s64)
EACH(s32_to_s64, s64, s32)
EACH(s8_to_s64, s64, s8)
EACH(s16_to_f32, float, s16)
EACH(u8_to_f32, float, u8)
EACH(u8_to_f64, double, u8)
EACH(f32_to_bool, bool, float)
EACH(bool_to_f32, float, bool)

extern "C" __global__ void int_ops(u64 *out, const u32 *xs, const u32 *ys, u32 n) {
	u32 i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i >= n)
		return;
	u32 x = xs[i], y = ys[i];
	u64 *o = out + (u64)i * 24;
	u64 X = (u64)x << 32 | y, Y = (u64)y << 20 ^ x;
	o[0] = x / y;
	o[1] = x % y;
	o[2] = (s64)((s32)x / (s32)y);
	o[3] = (s64)((s32)x % (s32)y);
	o[4] = X / (Y | 1);
	o[5] = X % (Y | 1);
	o[6] = (s64)X / (s64)(Y | 1);
	o[7] = __builtin_clz(y | 1);
	o[8] = __builtin_clzll(Y | 1);
	o[9] = (u64)x * y;
	o[10] = (u64)((unsigned __int128)X * Y >> 64);
	o[11] = (x ^ y) >> 7;
	o[12] = x << (y & 31) | x >> (32 - (y & 31) & 31);
	o[13] = (s64)X >> (y & 63);
	o[14] = X >> (y & 63);
	o[15] = -x;
	o[16] = (x & y) | (~x & 0x0f0f0f0fu) ^ y;
	o[17] = (s32)x < (s32)y ? x : y;
	o[18] = (s64)X < (s64)Y ? X : Y;
	o[19] = __builtin_abs((s32)x) + (u64)((s64)X < 0 ? -X : X);
	o[20] = (u16)x * (u16)y + (u16)(x >> 16);
	o[21] = (s64)((s32)x >> (y & 31));
	o[22] = (s64)__builtin_elementwise_max((s32)x, (s32)y);
	o[23] = X ^ Y;
}

extern "C" __global__ void f32_ops(float *out, const float *xs, const float *ys, u32 n) {
	u32 i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i >= n)
		return;
	float x = xs[i], y = ys[i], *o = out + (u64)i * 16;
	o[0] = x + y;
	o[1] = x - y;
	o[2] = x * y;
	o[3] = x / y;
	o[4] = __builtin_fmaf(x, y, x);
	o[5] = __builtin_sqrtf(x);
	o[6] = __builtin_floorf(x);
	o[7] = __builtin_ceilf(x);
	o[8] = __builtin_truncf(x);
	o[9] = __builtin_rintf(x);
	o[10] = __builtin_fminf(x, y);
	o[11] = __builtin_fmaxf(x, y);
	o[12] = __builtin_fabsf(x);
	o[13] = -x;
	o[14] = __builtin_copysignf(x, y);
	o[15] = (x < y) + 2 * (x <= y) + 4 * (x == y) + 8 * (x != y) + 16 * !(x >= y) + 32 * __builtin_isnan(x) + 64 * (x > y);
}

extern "C" __global__ void f64_ops(double *out, const double *xs, const double *ys, u32 n) {
	u32 i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i >= n)
		return;
	double x = xs[i], y = ys[i], *o = out + (u64)i * 16;
	o[0] = x + y;
	o[1] = x - y;
	o[2] = x * y;
	o[3] = x / y;
	o[4] = __builtin_fma(x, y, x);
	o[5] = __builtin_sqrt(x);
	o[6] = __builtin_floor(x);
	o[7] = __builtin_ceil(x);
	o[8] = __builtin_trunc(x);
	o[9] = __builtin_rint(x);
	o[10] = __builtin_fmin(x, y);
	o[11] = __builtin_fmax(x, y);
	o[12] = __builtin_fabs(x);
	o[13] = -x;
	o[14] = 1 / x;
	o[15] = (x < y) + 2 * (x <= y) + 4 * (x == y) + 8 * (x != y) + 16 * !(x >= y) + 32 * __builtin_isnan(x) + 64 * (x > y);
}
