// Batch normalisation and its gradients. Sums of handfuls are taken in the type that is computed in, and theirs in float64. x, y, dy and dx of the half types are
// computed in float32, which weight, bias, statistics and their gradients have too.
//
// Every kernel takes BatchNorm. batch_norm_moments and batch_norm_sums: a row of threads for each channel and part: blocks of
// (32, 8) threads up to 1024 elements in a part and of (256, 1) beyond; where there is more than one part, batch_norm_figures
// and batch_norm_totals join them. These, batch_norm and batch_norm_grad: blocks of 256 threads, any number of them: as many as
// there are channels, or elements. The _planes forms are for planes of many pixels: blocks of 256 threads, any number of them along x,
// which share a plane's pixels, and along y, which share the planes.
// dtypes: f32 f64 f16 bf16
#include "params.cuh"
#include "reduction.cuh"
#include "math.cuh"

// A Part is the share of a row of threads: elements from first up to end of a channel, counted through all images.
struct Part {
	u64 channel, first, end;
};

INLINE u64 countOf(const BatchNorm &p) { return p.images * p.pixels; }

INLINE Part partOf(const BatchNorm &p, u64 channel, u64 part) {
	u64 count = countOf(p), each = (count + p.parts - 1) / p.parts, first = part * each;
	first = first < count ? first : count;
	return {channel, first, count - first < each ? count : first + each};
}

#define MANY_PIXELS 256 // of a plane, from which a row of threads takes plane after plane
#define HELD (64 / sizeof(T)) // elements of an operand that a thread holds at a time

// A Handful is what a thread holds of two operands: those whose bits are set.
struct Handful {
	T a[HELD], b[HELD];
	u32 inside;

	__device__ __attribute__((always_inline)) bool has(int e) const { return inside >> e & 1; }
};

INLINE T elementOr(u64 base, i64 at, bool there) { return there && base != 0 ? read(base, at) : (T)0; }

// holdWhole holds groups that are a row of threads apart.
INLINE void holdWhole(Handful &h, u64 a, u64 b, i64 at) {
	renew(at);
#pragma unroll
	for (int g = 0; g < HELD / GROUP; g++, at += blockDim.x * GROUP) {
		Lanes<Stored, GROUP> v = Lanes<Stored, GROUP>::load(a, at), w = v;
		if (b != 0) {
			w = Lanes<Stored, GROUP>::load(b, at);
		}
#pragma unroll
		for (int lane = 0; lane < GROUP; lane++) {
			h.a[g * GROUP + lane] = wide(v.at(lane));
			h.b[g * GROUP + lane] = wide(w.at(lane));
		}
	}
}

// each calls body with a part's elements of a, and of b where that is not 0, by the handful. Of planes of many pixels threads take groups
// of neighbours.
template <class Body> INLINE void each(const BatchNorm &p, const Part &part, u64 a, u64 b, Body body) {
	Handful h;
	if (p.pixels < MANY_PIXELS) {
#pragma unroll 1
		for (u64 first = part.first + threadIdx.x; first < part.end; first += HELD * blockDim.x) {
			h.inside = 0;
#pragma unroll
			for (int e = 0; e < HELD; e++) {
				u64 k = first + e * blockDim.x, image = divided(k, p.pixels);
				i64 at = (i64)((image * p.channels + part.channel) * p.pixels + (k - image * p.pixels));
				h.inside |= (k < part.end ? 1u : 0u) << e;
				h.a[e] = elementOr(a, at, k < part.end);
				h.b[e] = elementOr(b, at, k < part.end);
			}
			body(h);
		}
		return;
	}
#pragma unroll 1
	for (u64 k = part.first; k < part.end;) {
		u64 image = k / p.pixels, first = k - image * p.pixels, next = (image + 1) * p.pixels;
		u64 left = (next < part.end ? next : part.end) - k;
		u32 count = left < 1u << 31 ? (u32)left : 1u << 31; // numbers of 32 bits take half as many registers
		i64 start = (i64)((image * p.channels + part.channel) * p.pixels + first);
		bool whole = isWhole(a, start, 1) && (b == 0 || isWhole(b, start, 1));
#pragma unroll 1
		for (u32 i = threadIdx.x * GROUP; i < count; i += blockDim.x * HELD) {
			h.inside = ~0u;
			if (whole && i + (HELD / GROUP - 1) * blockDim.x * GROUP + GROUP <= count) {
				holdWhole(h, a, b, start + (i64)i);
				body(h);
				continue;
			}
			h.inside = 0;
#pragma unroll
			for (int e = 0; e < HELD; e++) {
				u32 at = i + e / GROUP * blockDim.x * GROUP + e % GROUP;
				h.inside |= (at < count ? 1u : 0u) << e;
				h.a[e] = elementOr(a, start + (i64)at, at < count);
				h.b[e] = elementOr(b, start + (i64)at, at < count);
			}
			body(h);
		}
		k += count;
	}
}

