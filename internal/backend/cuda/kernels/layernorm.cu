// Layer normalisation and its gradients; y and dy of float32 may be of a half type. Sums of what a thread holds are taken in the type that is computed in, and theirs as in float64; means, 1/√(variance + eps) and the gradients of weight and bias are
// of the type that is computed in. Where p.mean is 0 they are those of an RMS norm, which takes no mean off.
//
// Every kernel takes LayerNorm. layer_norm and layer_norm_grad: a row of threads for each row, which reads it once where its
// registers hold it. Grid: that of HeldGrid, for twice the columns in the gradient, which has two operands, and in front of these blocks p.sumBlocks others,
// which add up the gradients of weight and bias beside them: ⌈columns/32⌉ for each part. group_norm_sums: a row of threads, that of RowGrid, for each
// channel and part. layer_norm_totals joins more than one part of a group norm: blocks of 256 threads, any number of them: as many as there are weights.
// dtypes: f32 f64 f16 bf16
#include "last.cuh"
#include "params.cuh"
#include "reduction.cuh"
#include "math.cuh"
#include "twofold.cuh"

#define HELD (64 / sizeof(T)) // elements that a thread holds

// A Slope is what stands for columns of a row: a part of weight or bias, of which an element is for each columns.
struct Slope {
	u64 base;
	bool whole; // whether groups of it can be moved at once

	INLINE Slope of(const LayerNorm &p, u64 base, u64 r) {
		u64 first = p.groups == 1 ? 0 : r % p.groups * (p.columns / p.each);
		base += base == 0 ? 0 : first * sizeof(Stored);
		return {base, p.each == 1 && isWhole(base, 0, 1)};
	}

	// read is what stands for the group of columns from k on, or as many as there are, or `otherwise`.
	__device__ __attribute__((always_inline)) void read(const LayerNorm &p, u64 k, T otherwise, T (&v)[GROUP]) const {
		if (base == 0) {
#pragma unroll
			for (int lane = 0; lane < GROUP; lane++) {
				v[lane] = otherwise;
			}
		} else if (whole && k + GROUP <= p.columns) {
			Lanes<Stored, GROUP> group = Lanes<Stored, GROUP>::load(base, (i64)k);
#pragma unroll
			for (int lane = 0; lane < GROUP; lane++) {
				v[lane] = wide(group.at(lane));
			}
		} else if (p.each != 1 && (u32)p.each % GROUP == 0) { // the group lies in one channel
			T all = ::read(base, (i64)((u32)k / (u32)p.each));
#pragma unroll
			for (int lane = 0; lane < GROUP; lane++) {
				v[lane] = all;
			}
		} else {
#pragma unroll
			for (int lane = 0; lane < GROUP; lane++) {
				u64 at = k + lane < p.columns ? k + lane : p.columns - 1;
				v[lane] = ::read(base, (i64)(p.each == 1 ? at : (u32)at / (u32)p.each));
			}
		}
	}
};

// eachChunk reads the row in p.x or p.sum chunk by chunk, unless it is held, and calls body with the first column of each. columns is 0 for a
// row beyond the last, which its threads compute and do not keep, since those of a warp stay together.
template <class Body> INLINE void eachChunk(u64 base, Share<HELD> &x, i64 start, u64 columns, bool held, Body body) {
#pragma unroll 1
	for (u64 first = 0; first < columns; first += x.chunk()) {
		if (!held) {
			x.read(base, start, first, columns, 0);
		}
		body(first);
	}
}

// withHalf calls body with a zero of the half type that a type in the parameters names, and reports whether it names one.
template <class Body> INLINE bool withHalf(u32 type, Body body) {
#ifdef DTYPE_f32
	if (type == BFLOAT16_TYPE) {
		body(bf16{});
		return true;
	}
	if (type == FLOAT16_TYPE) {
		body(f16{});
		return true;
	}
#endif
	return false;
}

