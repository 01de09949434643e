// Layer normalisation and its gradients; y and dy of float32 may be of a half type. Sums of what a thread holds are taken in the type that is computed in, and theirs as in float64; means, 1/√(variance + eps) and the gradients of weight and bias are
// of the type that is computed in. Where p.mean is 0 they are those of an RMS norm, which takes no mean off.
//
// Every kernel takes LayerNorm. layer_norm and layer_norm_grad: a row of threads for each row, which reads it once where its
// registers hold it. Grid: that of HeldGrid, for twice the columns in the gradient, which has two operands, and in front of these blocks p.sumBlocks others,
// which add up the gradients of weight and bias beside them: ⌈columns/32⌉ for each part. group_norm_sums: a row of threads, that of RowGrid, for each
// channel and part. layer_norm_totals joins more than one part of a group norm: blocks of 256 threads, any number of them: as many as there are weights.
// dtypes: f32 f64 f16 bf16
#include "again.cuh"
#include "layernorm_rows.cuh"
#include "layernorm_weights.cuh"

// y = (x - mean) / √(variance + eps) · weight + bias, of x + residual where there is one, which becomes the sum.
HELD_KERNEL(layer_norm, 1)(const LayerNorm p) {
	u64 r = row(), columns = r < p.rows ? p.columns : 0;
	i64 start = (i64)(r * p.columns);
	Share<HELD> x;
	bool held = p.columns <= x.chunk();
	u64 base = p.residual != 0 && !held ? p.sum : p.x;
	if (held || p.residual != 0) {
		eachChunk(p.x, x, start, columns, false, [&](u64 first) {
			if (p.residual != 0) {
				addResidual(p, x, start, first, columns);
				x.write(p.sum, start, first, [](T v, u32) { return v; });
			}
		});
	}
	Fine<T> sum = {}, squares = {};
	Center center = {0, 0};
	if (p.mean != 0) {
		eachChunk(base, x, start, columns, held, [&](u64) {
			T own = 0;
			x.each([&](T v) { own += v; });
			take(sum, own);
		});
		center = Center::of(p, joinRow<Joining<T>>(sum));
	}
	eachChunk(base, x, start, columns, held, [&](u64) {
		T own = 0;
		x.eachInside([&](T v) {
			T distance = center.from(v);
			own += distance * distance;
		});
		take(squares, own);
	});
	T scale = rootOf(p, joinRow<Joining<T>>(squares));
	if (threadIdx.x == 0 && r < p.rows) {
		if (p.mean != 0) {
			store<T>(p.mean, (i64)r, center.high);
		}
		store<T>(p.invstd, (i64)r, scale);
	}
	Slope weight = Slope::of(p, p.weight, r), bias = Slope::of(p, p.bias, r);
	eachChunk(base, x, start, columns, held, [&](u64 first) {
		x.groups([&](T (&v)[GROUP], u32 k) {
			T w[GROUP], b[GROUP];
			weight.read(p, first + k, 1, w);
			bias.read(p, first + k, 0, b);
#pragma unroll
			for (int lane = 0; lane < GROUP; lane++) {
				T distance = center.from(v[lane]) * scale;
				v[lane] = p.weight != 0 ? distance * w[lane] : distance;
				v[lane] = p.bias != 0 ? v[lane] + b[lane] : v[lane];
			}
		});
		if (!withHalf(p.otherType, [&](auto zero) { writeHalves(x, p.y, start, first, zero); })) {
			x.write(p.y, start, first, [](T v, u32) { return v; });
		}
	});
}

// slopeOf is the mean of g · (x - mean), times invstd².
INLINE T slopeOf(const LayerNorm &p, Fine<T> dot, T invstd) {
#ifndef DTYPE_f64
	Twofold mean = perColumn(p, dot), once = times(mean, invstd), slope = times(once, invstd);
	if (fewColumns(p) && spans(mean.high) && spans(once.high) && spans(slope.high)) {
		return slope.high + slope.low;
	}
#endif
	return (T)(perColumn64(p, dot) * (f64)invstd * (f64)invstd);
}

