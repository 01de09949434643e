// Matrix products of half types for compute capability 9.0 that are too small for the tiles of product_wgmma.cu, or have a long common axis: in
// each block a producer fills stages of shared memory through the copy engine, and two warp groups multiply them, each 64 rows of the block's 128.
//
// Every kernel takes MappedProduct, of which mapOut is not used. The two blocks of a cluster compute tiles beside each other, of the same rows: each
// copies half of a into both, and its own part of b. Names and parts are as in product_tile.cu. Grid: clusters of 2 blocks of 384 threads, one
// for each two tiles, part and matrix. Shared memory: Shape::BARRIERS + 16 * STAGES bytes.
// dtypes: bf16 f16
// target: sm_90a ptx80
#define NOTHING_FOLLOWS
#include "result.cuh"
#include "transaction.cuh"
#include "warpgroup.cuh"

#define ROWS 128
#define STEPS 64

extern __shared__ __attribute__((aligned(1024))) u8 dynamic[];

#define BOX (64 * 64 * 2) // bytes of a box of an operand
#define A_BYTES (2 * BOX)

// A Shape is how a block with so many columns uses its shared memory, which is a ring of stages, and its registers. Two blocks of 64 columns fit on a
// multiprocessor.
template <int WIDTH> struct Shape {
	static const int COLUMNS = WIDTH, BOXES = WIDTH / 64, STAGE = A_BYTES + BOXES * BOX, STAGES = WIDTH == 64 ? 4 : 6, BARRIERS = STAGES * STAGE;
	static const int FEW = WIDTH == 64 ? 24 : 40, MANY = WIDTH == 64 ? 104 : 232; // registers of a thread that copies, and of one that multiplies
};

// A Job is what a cluster has to do: the place of its two tiles, and how many panels there are from which step on.
struct Job {
	Place at;
	u32 begin, panels, full, empty; // and the barriers of the first stage; others lie 8 bytes further each

	INLINE Job of(const Product &p, u32 columns, u32 barriers, u32 stages) {
		Job job;
		job.at = columns == 64 ? placeOf<ROWS, 2 * 64>(p, blockIdx.x / 2) : placeOf<ROWS, 2 * 128>(p, blockIdx.x / 2);
		job.begin = job.at.part * (u32)p.part;
		job.panels = (min((u32)p.k - job.begin, (u32)p.part) + STEPS - 1) / STEPS;
		job.full = barriers;
		job.empty = barriers + stages * 8;
		return job;
	}
};

template <class S, bool ACROSS_A, bool ACROSS_B> INLINE void produce(const MappedProduct &m, u32 shared, const Job &job, u32 rank) {
	u32 za = job.at.batch * m.batchA, zb = job.at.batch * m.batchB, r = job.at.m + rank * 64, stage = 0, parity = 1;
#pragma unroll 1
	for (u32 k = 0; k < job.panels; k++) {
		u32 full = job.full + stage * 8, to = shared + stage * S::STAGE, step = job.begin + k * STEPS;
		await(job.empty + stage * 8, parity);
		expectBytes(full, S::STAGE);
		shareBox(to + rank * BOX, m.mapA, ACROSS_A ? r : step, ACROSS_A ? step : r, za, full, 3);
#pragma unroll
		for (u32 i = 0; i < S::BOXES; i++) {
			u32 c = job.at.n + (rank * S::BOXES + i) * 64;
			loadBox(to + A_BYTES + i * BOX, m.mapB, ACROSS_B ? c : step, ACROSS_B ? step : c, zb, full);
		}
		if (++stage == S::STAGES) {
			stage = 0;
			parity ^= 1;
		}
	}
}

