// Products of a warp group, four warps, on the tensor cores of compute capability 9.0: both operands lie in shared memory, in the order in which
// the tensor unit copies boxes with lines of 128 bytes, whose 16-byte chunks change places with the line. Thread t holds of 64 rows and
// N columns of sums, for i in 0..N/2: row 16(t/32) + t%32/4 + 8(i/2%2), column 8(i/4) + 2(t%4) + i%2.
#pragma once

#include "fragments.cuh"

// describe returns the descriptor of an operand that starts there: boxes of 64 neighbours lie groups bytes apart, which matters to those
// that lie across the common axis alone; 8 lines make 1024 bytes.
INLINE u64 describe(u32 at, u32 groups) {
	return (u64)(at >> 4 & 0x3fff) | (u64)(groups >> 4) << 16 | (u64)(1024 >> 4) << 32 | (u64)1 << 62;
}

INLINE void beginProducts() { asm volatile("wgmma.fence.sync.aligned;" : : : "memory"); }
INLINE void commitProducts() { asm volatile("wgmma.commit_group.sync.aligned;" : : : "memory"); }

// awaitProducts waits until no more than so many groups of products are under way.
template <int GROUPS> INLINE void awaitProducts() { asm volatile("wgmma.wait_group.sync.aligned %0;" : : "n"(GROUPS) : "memory"); }

#define SUMS4(s, i) "+f"(s[i]), "+f"(s[i + 1]), "+f"(s[i + 2]), "+f"(s[i + 3])
#define SUMS16(s, i) SUMS4(s, i), SUMS4(s, i + 4), SUMS4(s, i + 8), SUMS4(s, i + 12)
#define SUMS64(s, i) SUMS16(s, i), SUMS16(s, i + 16), SUMS16(s, i + 32), SUMS16(s, i + 48)

// multiplyAdd adds the products of 16 steps to the sums of 256 columns, of 192, 128 or 64, or makes them the sums where fresh. ACROSS says that
// an operand lies across the common axis.
template <bool ACROSS_A, bool ACROSS_B> INLINE void multiplyAdd(f32 (&sums)[128], u64 a, u64 b, bool fresh) {
	asm volatile(
		"{\n\t.reg .pred p;\n\tsetp.eq.u32 p, %130, 0;\n\t"
		"wgmma.mma_async.sync.aligned.m64n256k16.f32." HALF "." HALF " {"
		"%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, "
		"%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31, "
		"%32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47, "
		"%48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63, "
		"%64, %65, %66, %67, %68, %69, %70, %71, %72, %73, %74, %75, %76, %77, %78, %79, "
		"%80, %81, %82, %83, %84, %85, %86, %87, %88, %89, %90, %91, %92, %93, %94, %95, "
		"%96, %97, %98, %99, %100, %101, %102, %103, %104, %105, %106, %107, %108, %109, %110, %111, "
		"%112, %113, %114, %115, %116, %117, %118, %119, %120, %121, %122, %123, %124, %125, %126, %127}, "
		"%128, %129, p, 1, 1, %131, %132;\n\t}"
		: SUMS64(sums, 0), SUMS64(sums, 64)
		: "l"(a), "l"(b), "r"((u32)fresh), "n"((int)ACROSS_A), "n"((int)ACROSS_B));
}

template <bool ACROSS_A, bool ACROSS_B> INLINE void multiplyAdd(f32 (&sums)[96], u64 a, u64 b, bool fresh) {
	asm volatile(
		"{\n\t.reg .pred p;\n\tsetp.eq.u32 p, %98, 0;\n\t"
		"wgmma.mma_async.sync.aligned.m64n192k16.f32." HALF "." HALF " {"
		"%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, "
		"%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31, "
		"%32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47, "
		"%48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63, "
		"%64, %65, %66, %67, %68, %69, %70, %71, %72, %73, %74, %75, %76, %77, %78, %79, "
		"%80, %81, %82, %83, %84, %85, %86, %87, %88, %89, %90, %91, %92, %93, %94, %95}, "
		"%96, %97, p, 1, 1, %99, %100;\n\t}"
		: SUMS64(sums, 0), SUMS16(sums, 64), SUMS16(sums, 80)
		: "l"(a), "l"(b), "r"((u32)fresh), "n"((int)ACROSS_A), "n"((int)ACROSS_B));
}

template <bool ACROSS_A, bool ACROSS_B> INLINE void multiplyAdd(f32 (&sums)[64], u64 a, u64 b, bool fresh) {
	asm volatile(
		"{\n\t.reg .pred p;\n\tsetp.eq.u32 p, %66, 0;\n\t"
		"wgmma.mma_async.sync.aligned.m64n128k16.f32." HALF "." HALF " {"
		"%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, "
		"%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31, "
		"%32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47, "
		"%48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63}, "
		"%64, %65, p, 1, 1, %67, %68;\n\t}"
		: SUMS64(sums, 0)
		: "l"(a), "l"(b), "r"((u32)fresh), "n"((int)ACROSS_A), "n"((int)ACROSS_B));
}

template <bool ACROSS_A, bool ACROSS_B> INLINE void multiplyAdd(f32 (&sums)[32], u64 a, u64 b, bool fresh) {
	asm volatile(
		"{\n\t.reg .pred p;\n\tsetp.eq.u32 p, %34, 0;\n\t"
		"wgmma.mma_async.sync.aligned.m64n64k16.f32." HALF "." HALF " {"
		"%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, "
		"%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31}, "
		"%32, %33, p, 1, 1, %35, %36;\n\t}"
		: SUMS16(sums, 0), SUMS16(sums, 16)
		: "l"(a), "l"(b), "r"((u32)fresh), "n"((int)ACROSS_A), "n"((int)ACROSS_B));
}

// takeRegisters and giveRegisters change how many registers each thread of the warp group has.
template <int COUNT> INLINE void takeRegisters() { asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;" : : "n"(COUNT)); }
template <int COUNT> INLINE void giveRegisters() { asm volatile("setmaxnreg.dec.sync.aligned.u32 %0;" : : "n"(COUNT)); }

// groupBarrier joins the 128 threads of a warp group.
INLINE void groupBarrier(u32 id) { asm volatile("bar.sync %0, 128;" : : "r"(id) : "memory"); }

// storeMatrices stores four 8x8 matrices, of which lane l says where row l%8 of matrix l/8 goes.
INLINE void storeMatrices(u32 at, u32 a, u32 b, u32 c, u32 d) {
	asm volatile("stmatrix.sync.aligned.m8n8.x4.shared.b16 [%0], {%1, %2, %3, %4};" : : "r"(at), "r"(a), "r"(b), "r"(c), "r"(d) : "memory");
}
