// Products of a warpgroup whose elements are int8, along the common axis: lines of 128 bytes hold 128 of them. Sums are exact, and lie as in warpgroup.cuh.
#pragma once

#include "warpgroup.cuh"

#define WHOLES4(s, i) "+r"(s[i]), "+r"(s[i + 1]), "+r"(s[i + 2]), "+r"(s[i + 3])
#define WHOLES16(s, i) WHOLES4(s, i), WHOLES4(s, i + 4), WHOLES4(s, i + 8), WHOLES4(s, i + 12)
#define WHOLES64(s, i) WHOLES16(s, i), WHOLES16(s, i + 16), WHOLES16(s, i + 32), WHOLES16(s, i + 48)

// multiplyAdd adds the products of 32 steps, as many bytes as 16 of half types, to the sums of 128 columns, or makes them the sums where fresh.
template <bool ACROSS_A, bool ACROSS_B> INLINE void multiplyAdd(i32 (&sums)[64], u64 a, u64 b, bool fresh) {
	static_assert(!ACROSS_A && !ACROSS_B, "");
	asm volatile("{\n\t.reg .pred p;\n\tsetp.eq.u32 p, %[fresh], 0;\n\t"
				 "wgmma.mma_async.sync.aligned.m64n128k32.s32.s8.s8 {" NAMES64 "}, %[a], %[b], p;\n\t}"
				 : WHOLES64(sums, 0) : [a] "l"(a), [b] "l"(b), [fresh] "r"((u32)fresh));
}
