// How tensor cores multiply matrices of float64: an element's products are added in order of the common axis, each by one fused multiply-add.
//
// Panels of both operands come into a ring of stages in shared memory by asynchronous copies, STAGES-1 ahead of the one that is multiplied. Operands
// have any strides, since each element is copied by itself: a multiplication takes so long here that such copies cost nothing.
#pragma once

#include "job.cuh"
#include "parts.cuh"

#define STEPS 16 // of a panel, along the common axis
#define STAGES 3

// A Panel of an operand is SIZE of its rows or columns and STEPS steps. DEEP ones lie along the common axis, as neighbours in memory do, others
// across it. Lines are padded, so that neither copies nor fragments meet a bank twice.
template <int SIZE, bool DEEP, int THREADS> struct Panel {
	static const int LINE = ((DEEP ? STEPS : SIZE) + 4) * 8, BYTES = (DEEP ? SIZE : STEPS) * LINE, COUNT = SIZE * STEPS / THREADS;
	static const int NEXT = DEEP ? LINE : 8, STEP = DEEP ? 8 : LINE; // bytes to the next row or column, and to the next step
	static const int ADD_I = DEEP ? THREADS / STEPS : 0, ADD_K = DEEP ? 0 : THREADS / SIZE;
	u64 from, step, apart; // of the first copy, to the next panel, to the thread's next copy, in bytes
	u32 k, i, inside;
	bool cut; // whether some of the panel is not inside across the common axis

	__device__ Panel(u64 matrix, i64 across, i64 deep, u32 first, u32 size, u32 begin) {
		k = DEEP ? threadIdx.x % STEPS : threadIdx.x / SIZE;
		i = DEEP ? threadIdx.x / STEPS : threadIdx.x % SIZE;
		from = matrix + (u64)((i64)(first + i) * across + (i64)(begin + k) * deep) * 8;
		apart = (u64)(ADD_I * across + ADD_K * deep) * 8;
		step = (u64)deep * STEPS * 8;
		inside = size - first;
		cut = inside < SIZE;
	}

	// copy starts to copy the next panel, of which left steps are inside; all of a WHOLE one is.
	template <bool WHOLE> INLINE void copy(Panel &p, u32 to, u32, u32 left, i64, i64) {
		to += p.i * NEXT + p.k * STEP;
		u64 from = p.from;
#pragma unroll
		for (int l = 0; l < COUNT; l++) {
			bool in = WHOLE || (p.k + l * ADD_K < left && p.i + l * ADD_I < p.inside);
			asm volatile("cp.async.ca.shared.global [%0], [%1], 8, %2;"
						 : : "r"(to + l * (ADD_I * NEXT + ADD_K * STEP)), "l"(from), "r"(in ? 8 : 0) : "memory");
			goOn(from, p.apart);
		}
		p.from += p.step;
	}
};

INLINE f64 fragment(u32 at) {
	f64 v;
	asm volatile("ld.shared.f64 %0, [%1];" : "=d"(v) : "r"(at) : "memory");
	return v;
}

// A Shape is what one instruction multiplies: 8 * HIGH rows and 8 columns, 4 * DEEP steps. In lane l, with g = l/4 and c = l%4, stand of each
// eight rows of a, and of the columns of b, number g at step c of each four; of the sums row g of each eight, at columns 2c and 2c+1.
struct ShapeOf8 {
	static const int HIGH = 1, DEEP = 1;
	INLINE void multiplyAdd(f64 (&c)[1][2], const f64 (&a)[1][1], const f64 (&b)[1]) {
		asm volatile("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0, %1}, {%2}, {%3}, {%0, %1};"
					 : "+d"(c[0][0]), "+d"(c[0][1]) : "d"(a[0][0]), "d"(b[0]));
	}
};
struct ShapeOf16 {
	static const int HIGH = 2, DEEP = 2;
	INLINE void multiplyAdd(f64 (&c)[2][2], const f64 (&a)[2][2], const f64 (&b)[2]) {
		asm volatile("mma.sync.aligned.m16n8k8.row.col.f64.f64.f64.f64 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
					 : "+d"(c[0][0]), "+d"(c[0][1]), "+d"(c[1][0]), "+d"(c[1][1])
					 : "d"(a[0][0]), "d"(a[1][0]), "d"(a[0][1]), "d"(a[1][1]), "d"(b[0]), "d"(b[1]));
	}
};

