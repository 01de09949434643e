// Copies of elements by their size from matrices whose first axis is contiguous in out and whose second is in in. By hand, since it is compiled for
// sizes of elements and not for dtypes.
// dtypes: b8 b16 b32 b64
#include "elementwise.cuh"

#define TILE 32                                    // of a matrix, along either axis
#define HIGH 8                                     // rows of threads
#define PAD (sizeof(T) < 4 ? 4 / (int)sizeof(T) : 1) // elements after which rows lie an odd number of words apart, or of elements

// transpose moves single elements tile by tile through shared memory, so that both operands are moved by rows. Grid: blocks of (32, 8) threads,
// one for each tile along x and y, and one for each matrix along z.
ROW_KERNEL(transpose, 256)(const Elementwise p) {
	__shared__ T tile[TILE][TILE + PAD];
	i64 in = (i64)blockIdx.z * p.strides[1][2], out = (i64)blockIdx.z * p.strides[0][2];
	u32 c0 = blockIdx.x * TILE, r0 = blockIdx.y * TILE;
#pragma unroll
	for (int i = 0; i < TILE; i += HIGH) {
		u32 c = c0 + threadIdx.y + i, r = r0 + threadIdx.x;
		if (c < p.extents[0] && r < p.extents[1]) {
			tile[threadIdx.y + i][threadIdx.x] = load<T>(p.in[0], in + (i64)c * p.strides[1][0] + r);
		}
	}
	__syncthreads();
#pragma unroll
	for (int i = 0; i < TILE; i += HIGH) {
		u32 c = c0 + threadIdx.x, r = r0 + threadIdx.y + i;
		if (c < p.extents[0] && r < p.extents[1]) {
			store<T>(p.out, out + (i64)r * p.strides[0][1] + c, tile[threadIdx.x][threadIdx.y + i]);
		}
	}
}

#define EACH lanes<T>()                    // elements of a vector, and edge of a thread's square
#define EDGE (sizeof(T) < 4 ? 8 : 16)      // squares of a block, along either axis
#define THREADS (EDGE * EDGE)

// turned is word w of row j of a square whose columns are vectors.
INLINE u32 turned(const Lanes<T, EACH> (&in)[EACH], int j, int w) {
	if constexpr (sizeof(T) == 8) {
		return in[w / 2].words[2 * j + w % 2];
	} else if constexpr (sizeof(T) == 4) {
		return in[w].words[j];
	} else if constexpr (sizeof(T) == 2) {
		return __nvvm_prmt(in[2 * w].words[j / 2], in[2 * w + 1].words[j / 2], j % 2 == 0 ? 0x5410 : 0x7632);
	} else {
		u32 pair = j % 4 < 2 ? 0x5140 : 0x7362; // bytes of two rows, which the compiler takes from two columns once
		u32 low = __nvvm_prmt(in[4 * w].words[j / 4], in[4 * w + 1].words[j / 4], pair);
		u32 high = __nvvm_prmt(in[4 * w + 2].words[j / 4], in[4 * w + 3].words[j / 4], pair);
		return __nvvm_prmt(low, high, j % 2 == 0 ? 0x5410 : 0x7632);
	}
}

// transpose_vectors is transpose of rows that can be moved 16 bytes at a time. A thread loads a square of vectors, turns it in registers and leaves
// its rows in shared memory, from which they are stored beside those of its neighbours. Grid: as of transpose, of blocks of THREADS.
ROW_KERNEL(transpose_vectors, THREADS)(const Elementwise p) {
	__shared__ Lanes<T, EACH> tile[EDGE * EACH][EDGE]; // vector x of the rows of square y is vector x ^ y: neighbours of either axis lie in other banks
	i64 in = (i64)blockIdx.z * p.strides[1][2], out = (i64)blockIdx.z * p.strides[0][2];
	u32 x = threadIdx.x % EDGE, y = threadIdx.x / EDGE, edge = EDGE * EACH;
	u32 c0 = blockIdx.x * edge, r0 = blockIdx.y * edge;
	Lanes<T, EACH> square[EACH];
	if (u32 c = c0 + y * EACH, r = r0 + x * EACH; c < p.extents[0] && r < p.extents[1]) {
#pragma unroll
		for (int i = 0; i < EACH; i++) {
			square[i] = Lanes<T, EACH>::load(p.in[0], in + (i64)(c + i) * p.strides[1][0] + r);
		}
	}
#pragma unroll
	for (int j = 0; j < EACH; j++) {
		Lanes<T, EACH> row;
#pragma unroll
		for (int w = 0; w < 4; w++) {
			row.words[w] = turned(square, j, w);
		}
		tile[x * EACH + j][y ^ x] = row;
	}
	__syncthreads();
#pragma unroll
	for (int j = 0; j < EACH; j++) {
		u32 row = j * EDGE + y, c = c0 + x * EACH, r = r0 + row;
		if (c < p.extents[0] && r < p.extents[1]) {
			tile[row][x ^ row / EACH].store(p.out, out + (i64)r * p.strides[0][1] + c);
		}
	}
}
