// Matrix products of float32 on tensor cores, which take numbers of 11 bits, TF32: operands are rounded to those, sums stay in float32. Tiles come
// as in product_async.cu.
//
// Every kernel takes Product. Names, operands, parts and the grid are as there. Shared memory: STAGES times
// STEPS * (rows + 8 + columns + 8) * 4 bytes.
// dtypes: f32
// target: sm_80 ptx74
#include "source.cuh"

// A lane's place in fragments: g and c of fragments.cuh, which has the layout of the result. Of a a lane holds rows g and g+8 at steps c and c+4,
// of b the same steps of column g.
INLINE u32 operand(u32 at) {
	f32 v;
	u32 r;
	asm volatile("ld.shared.f32 %0, [%1];" : "=f"(v) : "r"(at) : "memory");
	asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(r) : "f"(v));
	return r;
}

INLINE void multiplyAdd(f32 (&c)[4], const u32 (&a)[4], const u32 (&b)[2]) {
	asm volatile("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
				 : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
				 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}

template <int ROWS, int COLUMNS, int HIGH, int WIDE, int STEPS, int STAGES, bool WHOLE_A, bool WHOLE_B> INLINE void product(const Product &p) {
	const int THREADS = ROWS * COLUMNS / (HIGH * WIDE) * 32, DOWN = HIGH / 16, ACROSS = WIDE / 8;
	using A = Source<ROWS, STEPS, WHOLE_A, THREADS, 8>;
	using B = Source<COLUMNS, STEPS, WHOLE_B, THREADS, 8>;
	const u32 STAGE = A::BYTES + B::BYTES;
	u32 warp = threadIdx.x / 32, lane = threadIdx.x % 32, y = warp / (COLUMNS / WIDE) * HIGH, x = warp % (COLUMNS / WIDE) * WIDE;
	Place at = placeOf<ROWS, COLUMNS>(p, blockIdx.x);
	u32 begin = at.part * (u32)p.part, left = min((u32)p.k - begin, (u32)p.part), tiles = (left + STEPS - 1) / STEPS;
	u64 startA = p.a + (u64)(at.batch * p.aStrides[0]) * 4, startB = p.b + (u64)(at.batch * p.bStrides[0]) * 4;
	A a(startA, p.aStrides[1], p.aStrides[2], at.m, (u32)p.m, begin);
	B b(startB, p.bStrides[2], p.bStrides[1], at.n, (u32)p.n, begin);
	u32 shared = dynamicAddress(), g = lane / 4, c = lane % 4;
	u32 fromA = shared + c * A::LINE + (y + g) * 4, fromB = shared + A::BYTES + c * B::LINE + (x + g) * 4;
	f32 sums[DOWN][ACROSS][4] = {};
#pragma unroll
	for (int s = 0; s < STAGES - 1; s++) {
		if (left > 0) {
			A::copy(a, shared + s * STAGE, left, startA);
			B::copy(b, shared + s * STAGE + A::BYTES, left, startB);
			left -= min(left, STEPS);
		}
		commitCopies();
	}
	u32 used = 0, filled = (STAGES - 1) * STAGE;
#pragma unroll 1
	for (u32 tile = 0; tile < tiles; tile++) {
		awaitCopies<STAGES - 2>();
		__syncthreads(); // the tile is there, and the one before is free
		if (left > 0) {
			A::copy(a, shared + filled, left, startA);
			B::copy(b, shared + filled + A::BYTES, left, startB);
			left -= min(left, STEPS);
		}
		commitCopies();
		filled = used;
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
		used = used == (STAGES - 1) * STAGE ? 0 : used + STAGE;
	}
	awaitCopies<0>();
	// Sixteen rows of each warp at a time go through shared memory, so that neighbouring threads store neighbours.
	const int PITCH = WIDE + 8;
	__attribute__((address_space(3))) f32 *ends = (__attribute__((address_space(3))) f32 *)dynamic + warp * 16 * PITCH;
	Place end = placeOf<ROWS, COLUMNS>(p, thisBlock());
#pragma unroll 1
	for (u32 i = 0; i < DOWN; i++) {
		__syncthreads();
#pragma unroll
		for (int k = 0; k < DOWN; k++) {
			if (i != k) {
				continue;
			}
#pragma unroll
			for (int j = 0; j < ACROSS; j++) {
				auto to = ends + g * PITCH + j * 8 + c * 2;
				to[0] = sums[k][j][0];
				to[1] = sums[k][j][1];
				to[8 * PITCH] = sums[k][j][2];
				to[8 * PITCH + 1] = sums[k][j][3];
			}
		}
		__syncthreads();
#pragma unroll 1
		for (u32 e = lane; e < 16 * WIDE; e += 32) {
			u32 r = end.m + y + i * 16 + e / WIDE, c = end.n + x + e % WIDE;
			if (r < p.m && c < p.n) {
				finish(p, end, r, c, ends[e / WIDE * PITCH + e % WIDE]);
			}
		}
	}
}

#define PRODUCT(rows, columns, high, wide, steps, stages, blocks, name, wholeA, wholeB) \
	extern "C" __global__ __attribute__((launch_bounds(rows * columns / (high * wide) * 32, blocks))) void JOIN( \
		product_##rows##x##columns##_tf32_##name, DTYPE)(const Product p) { \
		product<rows, columns, high, wide, steps, stages, wholeA, wholeB>(p); \
	}
#define PRODUCTS(rows, columns, high, wide, steps, stages, blocks) \
	PRODUCT(rows, columns, high, wide, steps, stages, blocks, xx, false, false) \
	PRODUCT(rows, columns, high, wide, steps, stages, blocks, xn, false, true) \
	PRODUCT(rows, columns, high, wide, steps, stages, blocks, mx, true, false) \
	PRODUCT(rows, columns, high, wide, steps, stages, blocks, mn, true, true)

PRODUCTS(128, 128, 64, 64, 16, 3, 1)
PRODUCTS(64, 64, 32, 32, 16, 3, 2)