// A warp computes HIGH rows and WIDE columns of the block's tile.
template <class SHAPE, int ROWS, int COLUMNS, int HIGH, int WIDE, bool DEEP_A, bool DEEP_B> INLINE void product(const Product &p) {
	const int THREADS = ROWS * COLUMNS / (HIGH * WIDE) * 32, DOWN = HIGH / (8 * SHAPE::HIGH), ACROSS = WIDE / 8;
	using A = Panel<ROWS, DEEP_A, THREADS>;
	using B = Panel<COLUMNS, DEEP_B, THREADS>;
	using O = Operands<A, B, ROWS, COLUMNS, STEPS>;
	u32 warp = threadIdx.x / 32, lane = threadIdx.x % 32, y = warp / (COLUMNS / WIDE) * HIGH, x = warp % (COLUMNS / WIDE) * WIDE;
	u32 shared = dynamicAddress(), g = lane / 4, c = lane % 4;
	u32 fromA = shared + (y + g) * A::NEXT + c * A::STEP, fromB = shared + A::BYTES + (x + g) * B::NEXT + c * B::STEP;
	f64 sums[DOWN][ACROSS][SHAPE::HIGH][2] = {};
	O operands(p);
	eachPanel<STAGES>(A::BYTES + B::BYTES, operands, [&](u32 used) __attribute__((always_inline)) {
#pragma unroll
		for (int k = 0; k < STEPS; k += 4 * SHAPE::DEEP) {
			f64 as[DOWN][SHAPE::HIGH][SHAPE::DEEP], bs[ACROSS][SHAPE::DEEP];
#pragma unroll
			for (int d = 0; d < SHAPE::DEEP; d++) {
#pragma unroll
				for (int i = 0; i < DOWN * SHAPE::HIGH; i++) {
					as[i / SHAPE::HIGH][i % SHAPE::HIGH][d] = fragment(fromA + used + i * 8 * A::NEXT + (k + 4 * d) * A::STEP);
				}
#pragma unroll
				for (int j = 0; j < ACROSS; j++) {
					bs[j][d] = fragment(fromB + used + j * 8 * B::NEXT + (k + 4 * d) * B::STEP);
				}
			}
#pragma unroll
			for (int i = 0; i < DOWN; i++) {
#pragma unroll
				for (int j = 0; j < ACROSS; j++) {
					SHAPE::multiplyAdd(sums[i][j], as[i], bs[j]);
				}
			}
		}
	});
	// Eight rows of each warp at a time go through shared memory, so that neighbouring threads store neighbours.
	const int PITCH = WIDE + 8;
	__attribute__((address_space(3))) f64 *ends = (__attribute__((address_space(3))) f64 *)dynamic + warp * 8 * PITCH;
	End<ROWS, COLUMNS> end(p);
#pragma unroll
	for (int i = 0; i < DOWN * SHAPE::HIGH; i++) {
		__syncthreads();
#pragma unroll
		for (int j = 0; j < ACROSS; j++) {
			auto to = ends + g * PITCH + j * 8 + c * 2;
			to[0] = sums[i / SHAPE::HIGH][j][i % SHAPE::HIGH][0];
			to[1] = sums[i / SHAPE::HIGH][j][i % SHAPE::HIGH][1];
		}
		__syncthreads();
#pragma unroll 1
		for (u32 e = lane; e < 8 * WIDE; e += 32) {
			end.turn(x + e % WIDE);
			end.put(y + i * 8 + e / WIDE, ends[e / WIDE * PITCH + e % WIDE]);
		}
	}
}

#define PRODUCT(rows, columns, high, wide, blocks, family, shape, name, deepA, deepB) \
	KERNEL_OF(JOIN(product_##rows##x##columns##_##family##_##name, DTYPE), rows *columns / (high * wide) * 32, blocks)(const Product p) { \
		product<shape, rows, columns, high, wide, deepA, deepB>(p); \
		addParts<rows, columns, rows *columns / (high * wide) * 32>(p); \
	}
