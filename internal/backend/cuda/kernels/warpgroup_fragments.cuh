// Products of a warp group whose sums are fragments: in lane l of warp w, number i of fragment n is that of row 16w + l/4 + 8(i/2) and column
// 8n + 2(l%4) + i%2, as in fragments.cuh. The first operand lies in shared memory, or each warp holds its 16 rows.
#pragma once

#include "warpgroup.cuh"

#define SUMS_OF(s, n) "+f"(s[n].v[0]), "+f"(s[n].v[1]), "+f"(s[n].v[2]), "+f"(s[n].v[3])
#define SUMS_OF4(s, n) SUMS_OF(s, n), SUMS_OF(s, n + 1), SUMS_OF(s, n + 2), SUMS_OF(s, n + 3)
#define SUMS_OF8(s, n) SUMS_OF4(s, n), SUMS_OF4(s, n + 4)
#define SUMS_OF16(s, n) SUMS_OF8(s, n), SUMS_OF8(s, n + 8)

#define NAMES16 "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15"
#define NAMES32 NAMES16 ", %16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31"
#define NAMES48 NAMES32 ", %32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47"
#define NAMES64 NAMES48 ", %48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63"
#define NAMES96 NAMES64 ", %64, %65, %66, %67, %68, %69, %70, %71, %72, %73, %74, %75, %76, %77, %78, %79, " \
	"%80, %81, %82, %83, %84, %85, %86, %87, %88, %89, %90, %91, %92, %93, %94, %95"
#define NAMES128 NAMES96 ", %96, %97, %98, %99, %100, %101, %102, %103, %104, %105, %106, %107, %108, %109, %110, %111, " \
	"%112, %113, %114, %115, %116, %117, %118, %119, %120, %121, %122, %123, %124, %125, %126, %127"

// multiplyAdd adds the products of 16 steps to the sums, or makes them the sums where fresh. Rows in shared memory and columns lie along the common axis; columns
// lie across it where each warp holds its rows.
#define MULTIPLY(columns, names, ...) \
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

MULTIPLY(32, NAMES16, SUMS_OF4(s, 0))
MULTIPLY(64, NAMES32, SUMS_OF8(s, 0))
MULTIPLY(96, NAMES48, SUMS_OF8(s, 0), SUMS_OF4(s, 8))
MULTIPLY(128, NAMES64, SUMS_OF16(s, 0))
MULTIPLY(192, NAMES96, SUMS_OF16(s, 0), SUMS_OF8(s, 16))
MULTIPLY(256, NAMES128, SUMS_OF16(s, 0), SUMS_OF16(s, 16))

// settle makes registers of products, which have been waited for, be read and written behind this alone.
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
