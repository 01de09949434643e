// Matrix products of float32 on tensor cores, which take numbers of 11 bits, TF32: operands are rounded to those, sums stay in float32. Tiles come
// as in product_async.cu.
//
// Every kernel takes Product. Names, operands, parts and the grid are as there. Shared memory: STAGES times
// STEPS * (rows + 8 + columns + 8) * 4 bytes.
// dtypes: f32
// target: sm_80 ptx74
#include "source.cuh"
#include "spread.cuh"

// A lane's place in fragments: g and c of fragments.cuh, which has the layout of the result. Of a a lane holds rows g and g+8 at steps c and c+4,
// of b the same steps of column g.
INLINE u32 operand(u32 at) {
	f32 v;
	u32 r;
	asm volatile("ld.shared.f32 %0, [%1];" : "=f"(v) : "r"(at) : "memory");
	asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(r) : "f"(v));
	return r;
}

INLINE void multiplyAdd(FragmentC &c, const u32 (&a)[4], const u32 (&b)[2]) {
	asm volatile("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
				 : "+f"(c.v[0]), "+f"(c.v[1]), "+f"(c.v[2]), "+f"(c.v[3])
				 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}

template <int ROWS, int COLUMNS, int HIGH, int WIDE, int STEPS, int STAGES, bool WHOLE_A, bool WHOLE_B> INLINE void product(const Product &p) {
	const int THREADS = ROWS * COLUMNS / (HIGH * WIDE) * 32, DOWN = HIGH / 16, ACROSS = WIDE / 8;
	using A = Source<ROWS, STEPS, WHOLE_A, THREADS, 8>;
	using B = Source<COLUMNS, STEPS, WHOLE_B, THREADS, 8>;
	using O = Operands<A, B, ROWS, COLUMNS, STEPS>;
	u32 warp = threadIdx.x / 32, lane = threadIdx.x % 32, y = warp / (COLUMNS / WIDE) * HIGH, x = warp % (COLUMNS / WIDE) * WIDE;
	u32 shared = dynamicAddress(), g = lane / 4, c = lane % 4;
	u32 fromA = shared + c * A::LINE + (y + g) * 4, fromB = shared + A::BYTES + c * B::LINE + (x + g) * 4;
	FragmentC sums[DOWN][ACROSS] = {};
	O operands(p);
	auto fill = [&](u32 stage) __attribute__((always_inline)) { O::fill(operands, p, stage); };
	eachPanel<STAGES>(O::panels(operands), A::BYTES + B::BYTES, fill, [&](u32 used) __attribute__((always_inline)) {
#pragma unroll
		for (int k = 0; k < STEPS; k += 8) {
			u32 as[DOWN][4], bs[ACROSS][2];
#pragma unroll
			for (int i = 0; i < DOWN; i++) {
#pragma unroll
				for (int j = 0; j < 4; j++) {
					as[i][j] = operand(fromA + used + (k + j / 2 * 4) * A::LINE + i * 64 + j % 2 * 32);
				}
			}
#pragma unroll
			for (int i = 0; i < ACROSS; i++) {
#pragma unroll
				for (int j = 0; j < 2; j++) {
					bs[i][j] = operand(fromB + used + (k + j * 4) * B::LINE + i * 32);
				}
			}
#pragma unroll
			for (int i = 0; i < DOWN; i++) {
#pragma unroll
				for (int j = 0; j < ACROSS; j++) {
					multiplyAdd(sums[i][j], as[i], bs[j]);
				}
			}
		}
	});
	Place end = placeOf<ROWS, COLUMNS>(p, thisBlock());
	spread<WIDE>(sums, [&](u32 first, Ends ends) __attribute__((always_inline)) {
#pragma unroll 1
		for (u32 e = lane; e < 16 * WIDE; e += 32) {
			u32 r = end.m + y + first + e / WIDE, c = end.n + x + e % WIDE;
			if (r < p.m && c < p.n) {
				finish(p, end, r, c, ends[e / WIDE * (WIDE + 8) + e % WIDE]);
			}
		}
	});
}

#define PRODUCT(rows, columns, high, wide, steps, stages, blocks, name, wholeA, wholeB) \
	KERNEL_OF(JOIN(product_##rows##x##columns##_tf32_##name, DTYPE), rows *columns / (high * wide) * 32, blocks)(const Product p) { \
		product<rows, columns, high, wide, steps, stages, wholeA, wholeB>(p); \
	}

EACH_SOURCE(PRODUCT, 128, 128, 64, 64, 16, 3, 1)
EACH_SOURCE(PRODUCT, 64, 64, 32, 32, 16, 3, 2)
