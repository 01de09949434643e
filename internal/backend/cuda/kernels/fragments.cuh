// Fragments are what the lanes of a warp hold of the operands and the result of a product on tensor cores, 16x8 with 16 steps: in lane l, with
// g = l/4 and c = l%4, of a the rows g and g+8 at steps 2c, 2c+1, and 8 further; of b the same steps of column g; of the result the
// rows g and g+8 at columns 2c and 2c+1. Elements have 16 bits, sums are float32.
#pragma once

#include "device.cuh"

struct FragmentA {
	u32 v[4];
};
struct FragmentB {
	u32 v[2];
};
struct FragmentC {
	f32 v[4];
};

// loadMatrices loads four 8x8 matrices, of which lane l says where row l%8 of matrix l/8 lies, 16 bytes; TURNED ones are transposed.
template <bool TURNED> INLINE void loadMatrices(u32 (&to)[4], u32 at) {
	if constexpr (TURNED) {
		asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
					 : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3]) : "r"(at) : "memory");
	} else {
		asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
					 : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3]) : "r"(at) : "memory");
	}
}

#if defined(DTYPE_bf16)
#define HALF "bf16"
#else
#define HALF "f16"
#endif

// multiplyAdd adds the product of two fragments to c; before compute capability 8.0 in two instructions of 8 steps.
INLINE void multiplyAdd(FragmentC &c, const FragmentA &a, const u32 *b) {
#if __CUDA_ARCH__ < 800
#pragma unroll
	for (int i = 0; i < 2; i++) {
		asm volatile("mma.sync.aligned.m16n8k8.row.col.f32." HALF "." HALF ".f32 {%0, %1, %2, %3}, {%4, %5}, {%6}, {%0, %1, %2, %3};"
					 : "+f"(c.v[0]), "+f"(c.v[1]), "+f"(c.v[2]), "+f"(c.v[3])
					 : "r"(a.v[2 * i]), "r"(a.v[2 * i + 1]), "r"(b[i]));
	}
#else
	asm volatile("mma.sync.aligned.m16n8k16.row.col.f32." HALF "." HALF ".f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
				 : "+f"(c.v[0]), "+f"(c.v[1]), "+f"(c.v[2]), "+f"(c.v[3])
				 : "r"(a.v[0]), "r"(a.v[1]), "r"(a.v[2]), "r"(a.v[3]), "r"(b[0]), "r"(b[1]));
#endif
}

// pack rounds two numbers to 16 bits, the first into the low half.
INLINE u32 pack(f32 low, f32 high) {
	u32 v;
	asm("cvt.rn." HALF "x2.f32 %0, %1, %2;" : "=r"(v) : "f"(high), "f"(low));
	return v;
}
