// Adding elements by index: what meets in one place is added in the order of the index, by one thread. An index out of range
// is a fault, and its elements are not added.
//
// add_rows takes Rows. Grid: blocks of (32, 8) threads; x walks over outer·inner columns, ⌈columns/32⌉ blocks; the threads of
// all y share the rows of the result, so that gridDim.y decides the speed alone. scatter_add takes Lines. Grid: blocks of
// 256 threads, one for each line, any number of them.
// dtypes: f32 f64 i64 i32 u8
#include "elementwise.cuh"

// out[o][index[i]] += in[o][i], but for the index skip.
ROW_KERNEL(add_rows, 256)(const Rows p) {
	u64 columns = p.outer * p.inner;
	u32 share = threadIdx.y + blockIdx.y * blockDim.y, shares = gridDim.y * blockDim.y;
#pragma unroll 1
	for (u64 column = thread(); column < columns; column += threads()) {
		u64 o = column / p.inner, k = column - o * p.inner;
#pragma unroll 1
		for (u64 i = 0; i < p.count; i++) {
			i64 chosen = load<i64>(p.index, (i64)i);
			if ((u32)chosen % shares != share || chosen == p.skip) {
				continue;
			}
			if (within(p.report, chosen, p.extent, (i64)i)) {
				i64 to = (i64)((o * p.extent + chosen) * p.inner + k);
				store<T>(p.out, to, (T)(load<T>(p.out, to) + load<T>(p.in, (i64)((o * p.count + i) * p.inner + k))));
			}
		}
	}
}

// out[index[i]] += in[i] along every line.
ROW_KERNEL(scatter_add, 256)(const Lines p) {
#pragma unroll 1
	for (u64 line = thread(); line < p.lines; line += threads()) {
		i64 at[3];
		locate<3>(p, (u32)line, at);
#pragma unroll 1
		for (u64 i = 0; i < p.n; i++) {
			i64 chosen = load<i64>(p.index, at[2] + (i64)i * p.steps[2]);
			if (within(p.report, chosen, p.extent, (i64)(line * p.n + i))) {
				i64 to = at[0] + chosen * p.steps[0];
				store<T>(p.out, to, (T)(load<T>(p.out, to) + load<T>(p.in, at[1] + (i64)i * p.steps[1])));
			}
		}
	}
}
