// Convolutions of float32 and their gradients whose operands asynchronous copies gather, as im2col would lay them out, into a ring of stages in
// shared memory, by multiplyTiles of async_loop.cuh or tf32_loop.cuh: the one that the kernels' file includes ahead of this.
#pragma once

#include "conv_source.cuh"

// copy starts to copy a source's tile, of which so many lines are there. The units of a WHOLE one are all inside, or none is.
template <bool WHOLE, class S> INLINE void copy(const S &s, u32 tile, i32 lines) {
#pragma unroll
	for (int l = 0; l < S::COUNT; l++) {
		bool in = s.in(WHOLE ? 0 : l, lines);
		if constexpr (sizeof(typename S::Unit) == 16) {
			copyWhole(tile + s.to(threadIdx.x) + l * S::FURTHER, s.at(l), in);
		} else {
			copyElement(tile + s.to(threadIdx.x) + l * S::FURTHER, s.at(l), in);
		}
	}
}

// Sources are the Fill of eachPanel that copies a course's tiles.
template <int ROWS, int STEPS, class Course> struct Sources {
	using OfA = decltype(Course::a);
	using OfB = decltype(Course::b);
	Course &c;
	u32 panels;

	__device__ __attribute__((always_inline)) Sources(Course &c) : c(c), panels((c.left + STEPS - 1) / STEPS) {}

	__device__ __attribute__((always_inline)) bool whole(u32) const { return c.whole(STEPS); }

	template <bool WHOLE> __device__ __attribute__((always_inline)) void copy(u32 stage, u32) {
		if (WHOLE || c.left > 0) {
			i32 lines = WHOLE ? STEPS : c.lines();
			::copy<WHOLE>(c.a, stage, lines);
			::copy<WHOLE>(c.b, stage + STEPS * (ROWS + GAP) * 4, lines);
			c.template next<WHOLE>(STEPS);
		}
	}
};

template <int ROWS, int COLUMNS, int HIGH, int WIDE, int STEPS, int STAGES, class End, class Course> INLINE void multiply(const TiledConvolution &p, Course &c) {
	Sources<ROWS, STEPS, Course> sources(c);
	multiplyTiles<ROWS, COLUMNS, HIGH, WIDE, STEPS, STAGES, End>(p, sources);
}

#define CONVOLUTION(rows, columns, high, wide, steps, stages, blocks, name) \
	KERNEL_OF(JOIN(name, DTYPE), rows *columns / (high * wide) * 32, blocks)(const TiledConvolution p)
#define CONVOLUTIONS(family, rows, columns, high, wide, steps, stages, blocks) \
	CONVOLUTION(rows, columns, high, wide, steps, stages, blocks, conv_##rows##x##columns##_##family) { \
		const int THREADS = rows * columns / (high * wide) * 32; \
		Work w = workOf<rows, columns>(p, blockIdx.x); \
		if (Work::inside(w)) { \
			Start start; \
			Course<WeightLines<rows, steps, THREADS>, Pixels<columns, steps, THREADS>> c(p, w, start); \
			multiply<rows, columns, high, wide, steps, stages, Outputs<rows, columns>>(p, c); \
		} \
	} \
	CONVOLUTION(rows, columns, high, wide, steps, stages, blocks, conv_##rows##x##columns##_##family##_few) { \
		const int THREADS = rows * columns / (high * wide) * 32; \
		__shared__ Reach reaches[MOST_REACHES]; \
		Work w = workOf<rows, columns>(p, blockIdx.x); \
		FewCourse<WeightLines<rows, steps, THREADS>, FewPixels<columns, steps, THREADS>> c(p, w, reaches); \
		multiply<rows, columns, high, wide, steps, stages, Outputs<rows, columns>>(p, c); \
	} \
	CONVOLUTION(rows, columns, high, wide, steps, stages, blocks, conv_weight_##rows##x##columns##_##family) { \
		const int THREADS = rows * columns / (high * wide) * 32; \
		__shared__ Reach reaches[columns]; \
		Work w = weightsWork<rows, columns>(p, blockIdx.x); \
		WeightCourse<Gradients<rows, steps, THREADS>, Seen<columns, steps, THREADS>, steps, columns> c(p, w, reaches); \
		multiply<rows, columns, high, wide, steps, stages, Weights<rows, columns>>(p, c); \
	}
