// Convolutions of 16-bit elements on tensor cores, and their gradients: products whose operands asynchronous copies gather, as im2col would lay
// them out, into a ring of stages in shared memory, with sums in float32.
//
// Every kernel takes TiledConvolution, with operands packed as conv_chunks.cuh says. conv_ROWSxCOLUMNS_mma: y of x, or dx of dy; conv_weight_: dw of dy
// and x. Grid: a block for each tile, phase, group and part. Shared memory: STAGES times (rows + columns) * 64 bytes.
// dtypes: bf16 f16
// target: sm_80 ptx74
#include "conv_chunks.cuh"

template <int ROWS, int COLUMNS, int HIGH, int WIDE, int STAGES, bool DEEP, class End, class C> INLINE void multiply(const TiledConvolution &p, C &c) {
	u32 panels = (c.left + STEPS - 1) / STEPS;
	auto fill = [&](u32 stage) __attribute__((always_inline)) {
		if (c.left > 0) {
			c.next([&](int i, u64 from, u32 inside) __attribute__((always_inline)) { copyWhole(stage + c.to(i), from, inside); });
		}
	};
	multiplyPanels<ROWS, COLUMNS, HIGH, WIDE, STAGES, DEEP, DEEP, End>(p, panels, fill);
}

#define CONVOLUTIONS(rows, columns, high, wide, stages, blocks) \
	KERNEL_OF(JOIN(conv_##rows##x##columns##_mma, DTYPE), 128, blocks)(const TiledConvolution p) { \
		Work w = workOf<rows, columns>(p, blockIdx.x); \
		if (Work::inside(w)) { \
			Course<rows, columns, 128> c(p, w); \
			multiply<rows, columns, high, wide, stages, true, OutputPairs<rows, columns>>(p, c); \
		} \
	} \
	KERNEL_OF(JOIN(conv_weight_##rows##x##columns##_mma, DTYPE), 128, blocks)(const TiledConvolution p) { \
		Work w = weightsWork<rows, columns>(p, blockIdx.x); \
		WeightCourse<rows, columns, 128> c(p, w); \
		multiply<rows, columns, high, wide, stages, false, WeightPairs<rows, columns>>(p, c); \
	}

CONVOLUTIONS(128, 128, 64, 64, 4, 2)
CONVOLUTIONS(64, 64, 32, 32, 4, 4)
CONVOLUTIONS(32, 128, 32, 32, 4, 4)
