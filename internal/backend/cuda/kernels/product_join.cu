// The end of a product whose common axis was divided (split-K), where no block of it adds the parts: out = alpha · the sum of the partials, in their order,
// + beta · add, and what follows.
//
// Takes Product. Grid: flat.
// dtypes: f32 f64 bf16 f16
#include "result.cuh"

ROW_KERNEL(product_join, 256)(const Product p) {
	for (u64 i = thread(); i < p.count * p.m * p.n; i += threads()) {
		Sum sum = 0;
		u64 from = p.partials + i * sizeof(Sum);
#pragma unroll 4
		for (u64 part = 0; part < p.parts; part++, from += p.part * sizeof(Sum)) {
			sum += load<Sum>(from, 0);
		}
		u64 line = i / p.n, batch = line / p.m;
		u32 c = (u32)(i - line * p.n), r = (u32)(line - batch * p.m);
		put(p, (i64)batch * p.outStrides[0] + r * p.outStrides[1] + c * p.outStrides[2], finished(p, (u32)batch, r, c, sum));
	}
}
