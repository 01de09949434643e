// Searches of sorted lines by halving, a thread for each value. NaN counts as the largest number.
//
// search takes Search. Grid: blocks of 256 threads, any number of them: as many as there are values.
// dtypes: f32 f64 i64 i32 u8
#include "dtype.cuh"
#include "params.cuh"

ROW_KERNEL(search, 256)(const Search p) {
#pragma unroll 1
	for (u64 i = thread(); i < p.n; i += threads()) {
		u64 first = p.count == 0 ? 0 : i / p.count * p.extent, low = 0, high = p.extent;
		T v = load<T>(p.in, (i64)i);
#pragma unroll 1
		while (low < high) {
			u64 middle = (low + high) / 2;
			T a = load<T>(p.sorted, (i64)(first + middle));
			if (p.right ? a > v : a >= v) { // neither is true of NaN
				high = middle;
			} else {
				low = middle + 1;
			}
		}
		store<i64>(p.out, (i64)i, (i64)low);
	}
}
