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

// Held is a course whose chunks pass through registers: the Fill of multiplyStaged.
template <class Course> struct Held : Course {
	using Course::Course;
	uint4 held[Course::CHUNKS];

	template <bool WHOLE> __device__ __attribute__((always_inline)) void copy(u32, u32 panel) {
		Course::template next<WHOLE>(this->left - panel * STEPS, [&](int i, u64 from, u32 inside) __attribute__((always_inline)) {
			held[i] = chunkAt(from, inside);
		});
	}

	__device__ __attribute__((always_inline)) void put(u32 stage) const {
#pragma unroll
		for (int i = 0; i < Course::CHUNKS; i++) {
			*(__attribute__((address_space(3))) uint4 *)(u64)(stage + this->to(i)) = held[i];
		}
	}
};

#define CONVOLUTION(rows, columns, high, blocks, name) KERNEL_OF(JOIN(name, DTYPE), rows *columns / high, blocks)(const TiledConvolution p)
#define FORWARD(rows, columns, high, blocks) \
	CONVOLUTION(rows, columns, high, blocks, conv_##rows##x##columns##_mma8) { \
		Work w = workOf<rows, columns>(p, blockIdx.x); \
		if (Work::inside(w)) { \
			Held<Course<rows, columns, rows * columns / high>> c(p, w); \
			multiplyStaged<rows, columns, high, 32, true, true, Outputs<rows, columns>>(p, c); \
		} \
	}
#define WEIGHTS(rows, columns, high, blocks) \
	CONVOLUTION(rows, columns, high, blocks, conv_weight_##rows##x##columns##_mma8) { \
		Work w = weightsWork<rows, columns>(p, blockIdx.x); \
		Held<WeightCourse<rows, columns, rows * columns / high>> c(p, w); \
		multiplyStaged<rows, columns, high, 32, false, false, Weights<rows, columns>>(p, c); \
	}

FORWARD(128, 128, 64, 1)
FORWARD(64, 64, 32, 4)
WEIGHTS(64, 64, 32, 4)
FORWARD(32, 128, 32, 4)
WEIGHTS(32, 128, 32, 4)
