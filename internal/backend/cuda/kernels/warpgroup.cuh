// Products of a warpgroup, four warps, on the tensor cores of compute capability 9.0: both operands lie in shared memory, in the order in which
// the TMA copies boxes with lines of 128 bytes, whose 16-byte chunks change places with the line. Thread t holds of 64 rows and
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

#define NAMES16 "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15"
#define NAMES32 NAMES16 ", %16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31"
#define NAMES48 NAMES32 ", %32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47"
#define NAMES64 NAMES48 ", %48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63"
#define NAMES96 NAMES64 ", %64, %65, %66, %67, %68, %69, %70, %71, %72, %73, %74, %75, %76, %77, %78, %79, " \
	"%80, %81, %82, %83, %84, %85, %86, %87, %88, %89, %90, %91, %92, %93, %94, %95"
#define NAMES128 NAMES96 ", %96, %97, %98, %99, %100, %101, %102, %103, %104, %105, %106, %107, %108, %109, %110, %111, " \
	"%112, %113, %114, %115, %116, %117, %118, %119, %120, %121, %122, %123, %124, %125, %126, %127"

// multiplyAdd adds the products of 16 steps to the sums of 256 columns, of 192, 128 or 64, or makes them the sums where fresh. ACROSS says that
// an operand lies across the common axis.
#define MULTIPLY(columns, names, ...) \
	template <bool ACROSS_A, bool ACROSS_B> INLINE void multiplyAdd(f32 (&sums)[columns / 2], u64 a, u64 b, bool fresh) { \
		asm volatile("{\n\t.reg .pred p;\n\tsetp.eq.u32 p, %[fresh], 0;\n\t" \
					 "wgmma.mma_async.sync.aligned.m64n" #columns "k16.f32." HALF "." HALF " {" names "}, " \
					 "%[a], %[b], p, 1, 1, %[acrossA], %[acrossB];\n\t}" \
					 : __VA_ARGS__ \
					 : [a] "l"(a), [b] "l"(b), [fresh] "r"((u32)fresh), [acrossA] "n"((int)ACROSS_A), [acrossB] "n"((int)ACROSS_B)); \
	}

MULTIPLY(64, NAMES32, SUMS16(sums, 0), SUMS16(sums, 16))
MULTIPLY(128, NAMES64, SUMS64(sums, 0))
MULTIPLY(192, NAMES96, SUMS64(sums, 0), SUMS16(sums, 64), SUMS16(sums, 80))
MULTIPLY(256, NAMES128, SUMS64(sums, 0), SUMS64(sums, 64))

// takeRegisters and giveRegisters change how many registers each thread of the warpgroup has.
template <int COUNT> INLINE void takeRegisters() { asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;" : : "n"(COUNT)); }
template <int COUNT> INLINE void giveRegisters() { asm volatile("setmaxnreg.dec.sync.aligned.u32 %0;" : : "n"(COUNT)); }

// groupBarrier joins the 128 threads of a warpgroup.
INLINE void groupBarrier(u32 id) { asm volatile("bar.sync %0, 128;" : : "r"(id) : "memory"); }

// storeMatrices stores four 8x8 matrices, of which lane l says where row l%8 of matrix l/8 goes.
INLINE void storeMatrices(u32 at, u32 a, u32 b, u32 c, u32 d) {
	asm volatile("stmatrix.sync.aligned.m8n8.x4.shared.b16 [%0], {%1, %2, %3, %4};" : : "r"(at), "r"(a), "r"(b), "r"(c), "r"(d) : "memory");
}
