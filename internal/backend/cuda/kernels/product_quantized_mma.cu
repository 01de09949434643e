// Products of up to 128 rows of a half type with a quantized weight on tensor cores: rows of the weight are those of an operand a whose numbers become halves in registers,
// exactly, and rows of x the columns of b. What counts is how much of the weight is on its way, which memory gives once, and the cache for each 8 * TILES rows.
//
// Every kernel takes Quantized, with x and the weight aligned for 16 bytes and k a multiple of 16: product_quantized_mma_8_TILES, or product_quantized_mma_4_GROUP_TILES for groups of
// so many, computes 8 * TILES rows. 8 warps of a block share the common axis, and their sums are added in their order. A lane loads neighbours along
// the common axis, which is permuted alike for both operands. Scales multiply sums, of int4 those of each group. Grid: a block of 256 threads for each 16
// columns where TILES is 1, else for 32, and each 8 * TILES rows of x.
// dtypes: bf16 f16
// target: sm_80 ptx74
#include "fragments.cuh"
#include "quantized.cuh"
#include "result.cuh"
#include "vector.cuh"

static const int WARPS = 8;

#if defined(DTYPE_bf16)
#define ONES 0x3f803f80u
#define BASE 0x43004300u // 128, whose last bits count ones
#else
#define ONES 0x3c003c00u
#define BASE 0x64006400u // 1024
#endif
#define MINUS 0x80008000u

// plus adds two halves to two, exactly where they are whole numbers of few bits.
INLINE u32 plus(u32 v, u32 w) {
	u32 sum;
	asm("fma.rn." HALF "x2 %0, %1, %2, %3;" : "=r"(sum) : "r"(v), "r"(ONES), "r"(w));
	return sum;
}

INLINE u32 picked(u32 low, u32 high, u32 bytes) {
	u32 v;
	asm("prmt.b32 %0, %1, %2, %3;" : "=r"(v) : "r"(low), "r"(high), "r"(bytes));
	return v;
}

// int8s is two of a word's numbers of int8, the first two or the others: of bfloat16, which has 7 bits behind the first, by the low 7 bits less the highest.
INLINE u32 int8s(u32 word, int pair) {
#if defined(DTYPE_bf16)
	u32 v = picked(word, BASE, pair ? 0x5352 : 0x5150);
	return plus(v & 0xff7fff7f, (v & 0xff80ff80) | MINUS);
#else
	return plus(picked(word ^ 0x80808080, BASE, pair ? 0x5352 : 0x5150), 0xe480e480); // less 1152
#endif
}

// int4s is numbers i and i+4 of a word, less a zero point that less has.
INLINE u32 int4s(u32 word, int i, u32 less) { return plus((word >> 4 * i & 0x000f000f) | BASE, less); }

