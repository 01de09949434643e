// Weights of int8 or int4 as numbers of another dtype, rounded once: products with many rows multiply those.
//
// Takes Quantized: out [n, line] of the weight, zeros behind its k numbers. A thread makes 8 neighbours. Grid: flat.
// dtypes: f32 bf16 f16
#include "quantized.cuh"

typedef u32 Pair __attribute__((ext_vector_type(2)));

// put stores 8 numbers at once.
INLINE void put(u64 to, const f32 (&v)[8]) {
#if defined(DTYPE_f32)
	store<Four>(to, 0, Four{v[0], v[1], v[2], v[3]});
	store<Four>(to, 1, Four{v[4], v[5], v[6], v[7]});
#else
	uint4 w;
#pragma unroll
	for (int i = 0; i < 4; i++) {
		w[i] = Cast<E>::of(v[2 * i]).bits | (u32)Cast<E>::of(v[2 * i + 1]).bits << 16;
	}
	store<uint4>(to, 0, w);
#endif
}

// bytes loads 8 neighbours of which so many are inside.
INLINE Pair bytes(u64 from, u32 inside) {
	if (inside >= 8 && from % 8 == 0) {
		return load<Pair>(from, 0);
	}
	Pair v = 0;
#pragma unroll 1
	for (u32 i = min(inside, 8); i > 0; i--) {
		v = {v[0] << 8 | load<u8>(from, i - 1), v[1] << 8 | v[0] >> 24};
	}
	return v;
}

ROW_KERNEL(quantized_weight_8, 256)(const Quantized p) {
	u64 chunks = p.line / 8;
	for (u64 i = thread(); i < p.n * chunks; i += threads()) {
		u32 row = (u32)(i / chunks), k = (u32)(i - row * chunks) * 8;
		Pair q = bytes(p.w + row * p.k + k, (u32)p.k - k);
		f32 scale = load<f32>(p.scale, row), v[8];
#pragma unroll
		for (int j = 0; j < 8; j++) {
			v[j] = number(q[j / 4] ^ 0x80808080, j % 4) * scale;
		}
		put(p.out + i * 8 * sizeof(E), v);
	}
}

ROW_KERNEL(quantized_weight_4, 256)(const Quantized p) {
	u64 chunks = p.line / 8;
	u32 groups = (u32)(p.k / p.group);
	for (u64 i = thread(); i < p.n * chunks; i += threads()) {
		u32 row = (u32)(i / chunks), group = (u32)(i - row * chunks) * 8 / (u32)p.group, q = load<u32>(p.w, (i64)i);
		f32 scale = load<f32>(p.scale, (i64)row * groups + group), less = 8388608.f + zeroOf(p, row, group, groups), v[8];
#pragma unroll
		for (int j = 0; j < 8; j++) {
			v[j] = (bits<f32>(UNITS | (q >> 4 * j & 15)) - less) * scale;
		}
		put(p.out + i * 8 * sizeof(E), v);
	}
}
