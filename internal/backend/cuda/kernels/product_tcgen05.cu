// Matrix products of half types for compute capability 10.0: in each block one warp fills stages of shared memory through the TMA, a thread of another has the tensor
// cores multiply them, and four warps make elements of a tile's sums while the next tile is multiplied.
//
// Every kernel takes MappedProduct, whose mapOut is used where the result is stored through the TMA: not of products in parts, whose partials product_join adds. Blocks
// walk over tiles, parts and matrices. Names and parts are as in product_tile.cu. Grid: blocks of 192 threads, as many as there are multiprocessors, or
// tiles. Shared memory: Shape::SIZE bytes.
// dtypes: bf16 f16
// target: sm_100f ptx88
#include "follow.cuh"
#include "mapped_stages.cuh"
#include "tensor_memory.cuh"

// A Shape is how a block with so many columns uses its memory: a ring of stages, and boxes for the result, two for each 64 rows; tensor memory holds the sums
// of two tiles. Barriers tell of stages and sums; behind them is the address of tensor memory.
template <int WIDTH> struct Shape {
	static const int COLUMNS = WIDTH, BOXES = WIDTH / 64, STAGE = A_BYTES + BOXES * BOX, STAGES = WIDTH == 256 ? 4 : 6;
	static const int ENDS = STAGES * STAGE, BARRIERS = ENDS + 4 * BOX, ADDRESS = BARRIERS + (2 * STAGES + 4) * 8, SIZE = ADDRESS + 8;
};

// Sums are where the tensor cores add up tiles, and barriers that tell of the first of both: it has been added up, or its four warps have loaded it.
struct Sums {
	u32 at, full, empty;
};

// A Task is a tile, and how many stages there are from which step on.
struct Task {
	Place at;
	u32 begin, stages;
};

// eachTask has do what the block has to do.
template <class S, class Do> INLINE void eachTask(const Product &p, Do work) {
	u32 tiles = ((u32)p.m + ROWS - 1) / ROWS * (((u32)p.n + S::COLUMNS - 1) / S::COLUMNS) * (u32)p.parts * (u32)p.count;
#pragma unroll 1
	for (u32 tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
		Task t;
		t.at = placeOf<ROWS, S::COLUMNS>(p, tile);
		t.begin = t.at.part * (u32)p.part;
		t.stages = (min((u32)p.k - t.begin, (u32)p.part) + STEPS - 1) / STEPS;
		work(t);
	}
}

template <class S, bool ACROSS_A, bool ACROSS_B> INLINE void produce(const MappedProduct &m, u32 shared, Barriers bar) {
	Ring ring;
	eachTask<S>(m.product, [&](const Task &t) __attribute__((always_inline)) {
		u32 za = t.at.batch * m.batchA, zb = t.at.batch * m.batchB;
#pragma unroll 1
		for (u32 k = 0; k < t.stages; k++) {
			produceStage<S>(shared, bar, ring, t.begin + k * STEPS, [&](u32 to, u32 full, u32 step) __attribute__((always_inline)) {
#pragma unroll
				for (u32 i = 0; i < 2; i++) {
					u32 r = t.at.m + i * 64;
					loadBox(to + i * BOX, m.mapA, ACROSS_A ? r : step, ACROSS_A ? step : r, za, full);
				}
#pragma unroll
				for (u32 i = 0; i < S::BOXES; i++) {
					u32 c = t.at.n + i * 64;
					loadBox(to + A_BYTES + i * BOX, m.mapB, ACROSS_B ? c : step, ACROSS_B ? step : c, zb, full);
				}
			});
		}
	});
}

