// Instructions of 7.5 and 8.0 beside tensor cores, as clang writes them.
#include "../device.h"

#define INLINE static __inline__ __attribute__((device, always_inline))
typedef _Float16 half2 __attribute__((ext_vector_type(2)));
typedef float f4 __attribute__((ext_vector_type(4)));

extern __shared__ f4 room[];

// out[5 t ..]: packed halves of x and y, their sum times themselves in half precision, x rounded to tf32, a sum over the warp
// by redux, and what another lane holds, through a predicated vote.
extern "C" __global__ BOUNDS(64) void misc(u32* out, const float* x, const float* y) {
  const u32 t = threadIdx.x;
  u32 packed, tf, sum, bf;
  asm("cvt.rn.f16x2.f32 %0, %1, %2;" : "=r"(packed) : "f"(y[t]), "f"(x[t]));
  asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(bf) : "f"(y[t]), "f"(x[t]));
  asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(tf) : "f"(x[t]));
  asm volatile("redux.sync.add.s32 %0, %1, 0xffffffff;" : "=r"(sum) : "r"(t));
  half2 h = __builtin_bit_cast(half2, packed);
  half2 r = h * h + h;
  out[8 * t] = packed;
  out[8 * t + 1] = __builtin_bit_cast(u32, r);
  out[8 * t + 2] = tf;
  out[8 * t + 3] = sum;
  out[8 * t + 4] = bf;
  f4 v = {x[t], y[t], x[t] + 1, y[t] + 1};
  room[t] = v;
  __syncthreads();
  f4 w = room[t ^ 1];
  float z = w.z;
  out[8 * t + 5] = __builtin_bit_cast(u32, z);
  _Float16 s = (_Float16)x[t];
  out[8 * t + 6] = s > (_Float16)0.5f ? 1 : 2;
  out[8 * t + 7] = __builtin_bit_cast(u16, (__bf16)(x[t] + y[t]));
}
