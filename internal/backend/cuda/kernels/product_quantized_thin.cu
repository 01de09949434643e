// Products of few rows with a quantized weight, which is read once: what counts is how much of it is on its way.
//
// Every kernel takes Quantized, and product_quantized_thin_BITS_ROWS computes so many rows. A block computes 4 columns, which are rows of the weight: a lane loads 16 bytes
// of each, whose numbers become float32 in registers, up to 4 warps those of all. Sums are float32, of int4 those of a lane's 32 numbers before they are
// scaled. x and the weight are aligned for 16 bytes. Grid: a block of 32 to 128 threads for each 4 columns and, first, each so many rows.
// dtypes: f32 bf16 f16
#include "quantized.cuh"

static const int HIGH = 4;

// xs loads 4 neighbours of each of the block's rows of x; of LOOSE ones so many are inside.
template <bool LOOSE, int ROWS> INLINE void xs(Four (&to)[ROWS], const u64 (&rows)[ROWS], u32 k, u32 inside) {
#pragma unroll
	for (int r = 0; r < ROWS; r++) {
		if constexpr (LOOSE) {
#pragma unroll
			for (u32 i = 0; i < 4; i++) {
				to[r][i] = i < inside ? element(rows[r], k + i) : 0;
			}
		} else {
			to[r] = fours(rows[r] + (u64)k * sizeof(E));
		}
	}
}

// add8 adds products of a lane's 16 numbers of int8.
template <bool LOOSE, int ROWS> INLINE void add8(f32 (&sums)[HIGH][ROWS], const uint4 (&ws)[HIGH], const u64 (&rows)[ROWS], u32 k, u32 inside) {
#pragma unroll
	for (u32 i = 0; i < 16; i += 4) {
		Four x[ROWS];
		xs<LOOSE>(x, rows, k + i, i < inside ? inside - i : 0);
#pragma unroll
		for (int h = 0; h < HIGH; h++) {
			u32 turned = ws[h][i / 4] ^ 0x80808080;
			Four w = {number(turned, 0), number(turned, 1), number(turned, 2), number(turned, 3)};
#pragma unroll
			for (int j = 0; j < 4; j++) {
#pragma unroll
				for (int r = 0; r < ROWS; r++) {
					sums[h][r] = fma(w[j], x[r][j], sums[h][r]);
				}
			}
		}
	}
}

// ahead is how many bits a number of 4 bits, the j-th of a word, is moved up: what is left of a shift that 5 or 3 of them share.
constexpr int ahead(int j) { return j % 5 * 4; }

// add4 adds products of a lane's 32 numbers of int4, as they stand: those that are ahead by some bits meet x divided by as much.
template <int ROWS> INLINE void add4(f32 (&sums)[HIGH][ROWS], const uint4 (&ws)[HIGH], const f32 (&zeros)[HIGH], const u64 (&rows)[ROWS], u32 k) {
	f32 less[HIGH][5];
#pragma unroll
	for (int h = 0; h < HIGH; h++) {
#pragma unroll
		for (int j = 0; j < 5; j++) {
			less[h][j] = fma(zeros[h], 1 << 4 * j, 8388608.f);
		}
	}
#pragma unroll
	for (u32 i = 0; i < 32; i += 4) {
		Four x[ROWS];
		xs<false>(x, rows, k + i, 4);
#pragma unroll
		for (int j = 0; j < 4; j++) {
			const int at = i % 8 + j, up = ahead(at);
#pragma unroll
			for (int r = 0; r < ROWS; r++) {
				x[r][j] *= 1.f / (1 << up);
			}
#pragma unroll
			for (int h = 0; h < HIGH; h++) {
				u32 word = at < 5 ? ws[h][i / 8] : ws[h][i / 8] >> 20;
				f32 w = bits<f32>(UNITS | (word & 15u << up)) - less[h][at % 5];
#pragma unroll
				for (int r = 0; r < ROWS; r++) {
					sums[h][r] = fma(w, x[r][j], sums[h][r]);
				}
			}
		}
	}
}

