// Fragments of int8 are those of 16-bit elements, of which each is two numbers: 32 steps. Their sums, which are exact, lie as fragments.cuh says of float32.
#pragma once

#include "fragments.cuh"

struct Wholes {
	i32 v[4];
};

INLINE void multiplyAdd(Wholes &c, const FragmentA &a, const u32 *b) {
	asm volatile("mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
				 : "+r"(c.v[0]), "+r"(c.v[1]), "+r"(c.v[2]), "+r"(c.v[3])
				 : "r"(a.v[0]), "r"(a.v[1]), "r"(a.v[2]), "r"(a.v[3]), "r"(b[0]), "r"(b[1]));
}
