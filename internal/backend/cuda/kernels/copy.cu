// Copies and fills of elements by their size: in[0] to out, over any two layouts; in[0] may be a constant. By hand, since it is
// compiled for sizes of elements and not for dtypes, which the elementwise table has.
// dtypes: b8 b16 b32 b64
#include "elementwise.cuh"

ROW_KERNEL(copy, 256)(const Elementwise p) {
	each<4, T, T>(p, [](T a) { return a; });
}