template <class S, bool ACROSS_A, bool ACROSS_B> INLINE void multiply(const Product &p, u32 shared, Barriers bar, Sums sums) {
	const u32 stepA = ACROSS_A ? 16 * 128 : 32, stepB = ACROSS_B ? 16 * 128 : 32;
	Ring ring, half;
	eachTask<S>(p, [&](const Task &t) __attribute__((always_inline)) {
		await(sums.empty + half.stage * 8, half.parity ^ 1);
#pragma unroll 1
		for (u32 k = 0; k < t.stages; k++) {
			u32 stage = shared + ring.stage * S::STAGE;
			u64 a = describe(stage, STEPS * 128), b = describe(stage + A_BYTES, STEPS * 128);
			await(bar.full + ring.stage * 8, ring.parity);
			orderBehind(); // both barriers
#pragma unroll
			for (int i = 0; i < STEPS / 16; i++) {
				multiplyAdd<S::COLUMNS, ACROSS_A, ACROSS_B>(sums.at + half.stage * S::COLUMNS, a + i * (stepA >> 4), b + i * (stepB >> 4), k == 0 && i == 0);
			}
			commitProducts(bar.empty + ring.stage * 8);
			Ring::next(ring, S::STAGES);
		}
		commitProducts(sums.full + half.stage * 8);
		Ring::next(half, 2);
	});
}

// lineAt is where a chunk of 16 bytes of a line of a box lies.
INLINE u32 lineAt(u32 box, u32 line, u32 chunk) { return box + line * 128 + ((chunk ^ line % 8) << 4); }

// keep stores 16 bytes in shared memory.
INLINE void keep(u32 at, uint4 v) { *(__attribute__((address_space(3))) uint4 *)(u64)at = v; }

// scale makes of 32 sums of row r, from column c on, alpha times them and beta times what is added.
INLINE void scale(const Product &p, f32 (&v)[32], u32 batch, u32 r, u32 c) {
	f32 alpha = (f32)p.alpha, beta = (f32)p.beta;
	u32 inside = p.add != 0 && p.beta != 0 && r < p.m && c < p.n ? (u32)p.n - c : 0;
	u64 from = p.add + (u64)(batch * p.addStrides[0] + r * p.addStrides[1] + c * p.addStrides[2]) * sizeof(E), step = (u64)p.addStrides[2] * sizeof(E);
#pragma unroll
	for (u32 i = 0; i < 32; i++) {
		v[i] = v[i] * alpha + (i < inside ? beta * element(from, 0) : 0);
		from += step;
	}
}

// keepHalves puts 32 sums of a row, rounded, into a half of a line of a box.
INLINE void keepHalves(u32 box, u32 line, u32 half, const f32 (&v)[32]) {
#pragma unroll
	for (u32 i = 0; i < 4; i++) {
		const f32 *x = &v[i * 8];
		keep(lineAt(box, line, half * 4 + i), uint4{pack(x[0], x[1]), pack(x[2], x[3]), pack(x[4], x[5]), pack(x[6], x[7])});
	}
}

// leavePart stores a warp's part of 32 rows, from `first` on in the box and r on in the result, and of 32 columns from c on. The sums go through lines of a
// box, so that neighbouring threads store neighbours.
INLINE void leavePart(const Product &p, const Place &at, u32 box, u32 first, u32 r, u32 c, const f32 (&v)[32]) {
	u32 lane = threadIdx.x % 32;
#pragma unroll
	for (u32 i = 0; i < 8; i++) {
		const f32 *x = &v[i * 4];
		keep(lineAt(box, first + lane, i), uint4{bits<u32>(x[0]), bits<u32>(x[1]), bits<u32>(x[2]), bits<u32>(x[3])});
	}
	asm volatile("bar.warp.sync 0xffffffff;" : : : "memory");
	u64 to = p.partials + ((((u64)at.part * p.count + at.batch) * p.m + r) * p.n + c + lane) * 4;
#pragma unroll 4
	for (u32 i = 0; i < 32; i++) {
		if (r + i < p.m && c + lane < p.n) {
			store<f32>(to, i * p.n, *(__attribute__((address_space(3))) f32 *)(u64)(lineAt(box, first + i, lane / 4) + lane % 4 * 4));
		}
	}
	asm volatile("bar.warp.sync 0xffffffff;" : : : "memory");
}

// pairBarrier joins the two warps that have 64 rows.
INLINE void pairBarrier(u32 pair) { asm volatile("bar.sync %0, 64;" : : "r"(pair + 1) : "memory"); }

