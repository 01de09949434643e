// Products by one thread on the tensor cores of compute capability 10.0, on operands that lie in shared memory as those of a warpgroup do (warpgroup.cuh). Sums
// lie in tensor memory, 128 lanes of 512 columns of 32 bits: row r of a tile in lane r, of which each of four warps in a row can load 32. An address of it has a
// lane in its upper half and a column in the lower one.
//
// Products are asynchronous, and tensor memory is ordered apart from other memory: what has to come behind a barrier is put there by orderBehind, and
// what has to come before one by orderBefore.
#pragma once

#include "fragments.cuh"

// allocateColumns has a warp write the address of so many columns to shared memory, a power of two, and let other blocks allocate. It waits for blocks
// of the multiprocessor that have them. giveColumns is for the same warp.
template <int COLUMNS> INLINE void allocateColumns(u32 to) {
	asm volatile("tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [%0], %1;\n\t"
				 "tcgen05.relinquish_alloc_permit.cta_group::1.sync.aligned;" : : "r"(to), "n"(COLUMNS) : "memory");
}

template <int COLUMNS> INLINE void giveColumns(u32 at) {
	asm volatile("tcgen05.dealloc.cta_group::1.sync.aligned.b32 %0, %1;" : : "r"(at), "n"(COLUMNS) : "memory");
}

INLINE void orderBefore() { asm volatile("tcgen05.fence::before_thread_sync;" : : : "memory"); }
INLINE void orderBehind() { asm volatile("tcgen05.fence::after_thread_sync;" : : : "memory"); }

// describe returns the descriptor of an operand, as that of warpgroup.cuh, in the code of these products.
INLINE u64 describe(u32 at, u32 groups) {
	return (u64)(at >> 4 & 0x3fff) | (u64)(groups >> 4) << 16 | (u64)(1024 >> 4) << 32 | (u64)1 << 46 | (u64)2 << 61;
}

#if defined(DTYPE_bf16)
#define HALF_CODE 1
#else
#define HALF_CODE 0
#endif

// multiplyAdd adds the products of 16 steps to the sums of 128 rows and so many columns, or makes them the sums where fresh. ACROSS says that an operand lies
// across the common axis. One thread of the block calls it.
template <int COLUMNS, bool ACROSS_A, bool ACROSS_B> INLINE void multiplyAdd(u32 sums, u64 a, u64 b, bool fresh) {
	const u32 what = 1 << 4 | HALF_CODE << 7 | HALF_CODE << 10 | ACROSS_A << 15 | ACROSS_B << 16 | COLUMNS / 8 << 17 | 128 / 16 << 24;
	asm volatile("{\n\t.reg .pred p;\n\tsetp.eq.u32 p, %4, 0;\n\ttcgen05.mma.cta_group::1.kind::f16 [%0], %1, %2, %3, p;\n\t}"
				 : : "r"(sums), "l"(a), "l"(b), "r"(what), "r"((u32)fresh) : "memory");
}

// commitProducts arrives at a barrier once all products that the thread has issued have ended.
INLINE void commitProducts(u32 barrier) {
	asm volatile("tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 [%0];" : : "r"(barrier) : "memory");
}

#define COLUMNS8(v, i) "=f"(v[i]), "=f"(v[i + 1]), "=f"(v[i + 2]), "=f"(v[i + 3]), "=f"(v[i + 4]), "=f"(v[i + 5]), "=f"(v[i + 6]), "=f"(v[i + 7])

// loadColumns loads 32 columns of the warp's lanes: a thread those of its own.
INLINE void loadColumns(f32 (&v)[32], u32 from) {
	asm volatile("tcgen05.ld.sync.aligned.32x32b.x32.b32 {%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, "
				 "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31}, [%32];\n\ttcgen05.wait::ld.sync.aligned;"
				 : COLUMNS8(v, 0), COLUMNS8(v, 8), COLUMNS8(v, 16), COLUMNS8(v, 24) : "r"(from) : "memory");
}

// isElected is true in one lane of a warp.
INLINE bool isElected() {
	u32 elected;
	asm volatile("{\n\t.reg .pred p;\n\telect.sync _|p, 0xffffffff;\n\tselp.u32 %0, 1, 0, p;\n\t}" : "=r"(elected));
	return elected;
}
