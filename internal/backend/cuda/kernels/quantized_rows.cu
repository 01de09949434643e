// Rows of activations as int8, each in steps of the 127th part of its largest magnitude: the CPU's numbers and steps. A row with a number that is not finite has zeros,
// and steps that are NaN.
//
// Takes Quantized: x [m, k] to out [m, line], int8, with zeros behind the k numbers, and steps [m], float64. Grid: a block of up to 1024 threads for each row.
// dtypes: f32 bf16 f16
#include "quantized.cuh"

INLINE f32 max(f32 a, f32 b) { return a > b ? a : b; }

ROW_KERNEL(quantized_rows, 1024)(const Quantized p) {
	__shared__ u32 sides[32];
	u64 x = p.x + (u64)blockIdx.x * p.k * sizeof(E), to = p.out + (u64)blockIdx.x * p.line;
	u32 k = (u32)p.k, largest = 0; // bits of a magnitude, which are in its order, with NaN above all
#pragma unroll 8
	for (u32 i = threadIdx.x; i < k; i += blockDim.x) {
		u32 v = bits<u32>(element(x, i)) & 0x7fffffff;
		largest = v > largest ? v : largest;
	}
#pragma unroll
	for (u32 mask = 16; mask > 0; mask /= 2) {
		u32 v = fromLane(largest, mask);
		largest = v > largest ? v : largest;
	}
	if (threadIdx.x % 32 == 0) {
		sides[threadIdx.x / 32] = largest;
	}
	__syncthreads();
	for (u32 w = 0; w < blockDim.x / 32; w++) {
		largest = sides[w] > largest ? sides[w] : largest;
	}
	bool finite = largest < 0x7f800000;
	f32 most = max(bits<f32>(largest), 0x1p-100f), factor = 127 / most;
	if (threadIdx.x == 0) {
		store<f64>(p.steps, blockIdx.x, finite ? (f64)(most / 127) : NAN);
	}
#pragma unroll 8
	for (u32 i = threadIdx.x; i < (u32)p.line; i += blockDim.x) {
		store<i8>(to, i, finite && i < k ? (i8)(i32)rint(element(x, i) * factor) : 0);
	}
}