// finish makes elements of the tiles' sums: of 64 columns at once, in a box, while the TMA stores the one before.
template <class S> INLINE void finish(const MappedProduct &m, u32 shared, Sums sums) {
	const Product &p = m.product;
	u32 thread = threadIdx.x, warp = thread / 32, pair = thread / 64, line = thread % 64, box = 0;
	bool plain = p.alpha == 1 && p.add == 0, more = follows(p), wide = widens(p), whole = p.parts == 1;
	Ring half;
	eachTask<S>(p, [&](const Task &t) __attribute__((always_inline)) {
		await(sums.full + half.stage * 8, half.parity);
		orderBehind();
		u32 r = t.at.m + warp * 32, from = sums.at + half.stage * S::COLUMNS + (warp * 32 << 16);
#pragma unroll 1
		for (u32 s = 0; s < S::BOXES; s++) {
			u32 to = shared + S::ENDS + (pair * 2 + box) * BOX, c = t.at.n + s * 64;
			box ^= 1;
			if (line == 0) {
				awaitReads<1>();
			}
			pairBarrier(pair); // what lay there has been stored
#pragma unroll 1
			for (u32 i = 0; i < 2; i++) {
				f32 v[32] = {};
				if (t.stages > 0) {
					loadColumns(v, from + s * 64 + i * 32);
				}
				if (!whole) {
					leavePart(p, t.at, to, warp % 2 * 32, r, c + i * 32, v);
					continue;
				}
				if (!plain) {
					scale(p, v, t.at.batch, r + thread % 32, c + i * 32);
				}
				keepHalves(to, line, i, v);
			}
			if (s == S::BOXES - 1) {
				orderBefore();
				asm volatile("bar.warp.sync 0xffffffff;" : : : "memory");
				if (thread % 32 == 0) {
					arriveAt(sums.empty + half.stage * 8);
				}
			}
			if (!whole) {
				continue;
			}
			if (more) {
				follow<32>(p, to, warp % 2 * 32, t.at.batch, r, c);
			}
			if (!wide) {
				fenceCopies();
				pairBarrier(pair);
				if (line == 0) {
					storeBox(m.mapOut, c, t.at.m + pair * 64, t.at.batch, to);
				}
			}
		}
		Ring::next(half, 2);
	});
	if (line == 0) {
		awaitStores();
	}
}

template <class S, bool ACROSS_A, bool ACROSS_B> INLINE void multiplyMatrices(const MappedProduct &m) {
	u32 shared = dynamicAddress(), warp = threadIdx.x / 32;
	Barriers bar = {shared + S::BARRIERS, shared + S::BARRIERS + S::STAGES * 8};
	Sums sums = {0, bar.empty + S::STAGES * 8, bar.empty + S::STAGES * 8 + 16};
	if (threadIdx.x == 0) {
		for (u32 s = 0; s < S::STAGES; s++) {
			initBarrier(bar.full + s * 8, 1);
			initBarrier(bar.empty + s * 8, 1);
		}
		for (u32 s = 0; s < 2; s++) {
			initBarrier(sums.full + s * 8, 1);
			initBarrier(sums.empty + s * 8, 4);
		}
		publishBarriers();
	}
	if (warp == 5) {
		allocateColumns<2 * S::COLUMNS>(shared + S::ADDRESS);
	}
	awaitKernelAhead();
	orderBefore();
	__syncthreads();
	orderBehind();
	sums.at = *(volatile __attribute__((address_space(3))) u32 *)(u64)(shared + S::ADDRESS);
	if (warp < 4) {
		finish<S>(m, shared, sums);
	} else if (isElected()) {
		if (warp == 4) {
			produce<S, ACROSS_A, ACROSS_B>(m, shared, bar);
			letNextStart();
		} else {
			multiply<S, ACROSS_A, ACROSS_B>(m.product, shared, bar, sums);
		}
	}
	asm volatile("bar.warp.sync 0xffffffff;" : : : "memory");
	__syncthreads();
	orderBehind();
	if (warp == 5) {
		giveColumns<2 * S::COLUMNS>(sums.at);
	}
}

#define PRODUCT(columns, name, deepA, deepB) \
	KERNEL_OF(JOIN(product_128x##columns##_tcgen05_##name, DTYPE), 192, 1)(const __attribute__((grid_constant)) MappedProduct m) { \
		multiplyMatrices<Shape<columns>, !deepA, !deepB>(m); \
	}

EACH_LIE(PRODUCT, 256)
EACH_LIE(PRODUCT, 128)
