// One flat index of several: out = in[0]·extent + in[1], where in[1] is an index into an axis of that extent, the scalar, and
// may count from its end. By hand, since it reports an index out of range.
// dtypes: i64
#include "elementwise.cuh"

ROW_KERNEL(ravel, 256)(const Elementwise p) {
	const i64 extent = scalar<i64>(p, 0);
	eachElement<3>(p, [&](u64 i, i64(&at)[3]) {
		T index = operand<T>(p, 1, at[2]);
		T counted = index < 0 ? index + extent : index;
		if (counted < 0 || counted >= extent) {
			report(p.report, INDEX_FAULT, index, extent, (i64)i);
		} else {
			store<T>(p.out, at[0], operand<T>(p, 0, at[1]) * extent + counted);
		}
	});
}
