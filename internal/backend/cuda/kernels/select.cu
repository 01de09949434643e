// Where: in[1] where the bool in[0] is true, in[2] elsewhere; elements by size. By hand, as copy.cu, and since its operands
// have two types.
// dtypes: b8 b16 b32 b64
#include "elementwise.cuh"

ROW_KERNEL(where, 256)(const Elementwise p) {
	eachElement<4>(p, [&](u64 i, i64(&at)[4]) {
		bool first = operand<u8>(p, 0, at[1]) != 0;
		T a = operand<T>(p, 1, at[2]), b = operand<T>(p, 2, at[3]);
		store<T>(p.out, at[0], first ? a : b);
	});
}
