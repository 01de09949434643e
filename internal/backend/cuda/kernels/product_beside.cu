// Matrix products of half types for compute capability 9.0 that are too small for the tiles of product_wgmma.cu, or have a long common axis: by beside.cuh.
//
// Every kernel takes MappedProduct, of which mapOut is not used. Names and parts are as in product_tile.cu. Grid: clusters of 2 blocks of 384 threads, one
// for each two tiles, part and matrix. Shared memory: Shape::BARRIERS + 16 * STAGES bytes.
// dtypes: bf16 f16
// target: sm_90a ptx80
#define NOTHING_FOLLOWS
#include "pairs.cuh"
#include "beside.cuh"

// A Shape is how a block with so many columns uses its shared memory, which is a ring of stages, and its registers. Two blocks of 64 columns fit on a
// multiprocessor.
template <int WIDTH> struct Shape {
	using Sum = f32;
	static const int COLUMNS = WIDTH, DEEP = STEPS, BOXES = WIDTH / 64, STAGE = A_BYTES + BOXES * BOX, STAGES = WIDTH == 64 ? 4 : WIDTH == 128 ? 6 : 5, BARRIERS = STAGES * STAGE;
	static const int FEW = WIDTH == 64 ? 24 : 40, MANY = WIDTH == 64 ? 104 : 232; // registers of a thread that copies, and of one that multiplies
	static const int HIGH = WIDTH == 64 ? 8 : 16; // rows of which a thread adds the parts at once
};

#define PRODUCT(columns, blocks, name, deepA, deepB) \
	KERNEL_OF(JOIN(product_128x##columns##_beside_##name, DTYPE), 384, blocks)(const __attribute__((grid_constant)) MappedProduct m) { \
		using S = Shape<columns>; \
		Task task = Task::of<S>(m.product); \
		inRoles<S, S::FEW, S::MANY>( \
			[&](u32 shared, Barriers bar, u32 rank) __attribute__((always_inline)) { \
				produce<S, !deepA, !deepB>(m.mapA, m.mapB, task.at.batch * m.batchA, task.at.batch * m.batchB, task, shared, bar, rank); \
			}, \
			[&](u32 shared, Barriers bar, u32 rank, u32 group) __attribute__((always_inline)) { \
				consume<S, !deepA, !deepB>(m.product, task, shared, bar, rank, group); \
			}); \
	}

EACH_LIE(PRODUCT, 192, 1)
EACH_LIE(PRODUCT, 128, 1)
EACH_LIE(PRODUCT, 64, 2)
