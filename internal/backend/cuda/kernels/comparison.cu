// Comparisons, to bool. Those with NaN are false, but for ne. Bools compare as bytes, false before true.
// dtypes: f32 f64 i64 i32 u8
#include "elementwise.cuh"

BINARY(eq, u8, a == b)
BINARY(ne, u8, a != b)
BINARY(lt, u8, a < b)
BINARY(le, u8, a <= b)
BINARY(gt, u8, a > b)
BINARY(ge, u8, a >= b)
#if FLOATS
UNARY(isnan, u8, a != a)
#endif
