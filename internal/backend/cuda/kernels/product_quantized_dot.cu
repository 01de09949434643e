// Products of int8 with int8 by four at once: quantized_bytes.cuh tells what they take.
// dtypes: f32 bf16 f16
// target: sm_61 ptx70
#include "quantized_bytes.cuh"

INLINE i32 dot(u32 a, u32 b, i32 sum) {
	asm("dp4a.s32.s32 %0, %1, %2, %0;" : "+r"(sum) : "r"(a), "r"(b));
	return sum;
}

ROW_KERNEL(product_quantized_dot_1, 128)(const Quantized p) { bytesOf<1>(p, [](u32 a, u32 b, i32 sum) { return dot(a, b, sum); }); }
ROW_KERNEL(product_quantized_dot_4, 128)(const Quantized p) { bytesOf<4>(p, [](u32 a, u32 b, i32 sum) { return dot(a, b, sum); }); }
