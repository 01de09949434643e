// Softmax and its logarithm along runs, forward and backward.
//
// Every kernel takes Softmax. Grid: a row of threads for each run: blocks of (32, 8) threads up to n = 1024 and of (256, 1)
// beyond, outer*inner rows. Sums are taken in float64.
// dtypes: f32 f64
#include "functions.cuh"
#include "reduction.cuh"

struct Sum {
	using Acc = f64;
	INLINE f64 fromLane(f64 v, u32 mask) { return ::fromLane(v, mask); }
	INLINE f64 join(f64 a, f64 b) { return a + b; }
};
struct Max {
	using Acc = T;
	INLINE T fromLane(T v, u32 mask) { return ::fromLane(v, mask); }
	INLINE T join(T a, T b) { return a < b ? b : a; }
};

// eachOfRun calls body with the place of every element of the run that is this thread's.
template <class Body> INLINE void eachOfRun(const Softmax &p, u64 run, Body body) {
	u64 o = run, i = 0;
	if (p.inner != 1) {
		o = run / p.inner;
		i = run - o * p.inner;
	}
	i64 start = (i64)(o * p.n * p.inner + i);
#pragma unroll 1
	for (u64 k = threadIdx.x; k < p.n; k += blockDim.x) {
		body(start + (i64)(k * p.inner));
	}
}

INLINE T largest(const Softmax &p, u64 run) {
	T most = -(T)INF64;
	eachOfRun(p, run, [&](i64 at) { most = Max::join(most, load<T>(p.in, at)); });
	return joinRow<Max>(most);
}

// e**(x-max) goes to out, so that it is computed once.
ROW_KERNEL(softmax, 256)(const Softmax p) {
	u64 run = row();
	if (run >= p.outer * p.inner) {
		return;
	}
	T most = largest(p, run);
	f64 sum = 0;
	eachOfRun(p, run, [&](i64 at) {
		T e = exp(load<T>(p.in, at) - most);
		store<T>(p.out, at, e);
		sum += e;
	});
	T whole = (T)joinRow<Sum>(sum);
	eachOfRun(p, run, [&](i64 at) { store<T>(p.out, at, load<T>(p.out, at) / whole); });
}

ROW_KERNEL(log_softmax, 256)(const Softmax p) {
	u64 run = row();
	if (run >= p.outer * p.inner) {
		return;
	}
	T most = largest(p, run);
	f64 sum = 0;
	eachOfRun(p, run, [&](i64 at) { sum += exp(load<T>(p.in, at) - most); });
	T whole = (T)log64(joinRow<Sum>(sum));
	eachOfRun(p, run, [&](i64 at) { store<T>(p.out, at, load<T>(p.in, at) - most - whole); });
}

// y * (dy - Σ dy*y)
ROW_KERNEL(softmax_grad, 256)(const Softmax p) {
	u64 run = row();
	if (run >= p.outer * p.inner) {
		return;
	}
	f64 sum = 0;
	eachOfRun(p, run, [&](i64 at) { sum += (f64)load<T>(p.dy, at) * (f64)load<T>(p.y, at); });
	T whole = (T)joinRow<Sum>(sum);
	eachOfRun(p, run, [&](i64 at) { store<T>(p.out, at, load<T>(p.y, at) * (load<T>(p.dy, at) - whole)); });
}

// dy - e**y * Σ dy
ROW_KERNEL(log_softmax_grad, 256)(const Softmax p) {
	u64 run = row();
	if (run >= p.outer * p.inner) {
		return;
	}
	f64 sum = 0;
	eachOfRun(p, run, [&](i64 at) { sum += load<T>(p.dy, at); });
	T whole = (T)joinRow<Sum>(sum);
	eachOfRun(p, run, [&](i64 at) { store<T>(p.out, at, load<T>(p.dy, at) - exp(load<T>(p.y, at)) * whole); });
}
