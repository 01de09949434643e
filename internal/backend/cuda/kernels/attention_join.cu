// Joins what attention over parts of the keys has come to.
//
// attention_join takes Attention: of each part and row of the result outputs numbers, the largest score and the sum, in partial. Grid: blocks of 256 threads,
// any number of them: as many as the result has rows, a warp for each. Parts are added in order.
// dtypes: f32 f64 bf16 f16
#include "element.cuh"
#include "elementary.cuh"
#include "math.cuh"
#include "params.cuh"

ROW_KERNEL(attention_join, 256)(const Attention p) {
	u64 all = p.batch * p.heads * p.queries, wide = p.outputs + 2;
	u32 lane = threadIdx.x % 32;
#pragma unroll 1
	for (u64 n = thread() / 32; n < all; n += threads() / 32) {
		auto of = [&](u64 part) { return p.partial + (part * all + n) * wide * sizeof(Sum); };
		Sum most = -(Sum)INFINITY, sum = 0;
#pragma unroll 1
		for (u64 k = 0; k < p.parts; k++) {
			Sum top = load<Sum>(of(k), (i64)p.outputs);
			most = top > most ? top : most;
		}
		Sum from = most == -(Sum)INFINITY ? 0 : most;
#pragma unroll 1
		for (u64 k = 0; k < p.parts; k++) {
			sum += load<Sum>(of(k), (i64)p.outputs + 1) * exp(load<Sum>(of(k), (i64)p.outputs) - from);
		}
		u64 line = n / p.queries, query = n - line * p.queries, batch = line / p.heads, head = line - batch * p.heads;
		if (lane == 0) {
			store<Sum>(p.logSum, (i64)n, sum == 0 ? (Sum)INFINITY : most + log(sum));
		}
		Sum factor = sum == 0 || p.keep == 0 ? 0 : 1 / (sum * (Sum)p.keep);
		u64 row = p.out + (u64)((i64)batch * p.outStrides[0] + (i64)head * p.outStrides[1] + (i64)query * p.outStrides[2]) * sizeof(E);
#pragma unroll 1
		for (u64 c = lane; c < p.outputs; c += 32) {
			Sum out = 0;
#pragma unroll 1
			for (u64 k = 0; k < p.parts; k++) {
				out += load<Sum>(of(k), (i64)c) * exp(load<Sum>(of(k), (i64)p.outputs) - from);
			}
			store<E>(row, (i64)c * p.outStrides[3], Cast<E>::of(out * factor));
		}
	}
}
