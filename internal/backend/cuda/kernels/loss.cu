// Losses between elements, before they are reduced, and their gradients.
// dtypes: f32 f64
#include "elementwise.cuh"
#include "elementary.cuh"

// binaryCrossEntropy is of the logit x, the target t and the weight w of the positive class; -log(sigmoid(x)) is
// softplus(-x), which does not overflow.
INLINE T binaryCrossEntropy(T x, T t, T w) {
	T weight = 1 + (w - 1) * t;
	return (1 - t) * x + weight * softplus(-x);
}

INLINE T binaryCrossEntropyGrad(T x, T t, T w) {
	T positive = w * t;
	return (positive + 1 - t) * sigmoid(x) - positive;
}

BINARY(mse, T, (a - b) * (a - b))
TERNARY(mse_grad, T, scalar<T>(p, 0) * (b - c) * a) // a is dy, the scalar 2 or 2/n
TERNARY(bce, T, binaryCrossEntropy(a, b, c))
TERNARY(bce_grad, T, binaryCrossEntropyGrad(a, b, c))