// dx = invstd · (g - mean(g) - x̂ · mean(g · x̂)), with x̂ = (x - mean) · invstd and g = dy · weight; an RMS norm's is without mean(g). It is added
// to what lies in onto, where that is given, which may be where dx goes.
INLINE void gradient(const LayerNorm &p, u64 r) {
	u64 columns = r < p.rows ? p.columns : 0;
	i64 start = (i64)(r * p.columns);
	Share<HELD / 2> x, g;
	bool held = p.columns <= x.chunk();
	Fine<T> sum = {}, dot = {};
	T mean = 0, invstd = 0;
	if (r < p.rows) {
		mean = p.mean != 0 ? load<T>(p.mean, (i64)r) : (T)0;
		invstd = load<T>(p.invstd, (i64)r);
	}
	Slope weight = Slope::of(p, p.weight, r);
	auto fill = [&](u64 first) {
		x.read(p.x, start, first, columns, 0);
		if (!withHalf(p.otherType, [&](auto zero) { readHalves(g, p.dy, start, first, columns, zero); })) {
			g.read(p.dy, start, first, columns, 0);
		}
	};
	// factors calls body with every element, its dy, and its weight.
	auto factors = [&](u64 first, auto body) {
#pragma unroll
		for (int i = 0; i < Share<HELD / 2>::GROUPS; i++) {
			u32 k = (i * blockDim.x + threadIdx.x) * GROUP;
			if (k >= x.count) {
				break;
			}
			T w[GROUP];
			weight.read(p, first + k, 1, w);
#pragma unroll
			for (int lane = 0; lane < GROUP; lane++) {
				body(x.of[i][lane], g.of[i][lane] * w[lane]);
			}
		}
	};
#pragma unroll 1
	for (u64 first = 0; first < columns; first += x.chunk()) {
		fill(first);
		T own = 0, dots = 0;
		factors(first, [&](T &v, T g) { // beyond the end g is 0
			own += g;
			dots += g * (v - mean);
		});
		take(sum, own);
		take(dot, dots);
	}
	T shift = p.mean != 0 ? Center::of(p, joinRow<Joining<T>>(sum)).high : (T)0, slope = slopeOf(p, joinRow<Joining<T>>(dot), invstd);
#pragma unroll 1
	for (u64 first = 0; first < columns; first += x.chunk()) {
		if (!held) {
			fill(first);
		}
		factors(first, [&](T &v, T g) { v = invstd * (g - shift - (v - mean) * slope); });
		if (p.onto != 0) {
			x.add(p.onto, start, first, columns);
		}
		x.write(p.dx, start, first, [](T v, u32) { return v; });
	}
}

// Both kinds of gradients, of the same operands.
HELD_KERNEL(layer_norm_grad, 1)(const LayerNorm p) {
	if (blockIdx.x < p.sumBlocks) {
		weightSums(p);
	} else {
		gradient(p, row() - (u64)p.sumBlocks * blockDim.y);
	}
}

#define FEW_PIXELS 256 // of a channel: a row of threads takes those of many images side by side
#define MANY_PIXELS (1u << 30) // that are taken at a time

// A part is of a channel's elements, counted through all images.
KERNEL_OF(JOIN(group_norm_sums, DTYPE), 256, __is_same(Stored, bf16) ? 0 : 3)(const LayerNorm p) {
	u64 r = row(), channel = r / p.parts, image = p.columns * p.groups, plane = channel * p.each;
	if (plane >= image) {
		return;
	}
	u64 count = p.rows / p.groups * p.each, share = (count + p.parts - 1) / p.parts, first = (r - channel * p.parts) * share, end = first + share < count ? first + share : count;
	u64 group = plane / p.columns;
	f64 dot = 0, sum = 0;
	if (p.each < FEW_PIXELS) {
		const int TOGETHER = 4;
		u64 ahead = first / p.each; // images
		u32 begin = (u32)(first - ahead * p.each), left = first < end ? (u32)(end - first) : 0;
		i64 start = (i64)(ahead * image + plane), firstRow = (i64)(ahead * p.groups + group);
#pragma unroll 1
		for (u32 k = threadIdx.x; k < left; k += TOGETHER * blockDim.x) {
			T own = 0, dots = 0;
#pragma unroll
			for (int e = 0; e < TOGETHER; e++) {
				u32 at = k + e * blockDim.x;
				if (at < left) {
					u32 further = (begin + at) / (u32)p.each;
					i64 i = start + (i64)(further * image + (begin + at - further * (u32)p.each)), row = firstRow + (i64)(further * p.groups);
					T dy = read(p.dy, i);
					own += dy;
					dots += dy * (read(p.x, i) - load<T>(p.mean, row)) * load<T>(p.invstd, row);
				}
			}
			sum += (f64)own;
			dot += (f64)dots;
		}
	} else {
		Share<HELD / 2> x, g;
#pragma unroll 1
		for (u64 k = first; k < end;) {
			u64 ahead = k / p.each, next = (ahead + 1) * p.each, there = (next < end ? next : end) - k;
			u32 n = there < MANY_PIXELS ? (u32)there : MANY_PIXELS;
			i64 start = (i64)(ahead * (image - p.each) + plane + k), row = (i64)(ahead * p.groups + group);
#pragma unroll 1
			for (u32 from = 0; from < n; from += (u32)x.chunk()) {
				T mean = load<T>(p.mean, row);
				x.read(p.x, start, from, n, mean);
				g.read(p.dy, start, from, n, 0);
				T own = 0, dots = 0;
				g.with(x, [&](T dy, T v, u32) {
					own += dy;
					dots += dy * (v - mean);
				});
				sum += (f64)own;
				dot += (f64)dots * (f64)load<T>(p.invstd, row);
			}
			k += n;
		}
	}
	sum = joinRow<Total<f64>>(sum);
	dot = joinRow<Total<f64>>(dot);
	if (threadIdx.x == 0) {
		r = (u64)thisBlock() * blockDim.y + threadIdx.y;
		finish(p, p.parts, r % p.parts, r / p.parts, dot, sum);
	}
}

// The parts of each element of weight and bias in a group normalization.
ROW_KERNEL(layer_norm_totals, 256)(const LayerNorm p) {
#pragma unroll 1
	for (u64 at = thread(); at < weights(p); at += threads()) {
		joinParts(p, at);
	}
}
