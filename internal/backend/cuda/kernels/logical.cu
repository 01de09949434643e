// Operations on bits: by hand, since a formula of the elementwise table has no bits. Those on bools are the same, but for not.
// dtypes: i64 i32 u8 bool
#include "elementwise.cuh"

#if BOOLS
UNARY(logical_not, T, a == 0)
#else
BINARY(bitwise_and, T, (T)(a & b))
BINARY(bitwise_or, T, (T)(a | b))
BINARY(bitwise_xor, T, (T)(a ^ b))
// A shift by more bits than there are, or by less than none, is one by all of them.
BINARY(bitwise_left_shift, T, (u64)(i64)b < 64 ? (T)((u64)a << b) : (T)0)
BINARY(bitwise_right_shift, T, (T)((i64)a >> ((u64)(i64)b < 63 ? b : 63)))
UNARY(bitwise_not, T, (T)~a)
#endif
