// Products of int8 with int8 on GPUs that have no instruction for four of them: quantized_bytes.cuh tells what they take.
// dtypes: f32 bf16 f16
#include "quantized_bytes.cuh"

INLINE i32 four(u32 a, u32 b, i32 sum) {
#pragma unroll
	for (int i = 0; i < 4; i++) {
		sum += (i32)(i8)(a >> 8 * i) * (i32)(i8)(b >> 8 * i);
	}
	return sum;
}

ROW_KERNEL(product_quantized_bytes_1, 128)(const Quantized p) { bytesOf<1>(p, [](u32 a, u32 b, i32 sum) { return four(a, b, sum); }); }
ROW_KERNEL(product_quantized_bytes_4, 128)(const Quantized p) { bytesOf<4>(p, [](u32 a, u32 b, i32 sum) { return four(a, b, sum); }); }
