#include "device.h"

// Philox 4x32-10 of Salmon et al., "Parallel random numbers: as easy as 1, 2, 3".
extern "C" __global__ BOUNDS(256) void philox(u32 *out, u64 seed, u64 offset, u32 n) {
	u32 i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i >= n)
		return;
	u32 c[4] = {(u32)offset, (u32)(offset >> 32), i, 0}, k[2] = {(u32)seed, (u32)(seed >> 32)};
	for (int r = 0; r < 10; r++) {
		u64 a = (u64)0xD2511F53u * c[0], b = (u64)0xCD9E8D57u * c[2];
		u32 next[4] = {(u32)(b >> 32) ^ c[1] ^ k[0], (u32)b, (u32)(a >> 32) ^ c[3] ^ k[1], (u32)a};
		for (int j = 0; j < 4; j++)
			c[j] = next[j];
		k[0] += 0x9E3779B9u, k[1] += 0xBB67AE85u;
	}
	for (int j = 0; j < 4; j++)
		out[4 * i + j] = c[j];
}
