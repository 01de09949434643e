// Products of a warpgroup whose sums are fragments: in lane l of warp w, number i of fragment n is that of row 16w + l/4 + 8(i/2) and column
// 8n + 2(l%4) + i%2, as in fragments.cuh. The first operand lies in shared memory, or each warp holds its 16 rows.
#pragma once

#include "warpgroup.cuh"

#define SUMS_OF(s, n) "+f"(s[n].v[0]), "+f"(s[n].v[1]), "+f"(s[n].v[2]), "+f"(s[n].v[3])
#define SUMS_OF4(s, n) SUMS_OF(s, n), SUMS_OF(s, n + 1), SUMS_OF(s, n + 2), SUMS_OF(s, n + 3)
#define SUMS_OF8(s, n) SUMS_OF4(s, n), SUMS_OF4(s, n + 4)
#define SUMS_OF16(s, n) SUMS_OF8(s, n), SUMS_OF8(s, n + 8)

// multiplyAdd adds the products of 16 steps to the sums, or makes them the sums where fresh. Rows in shared memory and columns lie along the common axis; columns
// lie across it where each warp holds its rows.
#define MULTIPLY_FRAGMENTS(columns, names, ...) \
	INLINE void multiplyAdd(FragmentC (&s)[columns / 8], u64 a, u64 b, bool fresh) { \
		asm volatile("{\n\t.reg .pred p;\n\tsetp.eq.u32 p, %[fresh], 0;\n\t" \
					 "wgmma.mma_async.sync.aligned.m64n" #columns "k16.f32." HALF "." HALF " {" names "}, %[a], %[b], p, 1, 1, 0, 0;\n\t}" \
					 : __VA_ARGS__ : [a] "l"(a), [b] "l"(b), [fresh] "r"((u32)fresh)); \
	} \
	INLINE void multiplyAdd(FragmentC (&s)[columns / 8], const FragmentA &a, u64 b, bool fresh) { \
		asm volatile("{\n\t.reg .pred p;\n\tsetp.eq.u32 p, %[fresh], 0;\n\t" \
					 "wgmma.mma_async.sync.aligned.m64n" #columns "k16.f32." HALF "." HALF " {" names "}, {%[a0], %[a1], %[a2], %[a3]}, %[b], p, 1, 1, 1;\n\t}" \
					 : __VA_ARGS__ : [a0] "r"(a.v[0]), [a1] "r"(a.v[1]), [a2] "r"(a.v[2]), [a3] "r"(a.v[3]), [b] "l"(b), [fresh] "r"((u32)fresh)); \
	}

MULTIPLY_FRAGMENTS(32, NAMES16, SUMS_OF4(s, 0))
MULTIPLY_FRAGMENTS(64, NAMES32, SUMS_OF8(s, 0))
MULTIPLY_FRAGMENTS(96, NAMES48, SUMS_OF8(s, 0), SUMS_OF4(s, 8))
MULTIPLY_FRAGMENTS(128, NAMES64, SUMS_OF16(s, 0))
MULTIPLY_FRAGMENTS(192, NAMES96, SUMS_OF16(s, 0), SUMS_OF8(s, 16))
MULTIPLY_FRAGMENTS(256, NAMES128, SUMS_OF16(s, 0), SUMS_OF16(s, 16))

// settle keeps the compiler from reading or writing registers of products before it. To the compiler they are ready once a product was issued; in fact they are after
// the wait, behind which settle stands.
template <int N> INLINE void settle(FragmentC (&s)[N]) {
#pragma unroll
	for (int i = 0; i < N * 4; i++) {
		asm volatile("" : "+f"(s[i / 4].v[i % 4]));
	}
}

template <int N> INLINE void settle(FragmentA (&a)[N]) {
#pragma unroll
	for (int i = 0; i < N * 4; i++) {
		asm volatile("" : "+r"(a[i / 4].v[i % 4]));
	}
}
