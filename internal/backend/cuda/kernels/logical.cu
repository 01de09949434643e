// Operations on bits; on bools they are the logical ones.
// dtypes: i64 i32 u8 bool
#include "elementwise.cuh"

BINARY(and, T, (T)(a & b))
BINARY(or, T, (T)(a | b))
BINARY(xor, T, (T)(a ^ b))
#if BOOLS
UNARY(not, T, a == 0)
#else
UNARY(not, T, (T)~a)
#endif
