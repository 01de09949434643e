#include "device.h"

// Nested loops whose trip counts depend on the data, with breaks and continues.
extern "C" __global__ void torture(u32 *out, const u32 *x, u32 n) {
	u32 i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i >= n)
		return;
	u32 v = x[i], acc = 0;
	for (u32 a = 0; a < v % 13; a++) {
		if ((v >> a & 1) && a % 3 == 2)
			continue;
		for (u32 b = a; b < 20; b++) {
			acc = acc * 31 + (a ^ b);
			if ((acc & 7) == (v & 7))
				break;
			if (acc % 97 == 5)
				goto done;
		}
		switch (acc % 6) {
		case 0: acc ^= v; break;
		case 2: acc = acc << 3 | acc >> 29; break;
		case 5: acc -= a; // on to the default
		default: acc *= 7;
		}
	}
done:
	out[i] = acc + v;
}

// Shuffles and barriers in turn, over a ring in shared memory, in blocks of 128 threads.
extern "C" __global__ void mix(u32 *out, const u32 *x, u32 rounds) {
	__shared__ u32 ring[128];
	u32 t = threadIdx.x, n = blockDim.x;
	u32 v = x[blockIdx.x * n + t];
	for (u32 r = 0; r < rounds; r++) {
		ring[t] = v;
		__syncthreads();
		v += ring[(t + r * 7 + 1) % n];
		__syncthreads();
		v ^= __nvvm_shfl_sync_up_i32(all, v, 1, 0);
		v += __nvvm_shfl_sync_down_i32(all, v, 2, 31);
		v ^= __nvvm_shfl_sync_idx_i32(all, v, r, 31);
		v += __nvvm_shfl_sync_bfly_i32(all, v, 5, 31);
		v ^= __nvvm_shfl_sync_idx_i32(all, v, r & 7, 0x181f); // among eight
	}
	out[blockIdx.x * n + t] = v;
}

__constant__ u32 table[8] = {3, 1, 4, 1, 5, 9, 2, 6};
__device__ u32 counter = 40;

extern "C" __global__ void symbols(u32 *out) {
	u32 t = threadIdx.x;
	out[t] = counter + table[t >> 1 & 7];
	__syncthreads();
	if (t == 0)
		counter += 2;
}
