// Steps of optimizers for many parameters by one launch, which are those of optimizer.cu.
//
// sgd_all takes SGD, adam_all takes Adam, of which p is the address of a list of n Chunks; the other addresses are not read.
// Grid: blocks of 256 threads, any number of them, which share the list.
// unscale takes Unscale, and any grid.
// dtypes: f32 f64 f16 bf16
#include "dtype.cuh"
#include "optimizer.cuh"

// eachOfList calls f for the elements of the chunks of a list, each of which a block updates.
template <class F> INLINE void eachOfList(u64 list, u64 count, F f) {
#pragma unroll 1
	for (u64 k = blockIdx.x; k < count; k += gridDim.x) {
		Chunk c = chunk(list, k);
#pragma unroll 1
		for (u64 i = threadIdx.x; i < c.n; i += blockDim.x) {
			f(c, i);
		}
	}
}

ROW_KERNEL(sgd_all, 256)(const SGD o) {
	if (skipped(o.skip)) {
		return;
	}
	eachOfList(o.p, o.n, [&](const Chunk &c, u64 i) { sgdElement<DTYPE>(o, c.p, c.state[0], c.grad, i); });
}

ROW_KERNEL(adam_all, 256)(const Adam o) {
	if (skipped(o.skip)) {
		return;
	}
	eachOfList(o.p, o.n, [&](const Chunk &c, u64 i) { adamElement<DTYPE>(o, c.p, c.state[0], c.state[1], c.grad, i); });
}

// The inverse is rounded to float32, as PyTorch's.
ROW_KERNEL(unscale, 256)(const Unscale o) {
	using W = decltype(wide(DTYPE()));
	const W by = (W)(f32)(1.0 / (f64)load<f32>(o.scale, 0));
	bool finite = true;
	eachChunk(o, [&](const Chunk &c, u64 i) {
		const W g = wide(load<DTYPE>(c.p, i));
		finite = finite && g - g == 0;
		store<DTYPE>(c.p, i, Cast<DTYPE>::of(g * by));
	});
	if (!finite) {
		u32 zero = 0;
		__atomic_compare_exchange_n((Global<u32>)o.found, &zero, __builtin_bit_cast(u32, 1.0f), false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
	}
}
