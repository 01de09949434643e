// Softmax and its logarithm along runs, forward and backward.
//
// Every kernel takes Softmax. Grid: a row of threads for each run: blocks of (32, 8) threads up to n = 1024 and of (256, 1)
// beyond, outer*inner rows. Sums are taken in float64.
// dtypes: f32 f64
#include "elementary.cuh"
#include "math.cuh"
#include "reduction.cuh"

INLINE T largest(const Softmax &p, u64 run) {
	T most = -(T)INFINITY;
	eachOfRun(p, run, [&](i64 at) { most = Most<T>::join(most, load<T>(p.in, at)); });
	return joinRow<Most<T>>(most);
}

// e**(x-max) goes to out, so that it is computed once.
INLINE void softmax(const Softmax &p, u64 run) {
	T most = largest(p, run);
	f64 sum = 0;
	eachOfRun(p, run, [&](i64 at) {
		T e = exp(load<T>(p.in, at) - most);
		store<T>(p.out, at, e);
		sum += e;
	});
	T whole = (T)joinRow<Total<f64>>(sum);
	eachOfRun(p, run, [&](i64 at) { store<T>(p.out, at, load<T>(p.out, at) / whole); });
}

// Shifts are two numbers whose sum is log Σ e**x: the largest element, and the rest.
struct Shifts {
	T most, rest;
};

INLINE Shifts shiftsOf(const Softmax &p, u64 run) {
	T most = largest(p, run);
	f64 sum = 0;
	eachOfRun(p, run, [&](i64 at) { sum += exp(load<T>(p.in, at) - most); });
	return {most, (T)log(joinRow<Total<f64>>(sum))};
}

INLINE void logSoftmax(const Softmax &p, u64 run) {
	Shifts s = shiftsOf(p, run);
	eachOfRun(p, run, [&](i64 at) { store<T>(p.out, at, load<T>(p.in, at) - s.most - s.rest); });
}

INLINE void softmaxShifts(const Softmax &p, u64 run) {
	Shifts s = shiftsOf(p, run);
	if (threadIdx.x == 0) {
		store<T>(p.out, (i64)(2 * run), s.most);
		store<T>(p.out, (i64)(2 * run + 1), s.rest);
	}
}

// y * (dy - Σ dy*y)
INLINE void softmaxGrad(const Softmax &p, u64 run) {
	f64 sum = 0;
	eachOfRun(p, run, [&](i64 at) { sum += (f64)load<T>(p.dy, at) * (f64)load<T>(p.y, at); });
	T whole = (T)joinRow<Total<f64>>(sum);
	eachOfRun(p, run, [&](i64 at) { store<T>(p.out, at, load<T>(p.y, at) * (load<T>(p.dy, at) - whole)); });
}

// dy - e**y * Σ dy
INLINE void logSoftmaxGrad(const Softmax &p, u64 run) {
	f64 sum = 0;
	eachOfRun(p, run, [&](i64 at) { sum += load<T>(p.dy, at); });
	T whole = (T)joinRow<Total<f64>>(sum);
	eachOfRun(p, run, [&](i64 at) { store<T>(p.out, at, load<T>(p.dy, at) - exp(load<T>(p.y, at)) * whole); });
}

RUNS(softmax, Softmax, softmax)
RUNS(log_softmax, Softmax, logSoftmax)
RUNS(softmax_shifts, Softmax, softmaxShifts)
RUNS(softmax_grad, Softmax, softmaxGrad)
RUNS(log_softmax_grad, Softmax, logSoftmaxGrad)
