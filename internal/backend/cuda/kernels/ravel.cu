// One index of many: out = in[0]·low + in[1], where low is the extent that in[1], an index that may count from the end, is of.
// dtypes: i64
#include "elementwise.cuh"

ROW_KERNEL(ravel, 256)(const Elementwise p) {
	eachElement<3>(p, [&](u64 i, i64(&at)[3]) {
		T index = operand<T>(p, 1, at[2]);
		T counted = index < 0 ? index + p.low : index;
		if (counted < 0 || counted >= p.low) {
			report(p.report, FAULT_INDEX, index, p.low, (i64)i);
		} else {
			store<T>(p.out, at[0], operand<T>(p, 0, at[1]) * p.low + counted);
		}
	});
}
