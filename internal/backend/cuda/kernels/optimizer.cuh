// Steps of optimizers for one element, in PyTorch's order of operations, which is the CPU's. S is the type of the elements in
// memory: half types are widened, and rounded once where they are stored.
#pragma once

#include "dtype.cuh"
#include "half.cuh"
#include "math.cuh"
#include "params.cuh"

//	g += decay·p
//	buffer = momentum·buffer + keep·g      // g in the first step
//	p += rate·(g + momentum·buffer)        // Nesterov; rate·buffer without it, rate·g without momentum
template <class S> INLINE void sgdElement(const SGD &o, u64 param, u64 buffer, u64 grad, u64 i) {
	using W = decltype(wide(S()));
	W rate = (W)o.rate, decay = (W)o.decay, momentum = (W)o.momentum, keep = (W)o.keep;
	W g = wide(load<S>(grad, i)), p = wide(load<S>(param, i));
	if (o.maximize) {
		g = -g;
	}
	if (o.decay != 0) {
		g += decay * p;
	}
	if (buffer != 0) {
		W b = o.first ? g : momentum * wide(load<S>(buffer, i)) + keep * g;
		store<S>(buffer, i, Cast<S>::of(b));
		g = o.nesterov ? g + momentum * b : b;
	}
	store<S>(param, i, Cast<S>::of(p + rate * g));
}

//	g += decay·p                           // decoupled: p *= shrink
//	m += weight1·(g-m);  v = beta2·v + weight2·g²
//	p += step·m / (√v/root + eps)
template <class S> INLINE void adamElement(const Adam &o, u64 param, u64 mean, u64 square, u64 grad, u64 i) {
	using W = decltype(wide(S()));
	W step = (W)o.step, root = (W)o.root, eps = (W)o.eps, weight1 = (W)o.weight1, beta2 = (W)o.beta2, weight2 = (W)o.weight2;
	W g = wide(load<S>(grad, i)), p = wide(load<S>(param, i));
	W m = wide(load<S>(mean, i)), v = wide(load<S>(square, i));
	if (o.maximize) {
		g = -g;
	}
	if (o.decay != 0 && o.decoupled) {
		p *= (W)o.shrink;
	} else if (o.decay != 0) {
		g += (W)o.decay * p;
	}
	m += weight1 * (g - m);
	v = v * beta2 + weight2 * g * g;
	store<S>(mean, i, Cast<S>::of(m));
	store<S>(square, i, Cast<S>::of(v));
	store<S>(param, i, Cast<S>::of(p + step * m / (sqrt(v) / root + eps)));
}

// chunk is number k of a list of chunks.
INLINE Chunk chunk(u64 list, u64 k) {
	u64 at = 6 * k;
	return {load<u64>(list, at), load<u64>(list, at + 1), {load<u64>(list, at + 2), load<u64>(list, at + 3), load<u64>(list, at + 4)}, load<u64>(list, at + 5)};
}

// skipped tells whether the flag at an address, 0 for none, says that nothing is updated.
INLINE bool skipped(u64 flag) { return flag != 0 && load<f32>(flag, 0) != 0; }

// eachChunk calls f for the elements of a parameter, which all threads share, or for those of the chunks of a list, each of which
// a block updates.
template <class O, class F> INLINE void eachChunk(const O &o, F f) {
	bool many = o.list != 0;
	u64 count = many ? o.count : 1, from = many ? threadIdx.x : thread(), step = many ? blockDim.x : threads();
#pragma unroll 1
	for (u64 k = many ? blockIdx.x : 0; k < count; k += gridDim.x) {
		Chunk c = many ? chunk(o.list, k) : o.one;
#pragma unroll 1
		for (u64 i = from; i < c.n; i += step) {
			f(c, i);
		}
	}
}

// eachUpdated is eachChunk of a step that may be skipped.
template <class F> INLINE void eachUpdated(const Update &o, F f) {
	if (!skipped(o.skip)) {
		eachChunk(o, f);
	}
}