// eachHalf calls body with each element of a chunk and that of a half type that lies in its place.
template <class S, class Half, class Body> INLINE void eachHalf(S &x, u64 base, i64 start, u64 first, Half zero, Body body) {
	base += (u64)(start + (i64)first) * sizeof(Half);
	bool whole = base % (GROUP * sizeof(Half)) == 0;
	x.groups([&](T (&v)[GROUP], u32 k) {
		Lanes<Half, GROUP> group = Lanes<Half, GROUP>::all(zero);
		if (whole && k + GROUP <= x.count) {
			group = Lanes<Half, GROUP>::load(base, k);
		} else {
#pragma unroll
			for (int lane = 0; lane < GROUP; lane++) {
				group.put(lane, k + lane < x.count ? load<Half>(base, k + lane) : zero);
			}
		}
#pragma unroll
		for (int lane = 0; lane < GROUP; lane++) {
			body(v[lane], wide(group.at(lane)));
		}
	});
}

// readHalves loads a chunk of a row of a half type, and 0 for what would lie behind its end.
template <class Half> INLINE void readHalves(Share<HELD / 2> &x, u64 base, i64 start, u64 first, u64 columns, Half zero) {
	x.count = first >= columns ? 0 : columns - first < x.chunk() ? (u32)(columns - first) : (u32)x.chunk();
	eachHalf(x, base, start, first, zero, [](T &v, T w) { v = w; });
}

// writeHalves stores a chunk as a half type.
template <class S, class Half> INLINE void writeHalves(S &x, u64 base, i64 start, u64 first, Half) {
	base += (u64)(start + (i64)first) * sizeof(Half);
	bool whole = base % (GROUP * sizeof(Half)) == 0;
	x.groups([&](T (&v)[GROUP], u32 k) {
		Lanes<Half, GROUP> group;
#pragma unroll
		for (int lane = 0; lane < GROUP; lane++) {
			group.put(lane, Cast<Half>::of(v[lane]));
		}
		if (whole && k + GROUP <= x.count) {
			group.store(base, k);
		} else {
#pragma unroll
			for (int lane = 0; lane < GROUP; lane++) {
				if (k + lane < x.count) {
					store<Half>(base, k + lane, group.at(lane));
				}
			}
		}
	});
}

// addResidual adds the residual of the chunk from first on to x, as an op would; that of a float32 may be of a half type.
INLINE void addResidual(const LayerNorm &p, Share<HELD> &x, i64 start, u64 first, u64 columns) {
	if (!withHalf(p.residualType, [&](auto zero) { eachHalf(x, p.residual, start, first, zero, [](T &v, T w) { v += w; }); })) {
		x.add(p.residual, start, first, columns);
	}
}

// A row's sums are of what threads have added up, times SHARE, so that many of these do not overflow.
const T SHARE = (T)0x1p-10;

INLINE void take(Fine<T> &sum, T own) { sum = add(sum, own * SHARE); }

#ifndef DTYPE_f64
// perColumn is a row's sum over the number of its columns, which float32 has to hold.
INLINE Twofold perColumn(const LayerNorm &p, Twofold sum) {
	Twofold each = inverse((f32)(u32)p.columns);
	return settled(times(sum, {each.high * 0x1p10f, each.low * 0x1p10f}));
}
#endif
// perColumn64 is that of any sum and number.
INLINE f64 perColumn64(const LayerNorm &p, Fine<T> sum) { return whole(sum) * 0x1p10 / (f64)(i64)p.columns; }
INLINE bool fewColumns(const LayerNorm &p) { return p.columns < 1 << 24; } // float32 holds their number

// The mean of a row in two parts: what the elements' type holds of it, and the rest.
struct Center {
	T high, low;

	INLINE Center of(const LayerNorm &p, Fine<T> sum) {
#ifndef DTYPE_f64
		Twofold near = perColumn(p, sum);
		if (fewColumns(p) && spans(near.high)) {
			return {near.high, near.low};
		}
#endif
		f64 mean = perColumn64(p, sum);
		return {(T)mean, (T)(mean - (f64)(T)mean)};
	}
	__device__ __attribute__((always_inline)) T from(T v) const { return v - high - low; }
};