// PARTS_KERNEL starts a kernel of parts. It says how many blocks have registers: the assembler by itself spills some for more.
#define PARTS_KERNEL(name) KERNEL_OF(JOIN(name, DTYPE), 256, 3)

// The two numbers of a part that one kernel stores and the next reads.
INLINE void keep(const BatchNorm &p, u64 at, f64 a, f64 b) {
	store<f64>(p.sums, (i64)(2 * at), a);
	store<f64>(p.sums, (i64)(2 * at + 1), b);
}
INLINE f64 first(const BatchNorm &p, u64 at) { return load<f64>(p.sums, (i64)(2 * at)); }
INLINE f64 second(const BatchNorm &p, u64 at) { return load<f64>(p.sums, (i64)(2 * at + 1)); }

// follow updates a running statistic by that of a batch, with the momentum.
INLINE void follow(const BatchNorm &p, u64 running, i64 at, T batch) {
	store<T>(running, at, (T)(p.momentum * (f64)batch + (1 - p.momentum) * (f64)load<T>(running, at)));
}

// figures writes a channel's statistics, mean and 1/√(variance + eps), of the mean and the sum of the squared distances from it.
INLINE void figures(const BatchNorm &p, u64 c, f64 mean, f64 squares) {
	f64 count = (f64)(i64)countOf(p);
	store<T>(p.mean, (i64)c, (T)mean);
	store<T>(p.invstd, (i64)c, (T)(1 / sqrt(squares / count + p.eps)));
	if (p.runningMean != 0) {
		follow(p, p.runningMean, (i64)c * p.steps[0], (T)mean);
		follow(p, p.runningVar, (i64)c * p.steps[1], (T)(squares / (count - 1)));
	}
}

// A Spread is the sum of a thread's elements and of their squares about the part's first element. In the elements' type they are taken about
// what is nearly a handful's mean, so that little is rounded away; float64 moves them from there. So a part is read once, and nothing cancels.
struct Spread {
	f64 sum, squares;

	__device__ __attribute__((always_inline)) void take(const Handful &h, f64 about) {
		T total = 0, rest = 0, around = 0;
		u32 n = h.inside == ~0u ? HELD : (u32)__builtin_popcount(h.inside);
#pragma unroll
		for (int e = 0; e < HELD; e++) {
			total += h.a[e]; // 0 where there is none
		}
		T mean = total / (T)n;
#pragma unroll
		for (int e = 0; e < HELD; e++) {
			T distance = h.has(e) ? h.a[e] - mean : (T)0;
			rest += distance;
			around += distance * distance;
		}
		f64 away = (f64)mean - about, weighed = (f64)n * away;
		sum += weighed + (f64)rest;
		squares += (f64)around + away * (weighed + 2 * (f64)rest);
	}
};

PARTS_KERNEL(batch_norm_moments)(const BatchNorm p) {
	u64 r = row(), c = r / p.parts;
	if (c >= p.channels) {
		return;
	}
	Part part = partOf(p, c, r - c * p.parts);
	u64 image = part.first / p.pixels;
	f64 count = (f64)(i64)(part.end - part.first);
	f64 about = part.first < part.end ? (f64)read(p.x, (i64)((image * p.channels + c) * p.pixels + (part.first - image * p.pixels))) : 0;
	about = about - about == 0 ? about : 0; // finite
	Spread s = {};
	each(p, part, p.x, 0, [&](const Handful &h) { s.take(h, about); });
	f64 away = joinRow<Total<f64>>(s.sum) / count, squares = joinRow<Total<f64>>(s.squares) - count * away * away;
	squares = squares < 0 ? 0 : squares;
	if (threadIdx.x != 0) {
		return;
	}
	r = rowAgain(), c = r / p.parts;
	if (p.parts == 1) {
		figures(p, c, about + away, squares);
	} else {
		keep(p, r, about + away, squares);
	}
}

