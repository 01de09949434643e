// What the compiler is to compute again wherever it is needed, so that it takes no register in between, and what it is to keep in one.
#pragma once

#include "device.cuh"

// thisThread is threadIdx.x, which the compiler takes for another number each time where registers are FEW, so that it keeps nothing that follows from it.
template <bool FEW> INLINE u32 thisThread() {
	u32 id = threadIdx.x;
	if constexpr (FEW) {
		asm volatile("mov.u32 %0, %%tid.x;" : "=r"(id));
	}
	return id;
}

// thisBlock is blockIdx.x, which the compiler takes for another number each time: what was computed from it needs no registers in between.
INLINE u32 thisBlock() {
	u32 id;
	asm volatile("mov.u32 %0, %%ctaid.x;" : "=r"(id));
	return id;
}

// held is a number as the lane itself tells it: the assembler cannot compute it again wherever it is needed, and so keeps it in a register. All lanes of the
// warp take part.
INLINE u32 held(u32 v) { return fromLane(v + threadIdx.x, 0) - threadIdx.x; }

// renew has the compiler take a place for another one: what it computes from it in a loop it computes as it is used, and keeps none of it in registers.
template <class V> INLINE void renew(V &at) { asm volatile("" : "+l"(at)); }
