// Tiles of 16-bit elements in shared memory: lines of WIDTH elements, whose 16-byte chunks change places with the line, so that neither copies nor
// matrix loads meet a bank twice.
#pragma once

#include "async.cuh"
#include "fragments.cuh"

// swapped is where a chunk of a line of so many bytes lies in it: lines of an odd multiple of 64 bytes start in either half of the banks.
template <int LINE> INLINE u32 swapped(u32 line, u32 chunk) { return chunk ^ (LINE % 128 == 64 ? line / 2 % 4 : line % 8); }

template <int WIDTH> struct Swizzled {
	static const int LINE = WIDTH * 2, CHUNKS = WIDTH / 8, PERIOD = LINE % 128 == 64 ? 64 : 128;

	INLINE u32 place(u32 line, u32 chunk) { return line * LINE + (swapped<LINE>(line, chunk) << 4); }

	// along is the address of what lies 16·k elements behind an address that place has told, of one of the first two chunks.
	INLINE u32 along(u32 at, u32 k) { return (at ^ (k * 32 % PERIOD)) + k * 32 / PERIOD * PERIOD; }

	// Where the lane's rows lie of the matrices of a fragment: of an operand a, and of b where columns are lines or steps are.
	INLINE u32 ofA() { return place(threadIdx.x % 16, threadIdx.x / 16 % 2); }
	INLINE u32 ofB() { return place(threadIdx.x % 8 + threadIdx.x / 16 % 2 * 8, threadIdx.x / 8 % 2); }
	INLINE u32 ofTurnedB() { return ofA(); }

	// copy starts to copy ROWS lines, by all threads of a block or by those of a warp, of which the first `left` are inside, and of these so many elements; zeros stand for
	// others. Lines are aligned for 16 bytes, and lie stride elements apart.
	template <int ROWS, int THREADS> INLINE void copy(u32 to, u64 from, i64 stride, u32 left, u32 width) {
		const int AT_ONCE = THREADS / CHUNKS;
		u32 thread = threadIdx.x % THREADS, first = thread / CHUNKS, chunk = thread % CHUNKS;
		if (THREADS % CHUNKS != 0 && first >= AT_ONCE) {
			return;
		}
		u32 bytes = chunk * 8 >= width ? 0 : width - chunk * 8 >= 8 ? 16 : (width - chunk * 8) * 2;
		u64 at = from + (u64)((i64)first * stride + chunk * 8) * 2;
#pragma unroll
		for (int l = 0; l * AT_ONCE < ROWS; l++) {
			u32 line = first + l * AT_ONCE;
			if (ROWS % AT_ONCE == 0 || line < ROWS) {
				copyAsync(to + place(line, chunk), at, line < left ? bytes : 0);
			}
			at += (u64)(stride * AT_ONCE) * 2;
		}
	}
};
