// Random draws from the generator Philox 4x32-10, each element with the number that PyTorch gives it on a GPU.
//
// Every kernel takes Draw. Grid: blocks of 256 threads, min(⌈n/256⌉, multiprocessors · ⌊threads per multiprocessor / 256⌋) of
// them: the grid decides the numbers. A call uses up 4 · (⌊(n-1) / (threads · lanes)⌋ + 1) of the offset, with 4 lanes, or 2
// for float64 and wide RandInt. bernoulli_each differs: blocks of 512 threads, min(⌈n/2048⌉, multiprocessors ·
// ⌊threads per multiprocessor / 512⌋) of them, 12 of the offset.
// dtypes: f32 f64 i64 i32 u8 bool i8 i16 f16 bf16
#include "dtype.cuh"
#include "half.cuh"
#include "fault.cuh"
#include "philox.cuh"
#include "trig64.cuh"

// Elements are drawn as T and kept as Kept: half types are drawn in float32 and rounded once, small integers are cut.
#if defined(DTYPE_f16) || defined(DTYPE_bf16)
using T = f32;
using Kept = DTYPE;
#define FLOATS 1
#elif defined(DTYPE_i8) || defined(DTYPE_i16)
using T = i32;
using Kept = DTYPE;
#else
using Kept = T;
#endif

INLINE T element(u64 base, u64 i) { return wide(load<Kept>(base, (i64)i)); }
INLINE void write(u64 base, u64 i, T v) { store<Kept>(base, (i64)i, Cast<Kept>::of(v)); }

// kept is what a number is once it was kept.
INLINE T kept(T v) { return wide(Cast<Kept>::of(v)); }

// Uniform numbers in (0, 1] of 32 or 53 bits.
INLINE f32 uniform32(u32 w) { return fma((f32)w, 0x1p-32f, 0x1p-33f); }
INLINE f64 uniform64(u32 low, u32 high) { return (f64)(low ^ (u64)high << 21) * 0x1p-53 + 0x1p-54; }

// draws calls body with the elements of this thread and the words of each: four draws of a word or two of a pair.
template <int LANES, class Body> INLINE void draws(const Draw &p, Body body) {
	u64 counter = p.offset / 4;
#pragma unroll 1
	for (u64 at = thread(); at < p.n; at += LANES * threads()) {
		Words w = philox(p.seed, counter++, thread());
		body(at, w);
	}
}

// put stores draw number lane of the four or two that start at an element.
INLINE void put(const Draw &p, u64 at, int lane, T v) {
	u64 i = at + lane * threads();
	if (i < p.n) {
		write(p.out, i, v);
	}
}

// uniforms calls f with a uniform number of each element, float64 for float64 and float32 for all else.
template <class F> INLINE void uniforms(const Draw &p, F f) {
#if defined(DTYPE_f64)
	draws<2>(p, [&](u64 at, Words w) {
		put(p, at, 0, f(uniform64(w.x, w.y)));
		put(p, at, 1, f(uniform64(w.z, w.w)));
	});
#else
	draws<4>(p, [&](u64 at, Words w) {
		put(p, at, 0, f(uniform32(w.x)));
		put(p, at, 1, f(uniform32(w.y)));
		put(p, at, 2, f(uniform32(w.z)));
		put(p, at, 3, f(uniform32(w.w)));
	});
#endif
}

// 1 with probability a.
ROW_KERNEL(bernoulli, 256)(const Draw p) {
	uniforms(p, [&](auto u) { return (T)((f64)u < p.a); });
}

// low + a word modulo range.
ROW_KERNEL(randint, 256)(const Draw p) {
	if (p.wide) {
		draws<2>(p, [&](u64 at, Words w) {
			put(p, at, 0, (T)((i64)(((u64)w.x << 32 | w.y) % p.range) + p.low));
			put(p, at, 1, (T)((i64)(((u64)w.z << 32 | w.w) % p.range) + p.low));
		});
		return;
	}
	u32 range = (u32)p.range;
	draws<4>(p, [&](u64 at, Words w) {
		put(p, at, 0, (T)((i64)(w.x % range) + p.low));
		put(p, at, 1, (T)((i64)(w.y % range) + p.low));
		put(p, at, 2, (T)((i64)(w.z % range) + p.low));
		put(p, at, 3, (T)((i64)(w.w % range) + p.low));
	});
}

#if FLOATS
// Between a, included, and b, excluded.
ROW_KERNEL(uniform, 256)(const Draw p) {
	T low = kept((T)p.a), high = kept((T)p.b), range = kept(high - low);
	uniforms(p, [&](T u) {
		T v = kept(fma(u, range, low));
		return v == high ? low : v;
	});
}

// Of rate a.
ROW_KERNEL(exponential, 256)(const Draw p) {
	const T least = sizeof(T) == 4 ? (T)-0x1p-24 : (T)-0x1p-53; // half an epsilon, so that 0 is never drawn
	uniforms(p, [&](T u) { return -1 / (T)p.a * (u >= 1 + least ? least : log(u)); });
}