// rootOf is 1 / √(mean square + eps).
INLINE T rootOf(const LayerNorm &p, Fine<T> squares) {
#ifndef DTYPE_f64
	Twofold variance = add(perColumn(p, squares), twofold(p.eps));
	if (fewColumns(p) && variance.high > 0x1p-60f && variance.high < 0x1p60f) {
		return inverseRoot(variance);
	}
#endif
	return (T)(1 / sqrt(perColumn64(p, squares) + p.eps));
}

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

// weights is how many elements weight and bias have.
INLINE u64 weights(const LayerNorm &p) { return p.columns / p.each * p.groups; }

// finish writes the gradients of an element of weight and bias, Σ dy · x̂ and Σ dy, or keeps those of one of several parts.
INLINE void finish(const LayerNorm &p, u64 parts, u64 part, u64 at, f64 dot, f64 sum) {
	if (parts > 1) {
		i64 kept = (i64)(2 * (part * weights(p) + at));
		store<f64>(p.sums, kept, dot);
		store<f64>(p.sums, kept + 1, sum);
		return;
	}
	store<T>(p.dweight, (i64)at, (T)dot);
	if (p.dbias != 0) {
		store<T>(p.dbias, (i64)at, (T)sum);
	}
}

// joinParts adds the parts of an element of weight and bias in order.
INLINE void joinParts(const LayerNorm &p, u64 at) {
	u64 all = weights(p);
	f64 dot = 0, sum = 0;
#pragma unroll 1
	for (u64 part = 0; part < p.parts; part++) {
		dot += left<f64>(p.sums, (i64)(2 * (part * all + at)));
		sum += left<f64>(p.sums, (i64)(2 * (part * all + at) + 1));
	}
	finish(p, 1, 0, at, dot, sum);
}

#define HIGH 8 // threads of a column
#define MANY 8 // rows that a thread loads at once

// Factors are of some rows of a column: dy, x and the row's figures.
struct Factors {
	T dy[MANY], x[MANY], mean[MANY], invstd[MANY];

	// read loads those of every HIGH-th row from r on, and 0 for rows from end on.
	__device__ __attribute__((always_inline)) void read(const LayerNorm &p, u64 r, u64 end, u64 column) {
		auto each = [&](auto body) {
#pragma unroll
			for (int m = 0; m < MANY; m++) {
				u64 row = r + m * HIGH;
				body(m, row < end, (i64)row, (i64)(row * p.columns + column));
			}
		};
		if (!withHalf(p.otherType, [&](auto zero) {
				each([&](int m, bool inside, i64, i64 at) { dy[m] = inside ? wide(load<decltype(zero)>(p.dy, at)) : (T)0; });
			})) {
			each([&](int m, bool inside, i64, i64 at) { dy[m] = inside ? ::read(p.dy, at) : (T)0; });
		}
		each([&](int m, bool inside, i64 row, i64 at) {
			x[m] = inside ? ::read(p.x, at) : (T)0;
			mean[m] = inside && p.mean != 0 ? load<T>(p.mean, row) : (T)0;
			invstd[m] = inside ? load<T>(p.invstd, row) : (T)0;
		});
	}
};

// Slopes are both sums of a column, Σ dy · x̂ and Σ dy.
struct SlopeSums {
	f64 dot, sum;
};
template <class S> struct Slopes {
	Fine<S> dot, sum;

	__device__ __attribute__((always_inline)) void take(const Factors &of) {
#pragma unroll
		for (int m = 0; m < MANY; m++) {
			sum = add(sum, (S)of.dy[m]);
			if constexpr (sizeof(S) == 4) {
				dot = add(dot, times(times(away((S)of.x[m], (S)of.mean[m]), (S)of.invstd[m]), (S)of.dy[m]));
			} else {
				dot += (f64)of.dy[m] * ((f64)of.x[m] - (f64)of.mean[m]) * (f64)of.invstd[m];
			}
		}
		dot = settled(dot);
		sum = settled(sum);
	}

	// holds tells whether float32 has held both; of so little a dot product it lacks digits.
	__device__ __attribute__((always_inline)) bool holds() const {
		return isFinite(dot) && isFinite(sum) && (dot.high == 0 || abs(dot.high) >= 0x1p-70f);
	}
	__device__ __attribute__((always_inline)) SlopeSums value() const { return {whole(dot), whole(sum)}; }
};

