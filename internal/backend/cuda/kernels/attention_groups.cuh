// Attention by warpgroups, each of which has 64 lines, queries or keys, and walks over tiles of the others, its columns, as attention_tile.cuh says. Operands lie in
// boxes of 64 elements of so many rows, whose lines have 128 bytes.
#pragma once

#include "attention_tile.cuh"
#include "transaction.cuh"
#include "warpgroup_fragments.cuh"

#define GROUPS 2 // that multiply

// A Job is what a block has to do: lines from one on, of a head, and the columns that they see.
struct Job {
	Head at;
	u32 line;
	Window window;
	Span columns;
};

// jobOf is that of a block of a grid whose axes are tiles of LINES lines, heads of queries or those of keys, and the batch.
template <bool BY_KEYS, int LINES, int COLUMNS> INLINE Job jobOf(const Attention &p) {
	Job job;
	u32 shares = (u32)p.heads / (u32)p.groups;
	job.at.batch = blockIdx.z;
	job.at.head = BY_KEYS ? blockIdx.y * shares : blockIdx.y, job.at.group = BY_KEYS ? blockIdx.y : blockIdx.y / shares;
	job.line = (BY_KEYS ? blockIdx.x : gridDim.x - 1 - blockIdx.x) * LINES; // with a causal mask those come first that take longest
	job.window = windowOf(p);
	job.columns = spanOf<BY_KEYS, LINES, COLUMNS>(p, job.window, job.line);
	return job;
}

// multiplyRows makes s the products of a group's 64 lines with a tile's columns, which are rows of boxes of BOX ones.
template <int WIDTH, int BOX, int N> INLINE void multiplyRows(FragmentC (&s)[N], u32 lines, u32 columns) {
	u64 a = describe(lines, 0), b = describe(columns, 0);
#pragma unroll
	for (int k = 0; k < WIDTH / 16; k++) {
		multiplyAdd(s, a + (k / 4 * 64 * 128 + k % 4 * 32) / 16, b + (k / 4 * BOX * 128 + k % 4 * 32) / 16, k == 0);
	}
	commitProducts();
}

// addWeighed adds to sums a tile's columns, each with its weight for a line.
template <int BOX, int N, int WIDE> INLINE void addWeighed(FragmentC (&sums)[WIDE], const FragmentA (&w)[N], u32 columns) {
	u64 b = describe(columns, BOX * 128);
#pragma unroll
	for (int k = 0; k < N; k++) {
		multiplyAdd(sums, w[k], b + k * 16 * 128 / 16, false);
	}
	commitProducts();
}

template <int N> INLINE void toWeights(FragmentA (&w)[N], const FragmentC (&s)[2 * N]) {
#pragma unroll
	for (int k = 0; k < N; k++) {
		w[k] = toA(s[2 * k], s[2 * k + 1]);
	}
}