// Of mean a and standard deviation b, by Box and Muller: a pair of draws makes a pair of numbers.
// Of float64 it says how many blocks have registers: the assembler by itself spills some for more.
KERNEL_OF(JOIN(normal, DTYPE), 256, sizeof(T) == 8 ? 4 : 0)(const Draw p) {
	T mean = (T)p.a, deviation = (T)p.b;
#if defined(DTYPE_f64)
	draws<2>(p, [&](u64 at, Words w) {
		f64 radius = sqrt(-2 * log(uniform64(w.x, w.y)));
		f64 turn = (f64)(w.z ^ (u64)w.w << 21) * 0x1p-52 + 0x1p-53; // in units of pi
		f64 quarter = rint(2 * turn);
		f64 rest = turn - 0.5 * quarter, head = rest * 0x1.921fb54442d18p+1;
		Quadrant q = {(u64)quarter, head, fma(rest, 0x1.921fb54442d18p+1, -head) + rest * 0x1.1a62633145c07p-53};
		put(p, at, 0, fma(radius * sine(q), deviation, mean));
		q.n++;
		put(p, at, 1, fma(radius * sine(q), deviation, mean));
	});
#else
	draws<4>(p, [&](u64 at, Words w) {
		const f32 turn = 0x1.921fb6p-30f; // 2 pi / 2**32
		f32 radius = sqrt(-2 * log(uniform32(w.x))), angle = fma((f32)w.y, turn, turn / 2);
		put(p, at, 0, fma(radius * sin(angle), deviation, mean));
		put(p, at, 1, fma(radius * cos(angle), deviation, mean));
		if (at + 2 * threads() >= p.n) {
			return; // as for every tensor of ordinary size
		}
		radius = sqrt(-2 * log(uniform32(w.z))), angle = fma((f32)w.w, turn, turn / 2);
		put(p, at, 2, fma(radius * sin(angle), deviation, mean));
		put(p, at, 3, fma(radius * cos(angle), deviation, mean));
	});
#endif
}

// 1 with the probability of each element of in: four neighbours to a thread, and in every round of it the same words.
ROW_KERNEL(bernoulli_each, 512)(const Draw p) {
	Words w = philox(p.seed, p.offset / 4, thread());
	u32 words[4] = {w.x, w.y, w.z, w.w};
#pragma unroll 1
	for (u64 first = 4 * thread(); first < p.n; first += 4 * threads()) {
		int wrong = 4; // which of the four is the first that is none
#pragma unroll
		for (int k = 0; k < 4; k++) {
			if (first + k < p.n) {
				T probability = element(p.in, first + k);
				wrong = wrong == 4 && !(probability >= 0 && probability <= 1) ? k : wrong;
				write(p.out, first + k, (T)(uniform32(words[k]) <= probability));
			}
		}
		if (wrong < 4) {
			report(p.report, PROBABILITY_FAULT, 0, 0, (i64)first + wrong);
		}
	}
}

// dropped is in · mask / a, where mask is 1 with probability a, added to residuals of the type R where there are any: then what is left is rounded first, as it
// is where another kernel adds. Threads have width neighbours; with a width of 1, elements as all draws.
template <class R> INLINE void dropped(const Draw &p) {
	T keep = (T)p.a, scale = (T)(1.0 / (f64)keep);
	auto drop = [&](u64 i, u32 word) {
		T mask = uniform32(word) < keep, left = element(p.in, i) * mask * scale;
		if (p.residual != 0) {
			left = kept(left) + wide(load<R>(p.residual, (i64)i));
		}
		store<R>(p.out, (i64)i, Cast<R>::of(left));
		store<u8>(p.mask, (i64)i, mask != 0);
	};
	// A thread's four words go to neighbours, to two pairs of them, or to four elements a grid apart.
	u64 counter = p.offset / 4, step = p.width == 1 ? threads() : 1, second = p.width == 2 ? 2 * threads() : 2 * step;
#pragma unroll 1
	for (u64 first = thread() * p.width; first < p.n; first += 4 * threads()) {
		Words w = philox(p.seed, counter++, thread());
		u64 at[4] = {first, first + step, first + second, first + second + step};
		u32 words[4] = {w.x, w.y, w.z, w.w};
#pragma unroll
		for (int k = 0; k < 4; k++) {
			if (at[k] < p.n) {
				drop(at[k], words[k]);
			}
		}
	}
}

ROW_KERNEL(dropout, 256)(const Draw p) { dropped<Kept>(p); }
#if defined(DTYPE_f16) || defined(DTYPE_bf16)
// Elements of a half type, added to residuals of float32.
ROW_KERNEL(dropout_widening, 256)(const Draw p) { dropped<f32>(p); }
#endif
#endif