// The statistics of a channel: in training those of its parts combined, else the running ones.
ROW_KERNEL(batch_norm_figures, 256)(const BatchNorm p) {
#pragma unroll 1
	for (u64 c = thread(); c < p.channels; c += threads()) {
		if (!p.training) {
			store<T>(p.mean, (i64)c, load<T>(p.runningMean, (i64)c * p.steps[0]));
			store<T>(p.invstd, (i64)c, (T)(1 / sqrt((f64)load<T>(p.runningVar, (i64)c * p.steps[1]) + p.eps)));
			continue;
		}
		auto each = [&](auto body) {
#pragma unroll 1
			for (u64 k = 0; k < p.parts; k++) {
				Part part = partOf(p, c, k);
				if (part.first < part.end) {
					body(c * p.parts + k, (f64)(i64)(part.end - part.first));
				}
			}
		};
		f64 sum = 0, squares = 0;
		each([&](u64 at, f64 n) { sum += n * first(p, at); });
		f64 mean = sum / (f64)(i64)countOf(p);
		each([&](u64 at, f64 n) {
			f64 distance = first(p, at) - mean;
			squares += second(p, at) + n * distance * distance;
		});
		figures(p, c, mean, squares);
	}
}

// eachOfPlane stores what value makes of the elements of a plane in a, and in b where that is not 0, groups of neighbours at a time.
template <class Value> INLINE void eachOfPlane(const BatchNorm &p, u64 plane, u64 out, u64 a, u64 b, Value value) {
	i64 start = (i64)(plane * p.pixels);
	bool whole = isWhole(out, start, 1) && isWhole(a, start, 1) && (b == 0 || isWhole(b, start, 1));
	u64 end = whole ? p.pixels / GROUP * GROUP : 0;
#pragma unroll 1
	for (u64 i = thread() * GROUP; i < end; i += threads() * GROUP) {
		Lanes<Stored, GROUP> v = Lanes<Stored, GROUP>::load(a, start + (i64)i), w = v, results;
		if (b != 0) {
			w = Lanes<Stored, GROUP>::load(b, start + (i64)i);
		}
#pragma unroll
		for (int lane = 0; lane < GROUP; lane++) {
			results.put(lane, Cast<Stored>::of(value(wide(v.at(lane)), wide(w.at(lane)))));
		}
		results.store(out, start + (i64)i);
	}
#pragma unroll 1
	for (u64 i = end + thread(); i < p.pixels; i += threads()) {
		write(out, start + (i64)i, value(read(a, start + (i64)i), elementOr(b, start + (i64)i, true)));
	}
}

// channelOf is the channel of an element; 64 bits take several times as long to divide.
INLINE u64 channelOf(const BatchNorm &p, u64 i) {
	return (i | p.pixels | p.channels) >> 32 == 0 ? (u32)i / (u32)p.pixels % (u32)p.channels : i / p.pixels % p.channels;
}

// y = (x - mean) · invstd · weight + bias
ROW_KERNEL(batch_norm_planes, 256)(const BatchNorm p) {
#pragma unroll 1
	for (u64 plane = blockIdx.y; plane < p.images * p.channels; plane += gridDim.y) {
		i64 c = (i64)(plane % p.channels);
		T scale = load<T>(p.invstd, c), mean = load<T>(p.mean, c), shift = p.bias != 0 ? load<T>(p.bias, c) : (T)0;
		if (p.weight != 0) {
			scale *= load<T>(p.weight, c);
		}
		eachOfPlane(p, plane, p.y, p.x, 0, [&](T x, T) { return (x - mean) * scale + shift; });
	}
}

