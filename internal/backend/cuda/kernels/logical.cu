// Operations on bits: by hand, since a formula of the elementwise table has no bits. Those on bools are the same, but for not.
// dtypes: i64 i32 u8 bool
#include "elementwise.cuh"

#if BOOLS
UNARY(logical_not, T, a == 0)
#else
BINARY(bitwise_and, T, (T)(a & b))
BINARY(bitwise_or, T, (T)(a | b))
BINARY(bitwise_xor, T, (T)(a ^ b))
UNARY(bitwise_not, T, (T)~a)
#endif
