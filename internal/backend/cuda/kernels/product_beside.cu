// Matrix products of half types for compute capability 9.0 that are too small for the tiles of product_wgmma.cu, or have a long common axis: in
// each block a producer fills stages of shared memory through the TMA, and two warpgroups multiply them, each 64 rows of the block's 128.
//
// Every kernel takes MappedProduct, of which mapOut is not used. The two blocks of a cluster compute tiles beside each other, of the same rows: each
// copies half of a into both, and its own part of b. Names and parts are as in product_tile.cu. Grid: clusters of 2 blocks of 384 threads, one
// for each two tiles, part and matrix. Shared memory: Shape::BARRIERS + 16 * STAGES bytes.
// dtypes: bf16 f16
// target: sm_90a ptx80
#define NOTHING_FOLLOWS
#include "parts.cuh"
#include "mapped_loop.cuh"
#include "pairs.cuh"

// A Shape is how a block with so many columns uses its shared memory, which is a ring of stages, and its registers. Two blocks of 64 columns fit on a
// multiprocessor.
template <int WIDTH> struct Shape {
	static const int COLUMNS = WIDTH, BOXES = WIDTH / 64, STAGE = A_BYTES + BOXES * BOX, STAGES = WIDTH == 64 ? 4 : WIDTH == 128 ? 6 : 5, BARRIERS = STAGES * STAGE;
	static const int FEW = WIDTH == 64 ? 24 : 40, MANY = WIDTH == 64 ? 104 : 232; // registers of a thread that copies, and of one that multiplies
	static const int HIGH = WIDTH == 64 ? 8 : 16; // rows of which a thread adds the parts at once
};

// A Task is what a cluster has to do: the place of its two tiles, and how many stages there are from which step on.
struct Task {
	Place at;
	u32 begin, stages;

	template <class S> INLINE Task of(const Product &p) {
		Task t;
		t.at = placeOf<ROWS, 2 * S::COLUMNS>(p, blockIdx.x / 2);
		t.begin = t.at.part * (u32)p.part;
		t.stages = (min((u32)p.k - t.begin, (u32)p.part) + STEPS - 1) / STEPS;
		return t;
	}
};

template <class S, bool ACROSS_A, bool ACROSS_B> INLINE void produce(const MappedProduct &m, const Task &task, u32 shared, Barriers bar, u32 rank) {
	u32 za = task.at.batch * m.batchA, zb = task.at.batch * m.batchB, r = task.at.m + rank * 64;
	Ring ring;
#pragma unroll 1
	for (u32 k = 0; k < task.stages; k++) {
		produceStage<S>(shared, bar, ring, task.begin + k * STEPS, [&](u32 to, u32 full, u32 step) __attribute__((always_inline)) {
			shareBox(to + rank * BOX, m.mapA, ACROSS_A ? r : step, ACROSS_A ? step : r, za, full, 3);
#pragma unroll
			for (u32 i = 0; i < S::BOXES; i++) {
				u32 c = task.at.n + (rank * S::BOXES + i) * 64;
				loadBox(to + A_BYTES + i * BOX, m.mapB, ACROSS_B ? c : step, ACROSS_B ? step : c, zb, full);
			}
		});
	}
}

template <class S, bool ACROSS_A, bool ACROSS_B>
INLINE void consume(const MappedProduct &m, const Task &task, u32 shared, Barriers bar, u32 rank, u32 group) {
	const Product &p = m.product;
	u32 lane = threadIdx.x % 32, warp = threadIdx.x % 128 / 32;
	f32 sums[S::COLUMNS / 2] = {};
	Ring ring;
	multiplyStages<S, ACROSS_A, ACROSS_B>(sums, shared, bar, remote(bar.empty, lane % 2), ring, task.stages, group);
	auto sync = []() __attribute__((always_inline)) { asm volatile("bar.sync 1, 256;" : : : "memory"); };
	sync(); // the other group has multiplied too, and no stage is awaited any more
	// Each warp's sixteen rows go through shared memory, so that neighbouring threads store neighbours.
	const int PITCH = S::COLUMNS + 4;
	__attribute__((address_space(3))) f32 *ends = (__attribute__((address_space(3))) f32 *)dynamic + (group * 4 + warp) * 16 * PITCH;
#pragma unroll
	for (int i = 0; i < S::COLUMNS / 2; i++) {
		ends[(lane / 4 + i / 2 % 2 * 8) * PITCH + i / 4 * 8 + lane % 4 * 2 + i % 2] = sums[i];
	}
	asm volatile("bar.warp.sync 0xffffffff;" : : : "memory");
#pragma unroll
	for (u32 column = lane * 2; column < S::COLUMNS; column += 64) {
		u32 c = task.at.n + rank * S::COLUMNS + column;
#pragma unroll 1
		for (u32 row = 0; row < 16; row++) {
			u32 r = task.at.m + group * 64 + warp * 16 + row;
			if (r < p.m && c < p.n) {
				finish(p, task.at, r, c, ends[row * PITCH + column], ends[row * PITCH + column + 1]);
			}
		}
	}
	Place at = {task.at.m, task.at.n + rank * S::COLUMNS, task.at.part, task.at.batch};
	if (p.counter != 0 && at.n < p.n) {
		addParts<ROWS, S::COLUMNS, 256, S::HIGH>(p, at, threadIdx.x - 128, sync);
	}
}

#define PRODUCT(columns, blocks, name, deepA, deepB) \
	KERNEL_OF(JOIN(product_128x##columns##_beside_##name, DTYPE), 384, blocks)(const __attribute__((grid_constant)) MappedProduct m) { \
		using S = Shape<columns>; \
		Task task = Task::of<S>(m.product); \
		inRoles<S, S::FEW, S::MANY>( \
			[&](u32 shared, Barriers bar, u32 rank) __attribute__((always_inline)) { produce<S, !deepA, !deepB>(m, task, shared, bar, rank); }, \
			[&](u32 shared, Barriers bar, u32 rank, u32 group) __attribute__((always_inline)) { \
				consume<S, !deepA, !deepB>(m, task, shared, bar, rank, group); \
			}); \
	}

EACH_LIE(PRODUCT, 192, 1)
EACH_LIE(PRODUCT, 128, 1)
EACH_LIE(PRODUCT, 64, 2)