template <int BITS, int GROUP, int TILES> struct Thin {
	static const int HIGH = TILES == 1 ? 1 : 2;                    // 16 rows of the weight each
	static const int DEEP = BITS == 8 ? 64 : GROUP;                // of the common axis in a step
	static const int COUNT = DEEP * BITS / 128, AHEAD = 8 / HIGH / COUNT; // words of a lane in a step and a row, and steps on their way
	using Held = typename Words<4 * COUNT>::Type;

	static const int LOADS = DEEP / 32; // of 8 neighbours of x, of a lane in a step

	const Quantized &p;
	u32 k, g, c;
	u64 w[2 * HIGH], x[TILES], scale[2 * HIGH], zero[2 * HIGH]; // of what comes next
	u32 shift[2 * HIGH];
	FragmentC sums[HIGH][TILES] = {};

	__device__ __attribute__((always_inline)) Thin(const Quantized &p) : p(p), k((u32)p.k), g(threadIdx.x % 32 / 4), c(threadIdx.x % 4) {
		Place at = placeOf<8 * TILES, 16 * HIGH>(p, thisBlock()); // those beside each other share what they read of the weight
		u32 first = threadIdx.x / 32 * DEEP * AHEAD, from = first + c * (DEEP / 4);
#pragma unroll
		for (int i = 0; i < 2 * HIGH; i++) {
			u32 row = min(at.n + i * 8 + g, (u32)p.n - 1);
			w[i] = p.w + ((u64)row * k + from) * BITS / 8;
			if constexpr (BITS == 4) {
				u32 groups = k / GROUP, group = first / GROUP;
				scale[i] = p.scale + ((u64)row * groups + group) * 4;
				zero[i] = p.zero + ((u64)(row / 8) * groups + group) * 4;
				shift[i] = row % 8 * 4;
			}
		}
#pragma unroll
		for (int t = 0; t < TILES; t++) {
			x[t] = p.x + ((u64)min(at.m + t * 8 + g, (u32)p.m - 1) * k + from) * 2;
		}
	}

	// add goes through the common axis.
	__device__ __attribute__((always_inline)) void add() {
		const u32 ALL = WARPS * DEEP * AHEAD;
		u32 beyond = BITS == 8 ? c * (DEEP / 4) : 0; // a step of int4 is inside as a whole
#pragma unroll 1
		for (u32 at = threadIdx.x / 32 * DEEP * AHEAD; at < k; at += ALL) {
			Held held[AHEAD][2 * HIGH];
#pragma unroll
			for (int s = 0; s < AHEAD; s++) {
#pragma unroll
				for (int i = 0; i < 2 * HIGH; i++) {
					held[s][i] = at + s * DEEP + beyond < k ? load<Held>(w[i] + s * DEEP * BITS / 8, 0) : Held{};
				}
			}
#pragma unroll
			for (int s = 0; s < AHEAD; s++) {
				if (at + s * DEEP < k) {
					step(held[s], s, at + s * DEEP + beyond < k);
				}
			}
#pragma unroll
			for (int i = 0; i < 2 * HIGH; i++) {
				w[i] += ALL * BITS / 8;
				if constexpr (BITS == 4) {
					scale[i] += ALL / GROUP * 4;
					zero[i] += ALL / GROUP * 4;
				}
			}
#pragma unroll
			for (int t = 0; t < TILES; t++) {
				x[t] += ALL * 2;
			}
		}
	}

	// step adds the products of DEEP neighbours, the s-th of those that are there.
	__device__ __attribute__((always_inline)) void step(const Held (&held)[2 * HIGH], int s, bool inside) {
		uint4 xs[TILES][LOADS];
#pragma unroll
		for (int t = 0; t < TILES; t++) {
#pragma unroll
			for (int l = 0; l < LOADS; l++) {
				xs[t][l] = inside ? load<uint4>(x[t] + s * DEEP * 2, l) : uint4{};
			}
		}
		if constexpr (BITS == 8) {
			bytes(held, xs);
		} else {
			group(held, xs, s);
		}
	}

	__device__ __attribute__((always_inline)) void bytes(const Held (&held)[2 * HIGH], const uint4 (&xs)[TILES][LOADS]) {
#pragma unroll
		for (int i = 0; i < COUNT; i++) {
#pragma unroll
			for (int h = 0; h < HIGH; h++) {
				u32 up = held[2 * h][i], down = held[2 * h + 1][i];
				FragmentA a = {{int8s(up, 0), int8s(down, 0), int8s(up, 1), int8s(down, 1)}};
#pragma unroll
				for (int t = 0; t < TILES; t++) {
					u32 b[2] = {xs[t][i / 2][i % 2 * 2], xs[t][i / 2][i % 2 * 2 + 1]};
					multiplyAdd(sums[h][t], a, b);
				}
			}
		}
	}

	__device__ __attribute__((always_inline)) void group(const Held (&held)[2 * HIGH], const uint4 (&xs)[TILES][LOADS], int s) {
		FragmentC parts[HIGH][TILES] = {};
		f32 scales[2 * HIGH];
		u32 less[2 * HIGH];
#pragma unroll
		for (int i = 0; i < 2 * HIGH; i++) {
			scales[i] = load<f32>(scale[i], s);
			u32 zeros = p.zero != 0 ? load<u32>(zero[i], s) : 0x88888888;
			less[i] = (BASE | MINUS) + (zeros >> shift[i] & 15) * 0x10001;
		}
#pragma unroll
		for (int i = 0; i < COUNT; i++) {
#pragma unroll
			for (int pair = 0; pair < 2; pair++) { // numbers 0 and 4, 1 and 5; 2 and 6, 3 and 7
				u32 b[TILES][2];
#pragma unroll
				for (int t = 0; t < TILES; t++) {
					b[t][0] = picked(xs[t][i][pair], xs[t][i][pair + 2], 0x5410);
					b[t][1] = picked(xs[t][i][pair], xs[t][i][pair + 2], 0x7632);
				}
#pragma unroll
				for (int h = 0; h < HIGH; h++) {
					u32 up = held[2 * h][i], down = held[2 * h + 1][i];
					FragmentA a = {{int4s(up, 2 * pair, less[2 * h]), int4s(down, 2 * pair, less[2 * h + 1]), int4s(up, 2 * pair + 1, less[2 * h]), int4s(down, 2 * pair + 1, less[2 * h + 1])}};
#pragma unroll
					for (int t = 0; t < TILES; t++) {
						multiplyAdd(parts[h][t], a, b[t]);
					}
				}
			}
		}
#pragma unroll
		for (int h = 0; h < HIGH; h++) {
#pragma unroll
			for (int t = 0; t < TILES; t++) {
#pragma unroll
				for (int i = 0; i < 4; i++) {
					sums[h][t].v[i] = fma(scales[2 * h + i / 2], parts[h][t].v[i], sums[h][t].v[i]);
				}
			}
		}
	}

	// end adds the warps' sums and stores what they make.
	__device__ __attribute__((always_inline)) void end() {
		const int COLUMNS = 8 * TILES, ALL = 16 * HIGH * COLUMNS;
		__shared__ f32 sides[WARPS][ALL];
#pragma unroll
		for (int h = 0; h < HIGH; h++) {
#pragma unroll
			for (int t = 0; t < TILES; t++) {
#pragma unroll
				for (int i = 0; i < 4; i++) {
					sides[threadIdx.x / 32][(t * 8 + c * 2 + i % 2) * 16 * HIGH + h * 16 + g + i / 2 * 8] = sums[h][t].v[i];
				}
			}
		}
		__syncthreads();
		Place at = placeOf<COLUMNS, 16 * HIGH>(p, thisBlock());
#pragma unroll 1
		for (u32 i = threadIdx.x; i < ALL; i += WARPS * 32) {
			u32 m = at.m + i / (16 * HIGH), n = at.n + i % (16 * HIGH);
			f32 sum = 0;
#pragma unroll
			for (int w = 0; w < WARPS; w++) {
				sum += sides[w][i];
			}
			if (m < p.m && n < p.n) {
				storeResult(p, m, n, BITS == 8 ? sum * load<f32>(p.scale, n) : sum);
			}
		}
	}
};

template <int BITS, int GROUP, int TILES> INLINE void thin(const Quantized &p) {
	Thin<BITS, GROUP, TILES> t(p);
	t.add();
	t.end();
}

#define EACH_TILES(kernel, ...) kernel(__VA_ARGS__, 1) kernel(__VA_ARGS__, 2) kernel(__VA_ARGS__, 4)
#define INT8(bits, tiles) \
	KERNEL_OF(JOIN(product_quantized_mma_8_##tiles, DTYPE), 256, 5 / tiles)(const Quantized p) { thin<8, 0, tiles>(p); }
#define INT4(group, tiles) \
	KERNEL_OF(JOIN(product_quantized_mma_4_##group##_##tiles, DTYPE), 256, 4 / tiles)(const Quantized p) { thin<4, group, tiles>(p); }

EACH_TILES(INT8, 8)
EACH_TILES(INT4, 32)
EACH_TILES(INT4, 64)
EACH_TILES(INT4, 128)