ROW_KERNEL(batch_norm, 256)(const BatchNorm p) {
#pragma unroll 1
	for (u64 i = thread(); i < countOf(p) * p.channels; i += threads()) {
		i64 c = (i64)channelOf(p, i);
		T scale = load<T>(p.invstd, c), shift = p.bias != 0 ? load<T>(p.bias, c) : (T)0;
		if (p.weight != 0) {
			scale *= load<T>(p.weight, c);
		}
		write(p.y, (i64)i, (read(p.x, (i64)i) - load<T>(p.mean, c)) * scale + shift);
	}
}

// totals writes the gradients of weight and bias, of Σ dy and Σ dy·(x - mean), and keeps what the gradient of x takes from
// both: per element, and zero in evaluation.
INLINE void totals(const BatchNorm &p, u64 c, f64 sum, f64 dot) {
	f64 count = (f64)(i64)countOf(p), r = count != 0 ? (f64)load<T>(p.invstd, (i64)c) : 0;
	store<T>(p.dweight, (i64)c, (T)(dot * r));
	store<T>(p.dbias, (i64)c, (T)sum);
	if (p.training) {
		keep(p, c * p.parts, sum / count, dot * r * r / count);
	} else {
		keep(p, c * p.parts, 0, 0);
	}
}

PARTS_KERNEL(batch_norm_sums)(const BatchNorm p) {
	u64 r = row(), c = r / p.parts;
	if (c >= p.channels) {
		return;
	}
	Part part = partOf(p, c, r - c * p.parts);
	T mean = load<T>(p.mean, (i64)c);
	f64 sum = 0, dot = 0;
	each(p, part, p.dy, p.x, [&](const Handful &h) {
		T dys = 0, dots = 0;
#pragma unroll
		for (int e = 0; e < HELD; e++) {
			dys += h.a[e]; // 0 where there is none
			dots += h.a[e] * (h.b[e] - mean);
		}
		sum += (f64)dys;
		dot += (f64)dots;
	});
	sum = joinRow<Total<f64>>(sum);
	dot = joinRow<Total<f64>>(dot);
	if (threadIdx.x != 0) {
		return;
	}
	r = rowAgain(), c = r / p.parts;
	if (p.parts == 1) {
		totals(p, c, sum, dot);
	} else {
		keep(p, r, sum, dot);
	}
}

ROW_KERNEL(batch_norm_totals, 256)(const BatchNorm p) {
#pragma unroll 1
	for (u64 c = thread(); c < p.channels; c += threads()) {
		f64 sum = 0, dot = 0;
#pragma unroll 1
		for (u64 at = c * p.parts; at < (c + 1) * p.parts; at++) {
			sum += first(p, at);
			dot += second(p, at);
		}
		totals(p, c, sum, dot);
	}
}

// A Slope is what makes dx = invstd · weight · (dy - shift - (x - mean) · slope), with the shares that totals kept.
struct Slope {
	T scale, mean, shift, slope;

	INLINE Slope of(const BatchNorm &p, u64 c) {
		T scale = load<T>(p.invstd, (i64)c) * (p.weight != 0 ? load<T>(p.weight, (i64)c) : (T)1);
		return {scale, load<T>(p.mean, (i64)c), (T)first(p, c * p.parts), (T)second(p, c * p.parts)};
	}
	__device__ __attribute__((always_inline)) T dx(T dy, T x) const { return scale * (dy - shift - (x - mean) * slope); }
};

ROW_KERNEL(batch_norm_grad_planes, 256)(const BatchNorm p) {
#pragma unroll 1
	for (u64 plane = blockIdx.y; plane < p.images * p.channels; plane += gridDim.y) {
		Slope s = Slope::of(p, plane % p.channels);
		eachOfPlane(p, plane, p.dx, p.dy, p.x, [&](T dy, T x) { return s.dx(dy, x); });
	}
}

ROW_KERNEL(batch_norm_grad, 256)(const BatchNorm p) {
#pragma unroll 1
	for (u64 i = thread(); i < countOf(p) * p.channels; i += threads()) {
		Slope s = Slope::of(p, channelOf(p, i));
		write(p.dx, (i64)i, s.dx(read(p.dy, (i64)i), read(p.x, (i64)i)));
	}
}
