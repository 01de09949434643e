// Steps of optimizers for one parameter.
//
// sgd takes SGD, adam takes Adam. Grid: blocks of 256 threads, any number of them: as many as there are elements.
// dtypes: f32 f64
#include "dtype.cuh"
#include "optimizer.cuh"

ROW_KERNEL(sgd, 256)(const SGD o) {
	if (skipped(o.skip)) {
		return;
	}
#pragma unroll 1
	for (u64 i = thread(); i < o.n; i += threads()) {
		sgdElement<T>(o, o.p, o.buffer, o.grad, i);
	}
}

ROW_KERNEL(adam, 256)(const Adam o) {
	if (skipped(o.skip)) {
		return;
	}
#pragma unroll 1
	for (u64 i = thread(); i < o.n; i += threads()) {
		adamElement<T>(o, o.p, o.m, o.v, o.grad, i);
	}
}
