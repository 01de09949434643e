// The gradient of dropout: dy · mask · scale, of a mask of bools. What dropout leaves is drawn in random.cu.
//
// Every kernel takes Elementwise: in[0] is dy, in[1] the mask, and the scale a parameter. dropout_grad_narrowing rounds a gradient of float32 to the half type
// first, as the cast does that takes it back through the addition to a residual of float32.
// dtypes: f32 f64 f16 bf16
#include "elementwise.cuh"

#if defined(DTYPE_f16) || defined(DTYPE_bf16)
using Number = f32;
#else
using Number = T;
#endif

ROW_KERNEL(dropout_grad, 256)(const Elementwise p) {
	const Number scale = scalar<Number>(p, 0);
	each<2, T, T, u8>(p, [&](Number dy, u8 mask) { return dy * (Number)mask * scale; });
}

#if defined(DTYPE_f16) || defined(DTYPE_bf16)
ROW_KERNEL(dropout_grad_narrowing, 256)(const Elementwise p) {
	const f32 scale = scalar<f32>(p, 0);
	each<2, T, f32, u8>(p, [&](f32 dy, u8 mask) { return wide(narrow<T>(dy)) * (f32)mask * scale; });
}
#endif
