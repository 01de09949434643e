// Copies and fills of elements by their size: in[0] to out, over any two layouts; in[0] may be a constant.
// dtypes: b8 b16 b32 b64
#include "elementwise.cuh"

UNARY(copy, T, a)
