// Products of many rows of int8 with a weight of int8 by warpgroups of compute capability 9.0, whose sums are exact: the CPU's results. By beside.cuh, with 128 numbers
// in a line of a stage.
//
// Every kernel takes MappedQuantized, as product_quantized_imma.cu takes Quantized. Grid: clusters of 2 blocks of 384 threads, one for each two tiles and part. Shared
// memory: Shape::BARRIERS + 16 * STAGES bytes.
// dtypes: f32 bf16 f16
// target: sm_90a ptx80
#define NOTHING_FOLLOWS
#include "counts.cuh"
#include "warpgroup_wholes.cuh"
#include "beside.cuh"

// Shape is how a block uses its shared memory.
struct Shape {
	using Sum = i32;
	static const int COLUMNS = 128, DEEP = 128, BOXES = COLUMNS / 64, STAGE = A_BYTES + BOXES * BOX, STAGES = 6, BARRIERS = STAGES * STAGE, HIGH = 16;
};

KERNEL_OF(JOIN(product_quantized_wgmma_128x128, DTYPE), 384, 1)(const __attribute__((grid_constant)) MappedQuantized m) {
	Task task = Task::of<Shape>(m.quantized);
	inRoles<Shape, 40, 232>(
		[&](u32 shared, Barriers bar, u32 rank) __attribute__((always_inline)) { produce<Shape, false, false>(m.mapX, m.mapW, 0, 0, task, shared, bar, rank); },
		[&](u32 shared, Barriers bar, u32 rank, u32 group) __attribute__((always_inline)) {
			consume<Shape, false, false>(m.quantized, task, shared, bar, rank, group);
		});
}
