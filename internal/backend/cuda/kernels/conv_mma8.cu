// Convolutions of float16 on the tensor cores of compute capability 7.5, and their gradients, as those of conv_mma.cu: panels of both operands pass
// through registers.
//
// Every kernel takes TiledConvolution; names, operands and the grid are as in conv_mma.cu. Shared memory: 2 * (rows + columns) * 64 bytes.
// dtypes: f16
// target: sm_75 ptx70
#include "staged_loop.cuh"
#include "conv_chunks.cuh"

// chunkAt loads 16 bytes, or makes zeros where inside is 0: then nothing is read, whatever the address.
INLINE uint4 chunkAt(u64 from, u32 inside) {
	uint4 v = 0;
	asm volatile("{\n\t.reg .pred p;\n\tsetp.ne.u32 p, %5, 0;\n\t@p ld.global.v4.b32 {%0, %1, %2, %3}, [%4];\n\t}"
				 : "+r"(v[0]), "+r"(v[1]), "+r"(v[2]), "+r"(v[3]) : "l"(from), "r"(inside) : "memory");
	return v;
}

template <int ROWS, int COLUMNS, int HIGH, bool DEEP, class End, class C> INLINE void multiply(const TiledConvolution &p, C &c) {
	uint4 held[C::CHUNKS];
	auto fetch = [&](u32 left) __attribute__((always_inline)) {
		c.next([&](int i, u64 from, u32 inside) __attribute__((always_inline)) { held[i] = chunkAt(from, left > 0 ? inside : 0); });
	};
	auto put = [&](u32 stage) __attribute__((always_inline)) {
#pragma unroll
		for (int i = 0; i < C::CHUNKS; i++) {
			*(__attribute__((address_space(3))) uint4 *)(u64)(stage + c.to(i)) = held[i];
		}
	};
	multiplyStaged<ROWS, COLUMNS, HIGH, 32, DEEP, DEEP, End>(p, c.left, fetch, put);
}

#define CONVOLUTION(rows, columns, high, blocks, name) KERNEL_OF(JOIN(name, DTYPE), rows *columns / high, blocks)(const TiledConvolution p)
#define FORWARD(rows, columns, high, blocks) \
	CONVOLUTION(rows, columns, high, blocks, conv_##rows##x##columns##_mma8) { \
		Work w = workOf<rows, columns>(p, blockIdx.x); \
		if (Work::inside(w)) { \
			Course<rows, columns, rows * columns / high> c(p, w); \
			multiply<rows, columns, high, true, Outputs<rows, columns>>(p, c); \
		} \
	}
#define WEIGHTS(rows, columns, high, blocks) \
	CONVOLUTION(rows, columns, high, blocks, conv_weight_##rows##x##columns##_mma8) { \
		Work w = weightsWork<rows, columns>(p, blockIdx.x); \
		WeightCourse<rows, columns, rows * columns / high> c(p, w); \
		multiply<rows, columns, high, false, Weights<rows, columns>>(p, c); \
	}

FORWARD(128, 128, 64, 1)
FORWARD(64, 64, 32, 4)
WEIGHTS(64, 64, 32, 4)
FORWARD(32, 128, 32, 4)
WEIGHTS(32, 128, 32, 4)
