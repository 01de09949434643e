// Matrix products of 16-bit elements on tensor cores, with sums in float32: panels of both operands come into a ring of stages in shared
// memory by asynchronous copies, STAGES-1 ahead of the one that is multiplied.
//
// Every kernel takes Product. Names, parts and the grid are as in product_tile.cu; operands are aligned for 16 bytes along the axis on which they
// lie. Shared memory: STAGES times (rows + columns) * 64 bytes.
// dtypes: bf16 f16
// target: sm_80 ptx74
#include "async.cuh"
#include "fragments.cuh"
#include "result.cuh"

#define STEPS 32  // of a panel, along the common axis

// A Panel of an operand is SIZE of its rows or columns and STEPS steps, as it lies in memory: DEEP ones along the common axis, in lines
// of 64 bytes, others across it. The 16-byte chunks of a line change places with the line, so that neither copies nor matrix loads
// meet a bank twice.
template <int SIZE, bool DEEP, int THREADS> struct Panel {
	static const int BYTES = SIZE * STEPS * 2, LINE = DEEP ? STEPS * 2 : SIZE * 2, CHUNKS = LINE / 16, COUNT = BYTES / 16 / THREADS;
	u64 from[COUNT];
	u32 to[COUNT]; // within the panel
	u32 bytes[COUNT], at[COUNT]; // inside along a line; the step that it starts with

	INLINE u32 place(u32 line, u32 chunk) { return line * LINE + ((chunk ^ (DEEP ? line / 2 % 4 : line % 8)) << 4); }

	__device__ Panel(u64 matrix, i64 across, i64 deep, u32 first, u32 size, u32 begin) {
#pragma unroll
		for (int l = 0; l < COUNT; l++) {
			u32 id = threadIdx.x + l * THREADS, line = id / CHUNKS, chunk = id % CHUNKS;
			to[l] = place(line, chunk);
			if (DEEP) {
				at[l] = chunk * 8;
				from[l] = matrix + (u64)(min(first + line, size - 1) * across + begin + at[l]) * 2;
			} else {
				u32 i = first + chunk * 8;
				at[l] = line;
				bytes[l] = i < size ? min((size - i) * 2, 16) : 0;
				from[l] = matrix + (u64)((begin + line) * deep + (i < size ? i : 0)) * 2;
			}
		}
	}

	// copy starts to copy the next panel, of which left steps are inside.
	INLINE void copy(Panel &p, u32 stage, u32 left, u64 valid, i64 deep) {
#pragma unroll
		for (int l = 0; l < COUNT; l++) {
			u32 n = DEEP ? (p.at[l] < left ? min((left - p.at[l]) * 2, 16) : 0) : (p.at[l] < left ? p.bytes[l] : 0);
			copyAsync(stage + p.to[l], n > 0 ? p.from[l] : valid, n);
			p.from[l] += DEEP ? STEPS * 2 : (u64)deep * STEPS * 2;
		}
	}
};

// finish stores two neighbours of a row, the first of which lies inside.
INLINE void finish(const Product &p, const Place &at, u32 r, u32 c, f32 first, f32 second) {
	if (p.parts != 1 || p.n % 2 != 0 || p.outStrides[2] != 1) {
		finish(p, at, r, c, first);
		if (c + 1 < p.n) {
			finish(p, at, r, c + 1, second);
		}
		return;
	}
	i64 i = at.batch * p.outStrides[0] + r * p.outStrides[1] + c;
	((Global<u32>)(p.out + (u64)i * 2))[0] = pack(finished(p, at.batch, r, c, first), finished(p, at.batch, r, c + 1, second));
}