// Thin is a block's rows of x and of the weight.
template <int BITS, int ROWS> struct Thin {
	static const u32 EACH = 128 / BITS; // numbers of 16 bytes
	const Quantized &p;
	u32 m, n, k;
	u64 rows[ROWS], ws[HIGH];
	f32 sums[HIGH][ROWS] = {};

	__device__ __attribute__((always_inline)) Thin(const Quantized &p) : p(p), k((u32)p.k) {
		u32 wide = ((u32)p.m + ROWS - 1) / ROWS;
		m = blockIdx.x % wide * ROWS;
		n = blockIdx.x / wide * HIGH;
#pragma unroll
		for (int r = 0; r < ROWS; r++) {
			rows[r] = p.x + (u64)min(m + r, (u32)p.m - 1) * k * sizeof(E);
		}
#pragma unroll
		for (int h = 0; h < HIGH; h++) {
			ws[h] = p.w + (u64)row(h) * k * BITS / 8;
		}
	}

	__device__ __attribute__((always_inline)) u32 row(int h) const { return min(n + h, (u32)p.n - 1); }

	// add goes through the common axis. Rows of the weight are aligned for 16 bytes, unless they are LOOSE.
	template <bool LOOSE> __device__ __attribute__((always_inline)) void add() {
#pragma unroll 1
		for (u32 at = threadIdx.x * EACH; at < k; at += blockDim.x * EACH) {
			uint4 held[HIGH];
#pragma unroll
			for (int h = 0; h < HIGH; h++) {
				if constexpr (LOOSE) {
					held[h] = words(ws[h] + at, k - at);
				} else {
					held[h] = load<uint4>(ws[h] + (u64)at * BITS / 8, 0);
				}
			}
			if constexpr (BITS == 8) {
				add8<LOOSE>(sums, held, rows, at, k - at);
			} else {
				addGroup(held, at);
			}
		}
	}

	// addGroup adds the products of 32 numbers of one group.
	__device__ __attribute__((always_inline)) void addGroup(const uint4 (&held)[HIGH], u32 at) {
		f32 zeros[HIGH], parts[HIGH][ROWS] = {};
		u32 g = at / (u32)p.group, groups = k / (u32)p.group;
#pragma unroll
		for (int h = 0; h < HIGH; h++) {
			zeros[h] = zeroOf(p, row(h), g, groups);
		}
		add4(parts, held, zeros, rows, at);
#pragma unroll
		for (int h = 0; h < HIGH; h++) {
			f32 scale = load<f32>(p.scale, (i64)row(h) * groups + g);
#pragma unroll
			for (int r = 0; r < ROWS; r++) {
				sums[h][r] = fma(scale, parts[h][r], sums[h][r]);
			}
		}
	}
};

template <int BITS, int ROWS> INLINE void thin(const Quantized &p) {
	Thin<BITS, ROWS> t(p);
	if (BITS == 4 || p.k % 16 == 0) {
		t.template add<false>();
	} else if constexpr (BITS == 8) {
		t.template add<true>();
	}
	reduceBlock(t.sums, [&](u32 h, u32 r, f32 sum) __attribute__((always_inline)) {
		if (t.n + h < p.n && t.m + r < p.m) {
			storeResult(p, t.m + r, t.n + h, BITS == 8 ? sum * load<f32>(p.scale, t.n + h) : sum);
		}
	});
}

ROW_KERNEL(product_quantized_thin_8_1, 128)(const Quantized p) { thin<8, 1>(p); }
ROW_KERNEL(product_quantized_thin_8_4, 128)(const Quantized p) { thin<8, 4>(p); }
ROW_KERNEL(product_quantized_thin_4_1, 128)(const Quantized p) { thin<4, 1>(p); }
ROW_KERNEL(product_quantized_thin_4_4, 128)(const Quantized p) { thin<4, 4>(p); }
