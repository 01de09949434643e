// Optimizer steps, in PyTorch's order of operations, which is the CPU's.
//
// sgd takes SGD, adam takes Adam. Grid: blocks of 256 threads, any number of them: as many as there are parameters.
// dtypes: f32 f64
#include "dtype.cuh"
#include "params.cuh"
#include "math.cuh"

//	g += decay·p
//	buffer = momentum·buffer + keep·g      // g in the first step
//	p += rate·(g + momentum·buffer)        // Nesterov; rate·buffer without it, rate·g without momentum
ROW_KERNEL(sgd, 256)(const SGD o) {
	T rate = (T)o.rate, decay = (T)o.decay, momentum = (T)o.momentum, keep = (T)o.keep;
#pragma unroll 1
	for (u64 i = thread(); i < o.n; i += threads()) {
		T g = load<T>(o.grad, i), p = load<T>(o.p, i);
		if (o.maximize) {
			g = -g;
		}
		if (o.decay != 0) {
			g += decay * p;
		}
		if (o.buffer != 0) {
			T b = o.first ? g : momentum * load<T>(o.buffer, i) + keep * g;
			store<T>(o.buffer, i, b);
			g = o.nesterov ? g + momentum * b : b;
		}
		store<T>(o.p, i, p + rate * g);
	}
}

//	g += decay·p                           // decoupled: p *= shrink
//	m += weight1·(g-m);  v = beta2·v + weight2·g²
//	p += step·m / (√v/root + eps)
ROW_KERNEL(adam, 256)(const Adam o) {
	T step = (T)o.step, root = (T)o.root, eps = (T)o.eps, weight1 = (T)o.weight1, beta2 = (T)o.beta2, weight2 = (T)o.weight2;
#pragma unroll 1
	for (u64 i = thread(); i < o.n; i += threads()) {
		T g = load<T>(o.grad, i), p = load<T>(o.p, i), m = load<T>(o.m, i), v = load<T>(o.v, i);
		if (o.maximize) {
			g = -g;
		}
		if (o.decay != 0 && o.decoupled) {
			p *= (T)o.shrink;
		} else if (o.decay != 0) {
			g += (T)o.decay * p;
		}
		m += weight1 * (g - m);
		v = v * beta2 + weight2 * g * g;
		store<T>(o.m, i, m);
		store<T>(o.v, i, v);
		store<T>(o.p, i, p + step * m / (sqrt(v) / root + eps));
	}
}
