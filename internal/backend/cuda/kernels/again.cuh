// What is found out again wherever it is needed, and so takes no register in between.
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
