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
		case 0: acc += 17; break;
		case 1: acc ^= v; break;
		case 2: acc = acc << 3 | acc >> 29; break;
		case 3: acc -= a; // on to 4
		case 4: acc *= 7; break;
		default: acc = ~acc;
		}
	}
done:
	out[i] = acc + v;
}

// Shuffles, votes and barriers in turn, over a ring in shared memory.
extern "C" __global__ void mix(u32 *out, const u32 *x, u32 rounds) {
	extern __shared__ u32 ring[];
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
		v += __nvvm_vote_ballot_sync(all, v & 1);
		v += __nvvm_vote_any_sync(all, v == 5) + 2 * __nvvm_vote_all_sync(all, v != 5);
		__nvvm_bar_warp_sync(all);
	}
	if (__nvvm_bar0_or(v == 0) || __nvvm_bar0_and(v > 1000000))
		v++;
	v += __nvvm_bar0_popc(v & 1);
	out[blockIdx.x * n + t] = v;
}

extern "C" __global__ void local_array(u32 *out, const u32 *x, u32 n) {
	u32 i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i >= n)
		return;
	u32 a[16];
	for (u32 j = 0; j < 16; j++)
		a[j] = x[i] >> j;
	for (u32 j = 0; j < 16; j++)
		a[x[i] >> j & 15] += a[j] * j;
	u32 s = 0;
	for (u32 j = 0; j < 16; j++)
		s = s * 33 + a[j];
	out[i] = s;
}

__constant__ u32 table[8] = {3, 1, 4, 1, 5, 9, 2, 6};
__device__ u32 counter = 40;

extern "C" __global__ void symbols(u32 *out) {
	u32 t = threadIdx.x;
	const u32 *p = t & 1 ? &table[t & 7] : &counter;
	out[t] = *p + table[t >> 1 & 7];
	__syncthreads();
	if (t == 0)
		counter += 2;
}
