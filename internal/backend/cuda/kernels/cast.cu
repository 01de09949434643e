// Casts from every dtype to one, over any two layouts: in[0] to out. By hand, since a formula of the elementwise table has one
// dtype for all operands, and here every pair of dtypes has a kernel.
// dtypes: bool u8 i8 i16 i32 i64 f16 bf16 f32 f64
#include "elementwise.cuh"

#if defined(DTYPE_bool)
using TO = boolean;
#else
using TO = DTYPE;
#endif

#define CAST(name, S)                                                                    \
	ROW_KERNEL(cast_##name, 256)(const Elementwise p) {                                  \
		each<2, TO, S>(p, [](auto v) { return Cast<TO>::of(v); });                       \
	}

// The cast of a type to itself is only here so that the table of casts has no holes: copy.cu is faster.
CAST(bool, boolean)
CAST(u8, u8)
CAST(i8, i8)
CAST(i16, i16)
CAST(i32, i32)
CAST(i64, i64)
CAST(f16, f16)
CAST(bf16, bf16)
CAST(f32, f32)
CAST(f64, f64)
