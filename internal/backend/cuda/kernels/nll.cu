// The negative log likelihood of targets, and its gradients for log probabilities and for logits.
//
// Every kernel takes NLL. nll: blocks of 256 threads, a part of the loss for each; nll_total joins more than one, in one block. nll_each,
// nll_grad and cross_entropy_grad: blocks of 256 threads, any number of them: as many as there are targets, or elements of the
// gradient. Shifts and total are float32 beside half types, the others are of the dtype.
// dtypes: f32 f64 bf16 f16
#include "elementary.cuh"
#include "fault.cuh"
#include "reduction.cuh"
#include "twofold.cuh"

INLINE T weightOf(const NLL &p, i64 target) { return p.weight != 0 ? read(p.weight, target) : (T)1; }

// The log probability of a class for target i, where at is the place of that in x.
INLINE T logOf(const NLL &p, u64 i, u64 at) {
	T x = read(p.x, (i64)at);
	return p.shifts == 0 ? x : x - load<T>(p.shifts, (i64)(2 * i)) - load<T>(p.shifts, (i64)(2 * i + 1));
}

// A Cost is what a target adds to the loss and to the weights.
struct Cost {
	T loss, weight;
};

INLINE Cost costOf(const NLL &p, u64 i) {
	i64 target = load<i64>(p.targets, (i64)i);
	if (target == p.ignore) {
		return {0, 0};
	}
	if ((u64)target >= p.classes) {
		report(p.report, TARGET_FAULT, target, (i64)p.classes, (i64)i);
		return {0, 0};
	}
	u64 batch = divided(i, p.inner), column = i - batch * p.inner;
	T weight = weightOf(p, target);
	return {-logOf(p, i, (batch * p.classes + target) * p.inner + column) * weight, weight};
}

// total adds up the losses and weights of a block, and leaves them as those of a part or the whole.
INLINE void total(const NLL &p, f64 loss, f64 weight, bool part) {
	loss = joinRow<Total<f64>>(loss);
	weight = joinRow<Total<f64>>(weight);
	if (threadIdx.x != 0) {
		return;
	}
	if (part) {
		store<f64>(p.sums, (i64)(2 * blockIdx.x), loss);
		store<f64>(p.sums, (i64)(2 * blockIdx.x + 1), weight);
	} else {
		write(p.out, 0, (T)(p.mean ? loss / weight : loss));
		store<T>(p.total, 0, (T)weight);
	}
}

// The sum of the losses, or their mean, and the sum of the weights.
ROW_KERNEL(nll, 256)(const NLL p) {
	f64 loss = 0, weight = 0;
#pragma unroll 1
	for (u64 i = thread(); i < p.batch * p.inner; i += threads()) {
		Cost c = costOf(p, i);
		loss += c.loss;
		weight += c.weight;
	}
	total(p, loss, weight, gridDim.x > 1);
}

// The sum of the parts.
ROW_KERNEL(nll_total, 256)(const NLL p) {
	f64 loss = 0, weight = 0;
#pragma unroll 1
	for (u64 k = threadIdx.x; k < p.parts; k += blockDim.x) {
		loss += load<f64>(p.sums, (i64)(2 * k));
		weight += load<f64>(p.sums, (i64)(2 * k + 1));
	}
	total(p, loss, weight, false);
}

// The loss of each target.
ROW_KERNEL(nll_each, 256)(const NLL p) {
#pragma unroll 1
	for (u64 i = thread(); i < p.batch * p.inner; i += threads()) {
		write(p.out, (i64)i, costOf(p, i).loss);
	}
}

// A Place is which class an element of the input is of, and which target its own.
struct Place {
	i64 class_, target;
};

INLINE Place placeOf(const NLL &p, u64 at) {
	u64 line = divided(at, p.inner), column = at - line * p.inner, batch = divided(line, p.classes);
	return {(i64)(line - batch * p.classes), (i64)(batch * p.inner + column)};
}

// -weight[t]·dy at the target of each, over the total for a mean, and zero elsewhere.
ROW_KERNEL(nll_grad, 256)(const NLL p) {
	f64 scale = p.mean ? 1 / (f64)load<T>(p.total, 0) : 1;
#pragma unroll 1
	for (u64 at = thread(); at < p.batch * p.classes * p.inner; at += threads()) {
		auto [class_, i] = placeOf(p, at);
		T v = 0;
		if (load<i64>(p.targets, i) == class_ && class_ != p.ignore) {
			v = (T)(-(f64)weightOf(p, class_) * scale * (f64)read(p.dy, p.each ? i : 0));
		}
		write(p.out, (i64)at, v);
	}
}

// A Slope is weight[t]·dy, over the total for a mean, of numbers that a product in S holds.
template <class S> struct Slope {
	Fine<S> inverse;
	bool held = true;

	__device__ __attribute__((always_inline)) T of(T weight, T dy) {
		if constexpr (sizeof(S) == 4) {
			Twofold weighed = times(inverse, weight), all = times(weighed, dy);
			bool nothing = weight == 0 || dy == 0;
			held &= nothing ? all.high == 0 : spans(weighed.high) && spans(all.high);
			return nothing ? all.high : all.high + all.low;
		} else {
			return (T)((f64)weight * inverse * (f64)dy);
		}
	}
};

// weight[t]·dy·(softmax - 1) at the target of each, over the total for a mean, and weight[t]·dy·softmax elsewhere. It returns whether S has held all products.
template <class S> INLINE bool gradient(const NLL &p) {
	Slope<S> slope = {inverse(p.mean ? (S)load<T>(p.total, 0) : (S)1)};
#pragma unroll 1
	for (u64 at = thread(); at < p.batch * p.classes * p.inner; at += threads()) {
		auto [class_, i] = placeOf(p, at);
		i64 target = load<i64>(p.targets, i);
		bool counts = target != p.ignore && (u64)target < p.classes; // the loss has reported what is no class
		T g = !counts ? (T)0 : slope.of(weightOf(p, target), read(p.dy, p.each ? i : 0));
		T v = exp(logOf(p, (u64)i, at)) * g;
		write(p.out, (i64)at, counts && target == class_ ? v - g : v);
	}
	return slope.held;
}

ROW_KERNEL(cross_entropy_grad, 256)(const NLL p) {
	if (!gradient<T>(p)) {
		gradient<f64>(p);
	}
}