template <class S, bool ACROSS_A, bool ACROSS_B> INLINE void consume(const MappedProduct &m, u32 shared, const Job &job, u32 rank, u32 group) {
	const Product &p = m.product;
	u32 lane = threadIdx.x % 32, warp = threadIdx.x % 128 / 32, empty = remote(job.empty, lane % 2), stage = 0, parity = 0, before = 0;
	const u32 stepA = ACROSS_A ? 16 * 128 : 32, stepB = ACROSS_B ? 16 * 128 : 32;
	f32 sums[S::COLUMNS / 2] = {};
#pragma unroll 1
	for (u32 k = 0; k < job.panels; k++) {
		u32 a = shared + stage * S::STAGE + group * BOX, b = shared + stage * S::STAGE + A_BYTES;
		u64 fromA = describe(a, STEPS * 128), fromB = describe(b, STEPS * 128);
		await(job.full + stage * 8, parity);
		beginProducts();
#pragma unroll
		for (int i = 0; i < STEPS / 16; i++) {
			multiplyAdd<ACROSS_A, ACROSS_B>(sums, fromA + i * (stepA >> 4), fromB + i * (stepB >> 4), k == 0 && i == 0);
		}
		commitProducts();
		awaitProducts<1>();
		if (k > 0 && lane < 2) {
			arriveAt(empty + before * 8);
		}
		before = stage;
		if (++stage == S::STAGES) {
			stage = 0;
			parity ^= 1;
		}
	}
	awaitProducts<0>();
	if (job.panels > 0 && lane < 2) {
		arriveAt(empty + before * 8);
	}
	asm volatile("bar.sync 1, 256;" : : : "memory"); // the other group has multiplied too, and no stage is awaited any more
	// Each warp's sixteen rows go through shared memory, so that neighbouring threads store neighbours.
	const int PITCH = S::COLUMNS + 4;
	__attribute__((address_space(3))) f32 *ends = (__attribute__((address_space(3))) f32 *)dynamic + (group * 4 + warp) * 16 * PITCH;
#pragma unroll
	for (int i = 0; i < S::COLUMNS / 2; i++) {
		ends[(lane / 4 + i / 2 % 2 * 8) * PITCH + i / 4 * 8 + lane % 4 * 2 + i % 2] = sums[i];
	}
	asm volatile("bar.warp.sync 0xffffffff;" : : : "memory");
	Place at = job.at;
#pragma unroll 1
	for (u32 e = lane; e < 16 * S::COLUMNS; e += 32) {
		u32 r = at.m + group * 64 + warp * 16 + e / S::COLUMNS, c = at.n + rank * S::COLUMNS + e % S::COLUMNS;
		if (r < p.m && c < p.n) {
			finish(p, at, r, c, ends[e / S::COLUMNS * PITCH + e % S::COLUMNS]);
		}
	}
}

template <class S, bool ACROSS_A, bool ACROSS_B> INLINE void product(const MappedProduct &m) {
	u32 shared = (u32)(u64)(const __attribute__((address_space(3))) u8 *)dynamic, rank = rankInCluster();
	Job job = Job::of(m.product, S::COLUMNS, shared + S::BARRIERS, S::STAGES);
	if (threadIdx.x == 0) {
		for (u32 s = 0; s < S::STAGES; s++) {
			initBarrier(job.full + s * 8, 1);
			initBarrier(job.empty + s * 8, 2 * 8); // each warp that multiplies, of both blocks
		}
		publishBarriers();
	}
	clusterBarrier();
	u32 group = threadIdx.x / 128;
	if (group == 0) {
		giveRegisters<S::FEW>();
		if (threadIdx.x == 0) {
			produce<S, ACROSS_A, ACROSS_B>(m, shared, job, rank);
		}
	} else {
		takeRegisters<S::MANY>();
		consume<S, ACROSS_A, ACROSS_B>(m, shared, job, rank, group - 1);
	}
	clusterBarrier(); // a block that the other still writes to must not end
}

#define PRODUCT(columns, blocks, name, acrossA, acrossB) \
	KERNEL_OF(JOIN(product_128x##columns##_beside_##name, DTYPE), 384, blocks)(const __attribute__((grid_constant)) MappedProduct m) { \
		product<Shape<columns>, acrossA, acrossB>(m); \
	}
#define PRODUCTS(columns, blocks) \
	PRODUCT(columns, blocks, kk, false, false) \
	PRODUCT(columns, blocks, kn, false, true) \
	PRODUCT(columns, blocks, mk, true, false) \
	PRODUCT(columns, blocks, mn, true, true)

PRODUCTS(128, 1)
PRODUCTS(64, 2)
