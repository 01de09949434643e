// Asynchronous copies from global to shared memory, which pass by registers: each thread's copies up to a commit are a group, and groups
// complete in order.
#pragma once

#include "device.cuh"

// copyAsync copies 16 bytes, of which the first so many are read and the others are zeros; both addresses are multiples of 16.
INLINE void copyAsync(u32 to, u64 from, u32 bytes) {
	asm volatile("cp.async.cg.shared.global.L2::128B [%0], [%1], 16, %2;" : : "r"(to), "l"(from), "r"(bytes) : "memory");
}

INLINE void copyAsync(u32 to, u64 from) { asm volatile("cp.async.cg.shared.global.L2::128B [%0], [%1], 16;" : : "r"(to), "l"(from) : "memory"); }

// copyWhole copies 16 bytes, or zeros where inside is 0, and copyElement 4: then nothing is read, whatever the address. A size that is chosen beside the copy is a
// predicate of it.
INLINE void copyWhole(u32 to, u64 from, u32 inside) {
	asm volatile("{\n\t.reg .pred p;\n\t.reg .u32 n;\n\tsetp.ne.u32 p, %2, 0;\n\tselp.u32 n, 16, 0, p;\n\t"
				 "cp.async.cg.shared.global.L2::128B [%0], [%1], 16, n;\n\t}"
				 : : "r"(to), "l"(from), "r"(inside) : "memory");
}

INLINE void copyElement(u32 to, u64 from, u32 inside) {
	asm volatile("{\n\t.reg .pred p;\n\t.reg .u32 n;\n\tsetp.ne.u32 p, %2, 0;\n\tselp.u32 n, 4, 0, p;\n\t"
				 "cp.async.ca.shared.global [%0], [%1], 4, n;\n\t}"
				 : : "r"(to), "l"(from), "r"(inside) : "memory");
}

// goOn adds to an address. Of copies whose lines lie evenly the compiler would multiply for each, by more instructions.
INLINE void goOn(u64 &at, u64 by) { asm("add.s64 %0, %0, %1;" : "+l"(at) : "l"(by)); }

INLINE void commitCopies() { asm volatile("cp.async.commit_group;" : : : "memory"); }

// awaitCopies waits until no more than so many of the thread's groups are on their way.
template <int GROUPS> INLINE void awaitCopies() { asm volatile("cp.async.wait_group %0;" : : "n"(GROUPS) : "memory"); }

// dynamic is the shared memory whose size the launch says.
extern __shared__ __attribute__((aligned(1024))) u8 dynamic[];

INLINE u32 dynamicAddress() { return (u32)(u64)(const __attribute__((address_space(3))) u8 *)dynamic; }
