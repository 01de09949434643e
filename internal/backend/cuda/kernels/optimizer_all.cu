// Steps of optimizers for many parameters by one launch, which are those of optimizer.cu.
//
// sgd_all takes SGD, adam_all takes Adam, of which p is the address of a list of n Chunks; the other addresses are not read.
// Grid: blocks of 256 threads, any number of them, which share the list.
// dtypes: f32 f64 f16 bf16
#include "dtype.cuh"
#include "optimizer.cuh"

#if defined(DTYPE_f16) || defined(DTYPE_bf16)
using T = DTYPE;
#endif

INLINE Chunk chunk(u64 list, u64 k) {
	return {load<u64>(list, 5 * k), load<u64>(list, 5 * k + 1), load<u64>(list, 5 * k + 2), load<u64>(list, 5 * k + 3), load<u64>(list, 5 * k + 4)};
}

ROW_KERNEL(sgd_all, 256)(const SGD o) {
#pragma unroll 1
	for (u64 k = blockIdx.x; k < o.n; k += gridDim.x) {
		Chunk c = chunk(o.p, k);
#pragma unroll 1
		for (u64 i = threadIdx.x; i < c.n; i += blockDim.x) {
			sgdElement<T>(o, c.p, c.first, c.grad, i);
		}
	}
}

ROW_KERNEL(adam_all, 256)(const Adam o) {
#pragma unroll 1
	for (u64 k = blockIdx.x; k < o.n; k += gridDim.x) {
		Chunk c = chunk(o.p, k);
#pragma unroll 1
		for (u64 i = threadIdx.x; i < c.n; i += blockDim.x) {
			adamElement<T>(o, c.p, c.first, c.second, c.grad, i);
		}
	}
}
