// Steps of optimizers for many parameters by one launch, which are those of optimizer.cu.
//
// sgd_all takes SGD, adam_all takes Adam, of which p is the address of a list of n Chunks; the other addresses are not read.
// Grid: blocks of 256 threads, any number of them, which share the list.
// dtypes: f32 f64 f16 bf16
#include "dtype.cuh"
#include "optimizer.cuh"

ROW_KERNEL(sgd_all, 256)(const SGD o) {
#pragma unroll 1
	for (u64 k = blockIdx.x; k < o.n; k += gridDim.x) {
		Chunk c = chunk(o.p, k);
#pragma unroll 1
		for (u64 i = threadIdx.x; i < c.n; i += blockDim.x) {
			sgdElement<DTYPE>(o, c.p, c.state[0], c.grad, i);
		}
	}
}

ROW_KERNEL(adam_all, 256)(const Adam o) {
#pragma unroll 1
	for (u64 k = blockIdx.x; k < o.n; k += gridDim.x) {
		Chunk c = chunk(o.p, k);
#pragma unroll 1
		for (u64 i = threadIdx.x; i < c.n; i += blockDim.x) {
			adamElement<DTYPE>(o, c.p, c.state[0], c.state[1], c.grad, i);
		}
	}
}