// A warp computes HIGH rows and WIDE columns of the block's tile.
template <int ROWS, int COLUMNS, int HIGH, int WIDE, int STAGES, bool DEEP_A, bool DEEP_B> INLINE void product(const Product &p) {
	const int THREADS = ROWS * COLUMNS / (HIGH * WIDE) * 32, DOWN = HIGH / 16, ACROSS = WIDE / 8;
	using A = Panel<ROWS, DEEP_A, THREADS>;
	using B = Panel<COLUMNS, DEEP_B, THREADS>;
	const u32 STAGE = A::BYTES + B::BYTES;
	u32 warp = threadIdx.x / 32, lane = threadIdx.x % 32, y = warp / (COLUMNS / WIDE) * HIGH, x = warp % (COLUMNS / WIDE) * WIDE;
	Place at = placeOf<ROWS, COLUMNS>(p, blockIdx.x);
	u32 begin = at.part * (u32)p.part, left = min((u32)p.k - begin, (u32)p.part), panels = (left + STEPS - 1) / STEPS;
	u64 fromA = p.a + (u64)(at.batch * p.aStrides[0]) * 2, fromB = p.b + (u64)(at.batch * p.bStrides[0]) * 2;
	A a(fromA, p.aStrides[1], p.aStrides[2], at.m, (u32)p.m, begin);
	B b(fromB, p.bStrides[2], p.bStrides[1], at.n, (u32)p.n, begin);
	FragmentC sums[DOWN][ACROSS];
#pragma unroll
	for (int i = 0; i < DOWN; i++) {
#pragma unroll
		for (int j = 0; j < ACROSS; j++) {
			sums[i][j] = {};
		}
	}
	// Where the lane's rows of the matrices lie that it loads.
	u32 shared = dynamicAddress(), rowA, rowB;
	if (DEEP_A) {
		rowA = A::place(y + lane % 16, lane / 16);
	} else {
		rowA = A::place(lane / 16 * 8 + lane % 8, y / 8 + lane / 8 % 2);
	}
	if (DEEP_B) {
		rowB = B::place(x + lane % 8 + lane / 16 * 8, lane / 8 % 2);
	} else {
		rowB = B::place(lane % 16, x / 8 + lane / 16);
	}
	rowA += shared;
	rowB += shared + A::BYTES;
	u32 filled = 0; // where the next panels go
#pragma unroll
	for (int s = 0; s < STAGES - 1; s++) {
		if (s < panels) {
			A::copy(a, shared + filled, left, fromA, p.aStrides[2]);
			B::copy(b, shared + filled + A::BYTES, left, fromB, p.bStrides[1]);
			left -= min(left, STEPS);
		}
		commitCopies();
		filled += STAGE;
	}
	u32 used = 0;
#pragma unroll 1
	for (u32 panel = 0; panel < panels; panel++) {
		awaitCopies<STAGES - 2>();
		__syncthreads(); // the panel is there, and the one before is free
		if (left > 0) {
			A::copy(a, shared + filled, left, fromA, p.aStrides[2]);
			B::copy(b, shared + filled + A::BYTES, left, fromB, p.bStrides[1]);
			left -= min(left, STEPS);
		}
		commitCopies();
		filled = filled == (STAGES - 1) * STAGE ? 0 : filled + STAGE;
		FragmentA as[2][DOWN];
		u32 bs[2][ACROSS / 2][4];
		auto fragments = [&](int k) __attribute__((always_inline)) {
#pragma unroll
			for (int i = 0; i < DOWN; i++) {
				u32 row = DEEP_A ? (rowA ^ (k * 32)) + i * 16 * A::LINE : (rowA ^ (i * 32)) + k * 16 * A::LINE;
				loadMatrices<!DEEP_A>(as[k % 2][i].v, row + used);
			}
#pragma unroll
			for (int j = 0; j < ACROSS / 2; j++) {
				u32 row = DEEP_B ? (rowB ^ (k * 32)) + j * 16 * B::LINE : (rowB ^ (j * 32)) + k * 16 * B::LINE;
				loadMatrices<!DEEP_B>(bs[k % 2][j], row + used);
			}
		};
		fragments(0);
#pragma unroll
		for (int k = 0; k < STEPS / 16; k++) {
			if (k + 1 < STEPS / 16) {
				fragments(k + 1);
			}
#pragma unroll
			for (int i = 0; i < DOWN; i++) {
#pragma unroll
				for (int n = 0; n < ACROSS; n++) {
					int j = i % 2 ? ACROSS - 1 - n : n; // to and fro, so that a fragment is used again at once
					multiplyAdd(sums[i][j], as[k % 2][i], &bs[k % 2][j / 2][j % 2 * 2]);
				}
			}
		}
		used = used == (STAGES - 1) * STAGE ? 0 : used + STAGE;
	}
	awaitCopies<0>();
	// Sixteen rows of each warp at a time go through shared memory, so that neighbouring threads store neighbours.
	const int PITCH = WIDE + 8, HALVES = WIDE / 2;
	__attribute__((address_space(3))) f32 *ends = (__attribute__((address_space(3))) f32 *)dynamic + warp * 16 * PITCH;
	Place end = placeOf<ROWS, COLUMNS>(p, thisBlock());
#pragma unroll
	for (int i = 0; i < DOWN; i++) {
		__syncthreads();
#pragma unroll
		for (int j = 0; j < ACROSS; j++) {
			auto to = ends + lane / 4 * PITCH + j * 8 + lane % 4 * 2;
			to[0] = sums[i][j].v[0];
			to[1] = sums[i][j].v[1];
			to[8 * PITCH] = sums[i][j].v[2];
			to[8 * PITCH + 1] = sums[i][j].v[3];
		}
		__syncthreads();
#pragma unroll 1
		for (u32 e = lane; e < 16 * HALVES; e += 32) {
			u32 row = e / HALVES, column = e % HALVES * 2, r = end.m + y + i * 16 + row, c = end.n + x + column;
			if (r < p.m && c < p.n) {
				finish(p, end, r, c, ends[row * PITCH + column], ends[row * PITCH + column + 1]);
			}
		}
	}
}

#define PRODUCT(rows, columns, high, wide, stages, name, deepA, deepB) \
	ROW_KERNEL(product_##rows##x##columns##_mma_##name, rows * columns / (high * wide) * 32)(const Product p) { \
		product<rows, columns, high, wide, stages, deepA, deepB>(p); \
	}
#define PRODUCTS(rows, columns, high, wide, stages) \
	PRODUCT(rows, columns, high, wide, stages, kk, true, true) \
	PRODUCT(rows, columns, high, wide, stages, kn, true, false) \
	PRODUCT(rows, columns, high, wide, stages, mk, false, true) \
	PRODUCT(rows, columns, high, wide, stages, mn, false, false)

PRODUCTS(128, 128, 64, 64, 4)
PRODUCTS(64, 64, 32, 32, 4)
