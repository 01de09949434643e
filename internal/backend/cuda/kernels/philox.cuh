// The counter-based generator of random numbers.
#pragma once

#include "device.cuh"

struct Words {
	u32 x, y, z, w;
};

// philox is four words of the stream of a thread (Salmon, Moraes, Dror and Shaw, 2011).
INLINE Words philox(u64 seed, u64 counter, u64 stream) {
	Words c = {(u32)counter, (u32)(counter >> 32), (u32)stream, (u32)(stream >> 32)};
	u32 key0 = (u32)seed, key1 = (u32)(seed >> 32);
#pragma unroll
	for (int round = 0; round < 10; round++) {
		u64 first = (u64)0xd2511f53 * c.x, second = (u64)0xcd9e8d57 * c.z;
		c = {(u32)(second >> 32) ^ c.y ^ key0, (u32)second, (u32)(first >> 32) ^ c.w ^ key1, (u32)first};
		key0 += 0x9e3779b9;
		key1 += 0xbb67ae85;
	}
	return c;
}
