// Adding elements by index: what meets in one place is added in the order of the index, by one thread, and so are products and
// extremes. An index out of range is a fault, and its elements are not added.
//
// add_rows takes Rows. Grid: blocks of (32, 8) threads; x walks over outer·inner columns, ⌈columns/32⌉ blocks; the threads of
// all y share the rows of the result, so that gridDim.y decides the speed alone. The others take Lines. Grid: blocks of
// 256 threads, one for each line, any number of them.
// dtypes: f32 f64 i64 i32 u8
#include "scatter.cuh"

// out[o][index[i]] += in[o][i], but for the index skip.
ROW_KERNEL(add_rows, 256)(const Rows p) {
	scatterRows(p, [](T a, T b) { return (T)(a + b); });
}

// out[index[i]] += in[i] along every line, and others that join elements which meet. NaN stays.
ROW_KERNEL(scatter_add, 256)(const Lines p) {
	scatterLines(p, [](T a, T b) { return (T)(a + b); });
}
ROW_KERNEL(scatter_prod, 256)(const Lines p) {
	scatterLines(p, [](T a, T b) { return (T)(a * b); });
}
ROW_KERNEL(scatter_amax, 256)(const Lines p) {
	scatterLines(p, [](T a, T b) { return b > a || b != b ? b : a; });
}
ROW_KERNEL(scatter_amin, 256)(const Lines p) {
	scatterLines(p, [](T a, T b) { return b < a || b != b ? b : a; });
}
