// Variances, norms and logarithms of sums, and the gradients of reductions.
//
// Every kernel takes Runs. Grid: a row of threads for each run: blocks of (32, 8) threads up to n = 1024 and of (256, 1)
// beyond, outer*inner rows. The gradients are for the operand in, of dy and the result y.
// dtypes: f32 f64
#include "elementary.cuh"
#include "math.cuh"
#include "reduction.cuh"
#include "twofold_exp.cuh"

// sumOf has take add a run's elements, a turn after the other; every thread of the row gets the sum.
template <class S = T, class Take> INLINE f64 sumOf(const Runs &p, u64 run, Take take) {
	return joinRow<Total<f64>>(added<S>([&](auto &own) __attribute__((always_inline)) {
		turnsOf(p.in, startOf(p, run), (i64)p.inner, 0, p.n, [&](const auto &v, auto) __attribute__((always_inline)) { take(own, v); });
	}));
}

// sumOfEach adds what value makes of the elements.
template <class S, class Value> INLINE f64 sumOfEach(const Runs &p, u64 run, Value value) {
	return sumOf<S>(p, run, [&](auto &own, const auto &v) __attribute__((always_inline)) {
#pragma unroll
		for (T of : v) {
			own.take(value(of));
		}
	});
}

// largestOf is the largest value that is made of the elements, and NaN where there is one.
template <class Value> INLINE T largestOf(const Runs &p, u64 run, T least, Value value) {
	T most = least;
	turnsOf(p.in, startOf(p, run), (i64)p.inner, 0, p.n, [&](const auto &v, auto) __attribute__((always_inline)) {
#pragma unroll
		for (T of : v) {
			most = Most<T>::join(most, value(of));
		}
	});
	return joinRow<Most<T>>(most);
}

INLINE f64 meanOf(const Runs &p, u64 run) {
	return sumOf(p, run, [](auto &own, const auto &v) __attribute__((always_inline)) { own.take(v); }) / (f64)(i64)p.n;
}

// variance is Σ (v - mean)² / (n - x): NaN or infinite where the divisor is not positive.
INLINE f64 variance(const Runs &p, u64 run) {
	f64 mean = meanOf(p, run), divisor = (f64)(i64)p.n - p.x;
	f64 sum = sumOf(p, run, [&](auto &own, const auto &v) __attribute__((always_inline)) { own.takeSquares(v, mean); });
	return sum / (divisor > 0 ? divisor : 0);
}

// fewFactors tells whether powers are products of a few float32.
INLINE bool fewFactors(const Runs &p) { return sizeof(T) == 4 && p.x >= 3 && p.x <= 8 && p.x == (f64)(u32)p.x; }

// takePowers adds |v|**x of this thread's elements, one after the other, since the code of several at once would be long.
INLINE void takePowers(const Runs &p, u64 run, Adder<f64> &own) {
	eachOfRun(p, run, [&](i64 at) { own.take(pow(abs((f64)load<T>(p.in, at)), p.x)); });
}
INLINE void takePowers(const Runs &p, u64 run, Adder<f32> &own) {
	eachOfRun(p, run, [&](i64 at) {
		f32 size = abs(load<f32>(p.in, at));
		Twofold all = fewFactors(p) ? power(size, (u32)p.x) : power(size, twofold(p.x));
		own.takeSquare(all.high, all.low);
	});
}

// norm is (Σ |v|**x)**(1/x), the largest or smallest |v| for an infinite x, and how many are not 0 for 0.
INLINE f64 norm(const Runs &p, u64 run) {
	auto size = [](T v) { return (T)abs(v); };
	if (p.x == 2) {
		return sqrt(sumOf(p, run, [](auto &own, const auto &v) __attribute__((always_inline)) { own.takeSquares(v); }));
	}
	if (p.x == 1) {
		return sumOfEach<T>(p, run, size);
	}
	if (p.x == 0) {
		return sumOfEach<T>(p, run, [](T v) { return (T)(v != 0); });
	}
	if (p.x == INFINITY) {
		return largestOf(p, run, 0, size);
	}
	if (p.x == -INFINITY) {
		return -largestOf(p, run, -(T)INFINITY, [](T v) { return -(T)abs(v); });
	}
	auto add = [&](auto &own) __attribute__((always_inline)) { takePowers(p, run, own); };
	return pow(joinRow<Total<f64>>(added<T>(add)), 1 / p.x);
}

// logSumExp is log Σ e**v, shifted by the largest element so that nothing overflows.
INLINE f64 logSumExp(const Runs &p, u64 run) {
	T shift = largestOf(p, run, -(T)INFINITY, [](T v) { return v; });
	if (abs(shift) == INFINITY) {
		shift = 0; // the sum is infinite or zero, and INF - INF would spoil it
	}
	return log(sumOfEach<T>(p, run, [&](T v) { return exp(v - shift); })) + (f64)shift;
}

