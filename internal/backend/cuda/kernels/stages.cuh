// How a block goes through panels of both operands of a product, which asynchronous copies bring into a ring of stages in shared memory, STAGES-1
// ahead of the one that is multiplied.
#pragma once

#include "async.cuh"

// eachPanel has multiply take so many panels, each from a stage that starts so many bytes into shared memory. fill starts to copy the next panels, if
// there are any, to an address.
template <int STAGES, class Fill, class Multiply> INLINE void eachPanel(u32 panels, u32 bytes, Fill fill, Multiply multiply) {
	u32 shared = dynamicAddress(), used = 0, filled = (STAGES - 1) * bytes;
#pragma unroll
	for (int s = 0; s < STAGES - 1; s++) {
		fill(shared + s * bytes);
		commitCopies();
	}
#pragma unroll 1
	for (u32 panel = 0; panel < panels; panel++) {
		awaitCopies<STAGES - 2>();
		__syncthreads(); // the panels are there, and those before are free
		fill(shared + filled);
		commitCopies();
		filled = used;
		multiply(used);
		used = used == (STAGES - 1) * bytes ? 0 : used + bytes;
	}
	awaitCopies<0>();
}
