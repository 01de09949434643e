// Convolutions of 16-bit elements on tensor cores, and their gradients: products whose operands asynchronous copies gather, as im2col would lay
// them out, into a ring of stages in shared memory, with sums in float32.
//
// Every kernel takes TiledConvolution, with operands packed as conv_chunks.cuh says. conv_ROWSxCOLUMNS_mma: y of x, or dx of dy; conv_weight_: dw of dy
// and x. Grid: a block for each tile, phase, group and part. Shared memory: STAGES times (rows + columns) * 64 bytes.
// dtypes: bf16 f16
// target: sm_80 ptx74
#include "conv_chunks.cuh"

// Copies are a course whose chunks come by asynchronous copies: the Fill of eachPanel.
template <class Course> struct Copies : Course {
	using Course::Course;

	template <bool WHOLE> __device__ __attribute__((always_inline)) void copy(u32 stage, u32 panel) {
		if (WHOLE || panel < this->panels) {
			Course::template next<WHOLE>(this->left - panel * STEPS, [&](int i, u64 from, u32 inside) __attribute__((always_inline)) {
				copyWhole(stage + this->to(i), from, inside);
			});
		}
	}
};

#define CONVOLUTIONS(rows, columns, high, wide, stages, blocks) \
	KERNEL_OF(JOIN(conv_##rows##x##columns##_mma, DTYPE), 128, blocks)(const TiledConvolution p) { \
		Work w = workOf<rows, columns>(p, blockIdx.x); \
		if (Work::inside(w)) { \
			Copies<Course<rows, columns, 128>> c(p, w); \
			multiplyPanels<rows, columns, high, wide, stages, true, true, OutputPairs<rows, columns>>(p, c); \
		} \
	} \
	KERNEL_OF(JOIN(conv_weight_##rows##x##columns##_mma, DTYPE), 128, blocks)(const TiledConvolution p) { \
		Work w = weightsWork<rows, columns>(p, blockIdx.x); \
		Copies<WeightCourse<rows, columns, 128>> c(p, w); \
		multiplyPanels<rows, columns, high, wide, stages, false, false, WeightPairs<rows, columns>>(p, c); \
	}

CONVOLUTIONS(128, 128, 64, 64, 4, 2)
CONVOLUTIONS(64, 64, 32, 32, 4, 4)
CONVOLUTIONS(32, 128, 32, 32, 4, 4)