// MOMENT is a kernel of one number for each run, of which so many blocks have to fit on a multiprocessor; 0 leaves the number to the assembler.
#define MOMENT(name, blocks, value)                                                      \
	KERNEL_OF(JOIN(name, DTYPE), 256, blocks)(const Runs p) {                            \
		u64 run = row();                                                                 \
		if (run >= p.outer * p.inner) {                                                  \
			return;                                                                      \
		}                                                                                \
		T v = (T)(value);                                                                \
		if (threadIdx.x == 0) {                                                          \
			store<T>(p.out, (i64)run, v);                                                \
		}                                                                                \
	}

MOMENT(var, sizeof(T) == 4 ? 5 : 0, variance(p, run))
MOMENT(std, sizeof(T) == 4 ? 5 : 0, sqrt(variance(p, run)))
MOMENT(norm, 4, norm(p, run))
MOMENT(log_sum_exp, 0, logSumExp(p, run))

// SPREAD is a kernel of a gradient: value of an element v, of the run's dy and y, and of once, which is computed first.
#define SPREAD(name, before, value)                                                      \
	KERNEL_OF(JOIN(name, DTYPE), 256, sizeof(T) == 4 ? 4 : 0)(const Runs p) {            \
		u64 run = row();                                                                 \
		if (run >= p.outer * p.inner) {                                                  \
			return;                                                                      \
		}                                                                                \
		[[maybe_unused]] T dy = load<T>(p.dy, (i64)run);                                 \
		[[maybe_unused]] T y = p.y != 0 ? load<T>(p.y, (i64)run) : (T)0;                 \
		[[maybe_unused]] f64 once = before;                                              \
		eachOfRun(p, run, [&](i64 at) {                                                  \
			T v = load<T>(p.in, at);                                                     \
			store<T>(p.out, at, (T)(value));                                             \
		});                                                                              \
	}

INLINE bool same(T a, T b) { return a == b || (a != a && b != b); }

// spread is dy's share of (v - mean), over n - x.
INLINE T spread(const Runs &p, T v, f64 mean, f64 dy) {
	f64 slope = 2 / ((f64)(i64)p.n - p.x) * dy;
#ifndef DTYPE_f64
	Twofold distance = away(v, twofold(mean)), share = times(distance, twofold(slope));
	if (spans(distance.high) && spans(share.high)) {
		return share.high + share.low;
	}
#endif
	return (T)(slope * ((f64)v - mean));
}

// normGrad is the derivative of the norm for one element. Nothing flows to zeros, nor where y is 0; once is how many
// elements share an extreme, or y**(x-1).
INLINE T normGrad(const Runs &p, T v, T dy, T y, f64 once) {
	auto turned = [&](T slope) { return v > 0 ? slope : -slope; };
	if (p.x == 0 || v == 0) {
		return 0;
	}
	if (p.x == 2) {
		return y != 0 ? dy * (T)(v / y) : 0;
	}
	if (abs(p.x) == INFINITY) {
		return abs(v) == y ? turned((T)((f64)dy / once)) : 0;
	}
	if (p.x == 1) {
		return turned(dy);
	}
	if (y == 0) {
		return 0;
	}
	f64 scale = (f64)dy / once;
#ifndef DTYPE_f64
	Twofold factor = fewFactors(p) ? power(abs(v), (u32)p.x - 1) : power(abs(v), twofold(p.x - 1)), share = times(factor, twofold(scale));
	if (spans(factor.high) && spans(share.high)) {
		return turned(share.high + share.low);
	}
#endif
	return turned((T)(scale * pow(abs((f64)v), p.x - 1)));
}

INLINE f64 normOnce(const Runs &p, u64 run, T y) {
	if (abs(p.x) == INFINITY) {
		return sumOfEach<T>(p, run, [&](T v) { return (T)(abs(v) == y); });
	}
	return p.x == 1 || p.x == 2 ? 1 : pow((f64)y, p.x - 1);
}

SPREAD(var_grad, meanOf(p, run), spread(p, v, once, (f64)dy))
SPREAD(std_grad, meanOf(p, run), y != 0 ? spread(p, v, once, (f64)dy / (2 * (f64)y)) : 0)
SPREAD(norm_grad, normOnce(p, run, y), normGrad(p, v, dy, y, once))
SPREAD(log_sum_exp_grad, 0, (f64)dy * (f64)exp((T)((f64)v - (f64)y)))
// dy in equal shares to the elements that are the extreme y.
SPREAD(share_grad, sumOfEach<T>(p, run, [&](T v) { return (T)same(v, y); }), same(v, y) ? dy / (T)once : (T)0)
