// Convolutions in float32 by fma, and their gradients, on every GPU: products whose operands' tiles are gathered, as im2col would lay them
// out, by way of registers while the ones before are multiplied.
//
// Every kernel takes TiledConvolution; names, operands and the grid are as in conv_async.cu.
// dtypes: f32
#include "tile_loop.cuh"
#include "conv_source.cuh"

// Held is a source's tile in registers.
template <class S> struct Held {
	typename S::Unit units[S::COUNT];

	INLINE void fetch(Held &h, const S &s, i32 lines) {
#pragma unroll
		for (int l = 0; l < S::COUNT; l++) {
			h.units[l] = s.in(l, lines) ? load<typename S::Unit>(s.at(l), 0) : typename S::Unit(0);
		}
	}

	template <int SIZE> INLINE void put(const Held &h, const S &s, Tile<SIZE> &tile, u32 thread) {
		if (s.stored()) {
			u8 *to = (u8 *)&tile[0][0] + s.to(thread);
#pragma unroll
			for (int l = 0; l < S::COUNT; l++) {
				*(typename S::Unit *)(to + l * S::FURTHER) = h.units[l];
			}
		}
	}
};

template <int ROWS, int COLUMNS, int WARP, class End, class A, class B, class Course> INLINE void multiply(const TiledConvolution &p, Course &c) {
	Held<A> as;
	Held<B> bs;
	auto fetch = [&](u32 left) __attribute__((always_inline)) {
		c.left = left; // so that the loop and the course count in one register
		Held<A>::fetch(as, c.a, c.lines());
		Held<B>::fetch(bs, c.b, c.lines());
		c.next(STEPS);
	};
	auto put = [&](Tile<ROWS> &toA, Tile<COLUMNS> &toB) __attribute__((always_inline)) {
		u32 thread = thisThread<WARP == 64>();
		Held<A>::template put<ROWS>(as, c.a, toA, thread);
		Held<B>::template put<COLUMNS>(bs, c.b, toB, thread);
	};
	multiplyTiles<ROWS, COLUMNS, WARP, End>(p, c.left, fetch, put);
}

#define CONVOLUTION(name, most) extern "C" __global__ __attribute__((launch_bounds(most, 512 / (most)))) void JOIN(name, DTYPE)(const TiledConvolution p)
#define CONVOLUTIONS(rows, columns, warp, threads) \
	CONVOLUTION(conv_##rows##x##columns##_tile, threads) { \
		using A = WeightLines<rows, STEPS, threads>; \
		using B = Pixels<columns, STEPS, threads>; \
		__shared__ Work w; /* What is read at each tap alone leaves the registers to the others. */ \
		__shared__ Start starts[threads]; \
		if (threadIdx.x == 0) { \
			w = workOf<rows, columns>(p, blockIdx.x); \
		} \
		__syncthreads(); \
		if (Work::inside(w)) { \
			Course<A, B> c(p, w, starts[threadIdx.x]); \
			multiply<rows, columns, warp, Outputs<rows, columns>, A, B>(p, c); \
		} \
	}
// Large tiles leave these no registers.
#define SMALL(rows, columns, warp, threads) \
	CONVOLUTION(conv_##rows##x##columns##_tile_few, threads) { \
		using A = WeightLines<rows, STEPS, threads>; \
		using B = FewPixels<columns, STEPS, threads>; \
		__shared__ Reach reaches[MOST_REACHES]; \
		Work w = workOf<rows, columns>(p, blockIdx.x); \
		FewCourse<A, B> c(p, w, reaches); \
		multiply<rows, columns, warp, Outputs<rows, columns>, A, B>(p, c); \
	} \
	CONVOLUTION(conv_weight_##rows##x##columns##_tile, threads) { \
		using A = Gradients<rows, STEPS, threads>; \
		using B = Seen<columns, STEPS, threads>; \
		__shared__ Reach reaches[columns]; \
		Work w = weightsWork<rows, columns>(p, blockIdx.x); \
		WeightCourse<A, B, STEPS, columns> c(p, w, reaches); \
		multiply<rows, columns, warp, Weights<rows, columns>, A, B>(p, c); \
	}

CONVOLUTIONS(128, 128, 64, 256)
CONVOLUTIONS(64, 64, 32, 128)
SMALL(64, 64, 32, 128)
CONVOLUTIONS(32, 128, 32, 128)
SMALL(32, 128, 32, 128)