// weightSums adds up the gradients of 32 elements of weight and bias: the HIGH threads of a column each take every HIGH-th row of a part, and their sums are
// added in order; the last of a column's blocks joins the parts.
INLINE void weightSums(const LayerNorm &p) {
	__shared__ f64 dots[HIGH][WARP], sums[HIGH][WARP];
	u32 thread = threadIdx.y * blockDim.x + threadIdx.x, x = thread % WARP, y = thread / WARP, blocks = p.sumBlocks / (u32)p.parts;
	u64 block = blockIdx.x % blocks, part = blockIdx.x / blocks, column = block * WARP + x, each = (p.rows + p.parts - 1) / p.parts;
	u64 end = (part + 1) * each < p.rows ? (part + 1) * each : p.rows;
	auto [dot, sum] = added<T, Slopes>([&](auto &own) __attribute__((always_inline)) {
#pragma unroll 1
		for (u64 r = part * each + y; column < p.columns && y < HIGH && r < end; r += MANY * HIGH) {
			Factors of;
			of.read(p, r, end, column);
			own.take(of);
		}
	});
	if (y < HIGH) {
		dots[y][x] = dot;
		sums[y][x] = sum;
	}
	__syncthreads();
	bool mine = y == 0 && column < p.columns;
	if (mine) {
#pragma unroll 1
		for (int k = 1; k < HIGH; k++) {
			dot += dots[k][x];
			sum += sums[k][x];
		}
		finish(p, p.parts, part, column, dot, sum);
	}
	if (p.parts > 1 && isLast(p.firstCounter + block, p.parts) && mine) {
		joinParts(p, column);
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

// A part is of a channel's elements, counted through all images.
ROW_KERNEL(group_norm_sums, 256)(const LayerNorm p) {
	u64 r = row(), channel = r / p.parts, part = r - channel * p.parts, channels = weights(p), images = p.rows / p.groups;
	if (channel >= channels) {
		return;
	}
	u64 count = images * p.each, share = (count + p.parts - 1) / p.parts, first = part * share, end = first + share < count ? first + share : count;
	u64 group = channel / (p.columns / p.each);
	f64 dot = 0, sum = 0;
	if (p.each < FEW_PIXELS) {
		const int TOGETHER = 4;
#pragma unroll 1
		for (u64 k = first + threadIdx.x; k < end; k += TOGETHER * blockDim.x) {
			T own = 0, dots = 0;
#pragma unroll
			for (int e = 0; e < TOGETHER; e++) {
				u64 at = k + e * blockDim.x;
				if (at < end) {
					u64 image = (at | p.each) >> 32 == 0 ? (u32)at / (u32)p.each : at / p.each;
					i64 i = (i64)((image * channels + channel) * p.each + (at - image * p.each)), row = (i64)(image * p.groups + group);
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
			u64 image = k / p.each, next = (image + 1) * p.each, n = (next < end ? next : end) - k;
			i64 start = (i64)((image * channels + channel) * p.each + (k - image * p.each)), row = (i64)(image * p.groups + group);
			T mean = load<T>(p.mean, row);
			f64 invstd = (f64)load<T>(p.invstd, row);
#pragma unroll 1
			for (u64 from = 0; from < n; from += x.chunk()) {
				x.read(p.x, start, from, n, mean);
				g.read(p.dy, start, from, n, 0);
				T own = 0, dots = 0;
				g.with(x, [&](T dy, T v, u32) {
					own += dy;
					dots += dy * (v - mean);
				});
				sum += (f64)own;
				dot += (f64)dots * invstd;
			}
			k += n;
		}
	}
	sum = joinRow<Total<f64>>(sum);
	dot = joinRow<Total<f64>>(dot);
	if (threadIdx.x == 0) {
		finish(p, p.parts, part, channel, dot, sum);
	}
}

// The parts of each element of weight and bias in a group normalization.
ROW_KERNEL(layer_norm_totals, 256)(const LayerNorm p) {
#pragma unroll 1
	for (u64 at = thread(); at < weights(p); at += threads()) {
		joinParts(p, at);
	}
}
