// Adding elements by index: what meets in one place is added in the order of the index, by one thread, and so are products and
// extremes; of sorted indexes whole chunks that meet there by one thread each, then chunks of these, and then what they gave. An index out of range is a fault, and its elements are not
// added.
//
// add_rows takes Rows. Grid: blocks of (32, 8) threads; x walks over outer·inner columns, ⌈columns/32⌉ blocks; the threads of
// all y share the rows of the result, so that gridDim.y decides the speed alone. add_sorted takes Rows, too. Grid: blocks of
// 256 threads, any number of them: as many as count·outer·inner; add_chunks, ahead of it, for each level as many as chunks·outer·inner. The
// others take Lines. Grid: blocks of 256 threads, any number of them: a thread for each line, in the _sorted ones for each index, in
// the _chunks ones, ahead of those, for each chunk of a level.
// dtypes: f32 f64 i64 i32 u8
#include "scatter.cuh"

// Ways to join what meets. NaN stays.
INLINE T sum(T a, T b) { return (T)(a + b); }
INLINE T product(T a, T b) { return (T)(a * b); }
INLINE T largest(T a, T b) { return b > a || b != b ? b : a; }
INLINE T smallest(T a, T b) { return b < a || b != b ? b : a; }

// SORTED starts a kernel over sorted indexes, whose threads have registers for all of a walk.
#define SORTED(name) KERNEL_OF(JOIN(name, DTYPE), 256, 5)

// out[o][index[i]] += in[o][i], but for the index skip.
ROW_KERNEL(add_rows, 256)(const Rows p) { scatterRows(p, sum); }

// What add_sorted finds of whole chunks.
ROW_KERNEL(add_chunks, 256)(const Rows p) { joinChunks(p, sum); }

SORTED(add_sorted)(const Rows p) { joinSorted(p, sum); }

// SCATTER is a kernel of out[index[i]] = join(out[index[i]], in[i]) along every line, and two over sorted indexes.
#define SCATTER(name, join)                                                              \
	ROW_KERNEL(scatter_##name, 256)(const Lines p) { scatterLines(p, join); }            \
	ROW_KERNEL(scatter_##name##_chunks, 256)(const Lines p) { scatterChunks(p, join); }  \
	SORTED(scatter_##name##_sorted)(const Lines p) { scatterSorted(p, join); }

SCATTER(add, sum)
SCATTER(prod, product)
SCATTER(amax, largest)
SCATTER(amin, smallest)
