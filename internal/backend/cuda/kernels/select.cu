// Where: in[1] where the bool in[0] is true, in[2] elsewhere; elements by size. By hand, as copy.cu, and since its operands
// have two types.
// dtypes: b8 b16 b32 b64
#include "elementwise.cuh"

ROW_KERNEL(where, 256)(const Elementwise p) {
	each<2, T, u8, T, T>(p, [](u8 first, T a, T b) { return first != 0 ? a : b; });
}
