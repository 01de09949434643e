// Activations and their gradients.
// dtypes: f32 f64
#include "elementwise.cuh"
#include "elementary.cuh"

#define GELU_SCALE 0.79788456080286535588 // sqrt(2/pi)
#define GELU_CUBIC 0.044715

INLINE T leakyReLU(T v, T x, T slope) { return x > 0 ? v : v * slope; }

INLINE T softplusOf(T v, T beta, T threshold) {
	T scaled = v * beta;
	return scaled > threshold ? v : softplus(scaled) / beta;
}

INLINE T softplusGrad(T dy, T v, T beta, T threshold) {
	T scaled = v * beta;
	return scaled > threshold ? dy : dy * sigmoid(scaled);
}

INLINE T geluTanhGrad(T dy, T v) {
	T t = tanh((T)GELU_SCALE * (v + (T)GELU_CUBIC * (v * v * v)));
	T slope = (T)GELU_SCALE * (1 + (T)(3 * GELU_CUBIC) * (v * v));
	T left = (1 + t) * (T)0.5;
	T right = (T)0.5 * v * (1 - t * t) * slope;
	return dy * (left + right);
}

INLINE T siluGrad(T dy, T v) {
	T s = sigmoid(v);
	return dy * s * (1 + v * (1 - s));
}

// p.x and p.y are the slope, or beta and the threshold.
UNARY(leaky_relu, T, leakyReLU(a, a, (T)p.x))
UNARY(gelu, T, gelu(a))
UNARY(gelu_tanh, T, gelutanh(a))
UNARY(silu, T, silu(a))
UNARY(softplus, T, softplusOf(a, (T)p.x, (T)p.y))

// a is dy, b what was saved.
BINARY(relu_grad, T, b <= 0 ? (T)0 : a)
BINARY(tanh_grad, T, a * (1 - b * b))
BINARY(sigmoid_grad, T, a * (1 - b) * b)
BINARY(leaky_relu_grad, T, leakyReLU(a, b, (T)p.x))
BINARY(gelu_grad, T, a * geluslope(b))
BINARY(gelu_tanh_grad, T, geluTanhGrad(a, b))
BINARY(silu_grad, T, siluGrad(a, b))
BINARY(softplus_grad, T, softplusGrad(a, b, (T)p.x, (T)p.y))
