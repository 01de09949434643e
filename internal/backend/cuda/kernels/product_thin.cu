// Products with few columns, such as a matrix with a vector: what counts is that the large operand is read once, by the whole device.
//
// Every kernel takes Product, with n up to COLUMNS. product_thin_1_k: the rows of a lie along the common axis, and a warp computes two,
// each lane from 4 neighbours of every 128 steps; the lanes' sums are added in a tree. The others: a lane computes a row, each of 16 warps from 32 bytes of every
// 16 times as much, and the warps' sums are added in their order; the rows of a lie along the common axis in product_thin_COLUMNS_k, and in any way in _m. Parts
// are as in product_tile.cu. Grid: a block for each rows, part and matrix: of 8 and 128 threads for product_thin_1_k, else of 32 and 512.
// dtypes: f32 f64 bf16 f16
#include "again.cuh"
#include "math.cuh"
#include "result.cuh"

static const int WARPS = 16, EACH = 32 / sizeof(E), STEPS = WARPS * EACH; // steps of a warp at a time, and of a block
static const int AHEAD = EACH / 2;                                          // vectors of a row on their way

// vector loads up to 4 neighbours from there on; aligned ones at once, with the same result.
INLINE Four vector(u64 from, u32 count, bool whole) {
	if (whole && count >= 4) {
		return fours(from);
	}
	Four v;
#pragma unroll
	for (int j = 0; j < 4; j++) {
		v[j] = j < count ? element(from, j) : 0;
	}
	return v;
}

// aligned reports whether vectors can be loaded from lines that lie so many elements apart, of which there are so many.
INLINE bool aligned(u64 from, i64 apart, u64 lines) {
	return from % (4 * sizeof(E)) == 0 && (apart % 4 == 0 || lines == 1);
}

INLINE void byWarps(const Product &p) {
	const int ROWS = 2;
	Place at = placeOf<4 * ROWS, 1>(p, blockIdx.x);
	u32 begin = at.part * (u32)p.part, end = min(begin + (u32)p.part, (u32)p.k);
	u32 lane = threadIdx.x % 32, first = at.m + threadIdx.x / 32 * ROWS;
	if (first >= p.m) {
		return;
	}
	i64 step = p.bStrides[1];
	u64 a = p.a + (u64)(at.batch * p.aStrides[0] + begin) * sizeof(E), b = p.b + (u64)(at.batch * p.bStrides[0] + begin * step) * sizeof(E);
	bool wholeA = aligned(a, p.aStrides[1], p.m), wholeB = step == 1 && aligned(b, 0, 1);
	u64 rows[ROWS];
#pragma unroll
	for (int r = 0; r < ROWS; r++) {
		rows[r] = a + (u64)(min(first + r, (u32)p.m - 1) * p.aStrides[1]) * sizeof(E);
	}
	Sum sums[ROWS] = {};
#pragma unroll AHEAD
	for (u32 k = lane * 4; k < end - begin; k += 128) {
		u32 left = end - begin - k;
		Four bs;
		if (step == 1) {
			bs = vector(b + (u64)k * sizeof(E), left, wholeB);
		} else {
#pragma unroll
			for (int j = 0; j < 4; j++) {
				bs[j] = j < left ? element(b, (k + j) * step) : 0;
			}
		}
#pragma unroll
		for (int r = 0; r < ROWS; r++) {
			Four as = vector(rows[r] + (u64)k * sizeof(E), left, wholeA);
#pragma unroll
			for (int j = 0; j < 4; j++) {
				sums[r] = fma(as[j], bs[j], sums[r]);
			}
		}
	}
#pragma unroll
	for (int r = 0; r < ROWS; r++) {
#pragma unroll
		for (u32 mask = 16; mask > 0; mask /= 2) {
			sums[r] += fromLane(sums[r], mask);
		}
	}
	if (lane < ROWS && first + lane < p.m) {
		finish(p, at, first + lane, 0, lane == 0 ? sums[0] : sums[1]);
	}
}

// fetch loads the lane's elements of a row, of which left are inside.
template <bool DEEP> INLINE void fetch(Sum (&as)[EACH], u64 from, i64 step, u32 left, bool whole) {
	if constexpr (DEEP) {
#pragma unroll
		for (u32 i = 0; i < EACH; i += 4) {
			Four v = vector(from + i * sizeof(E), i < left ? left - i : 0, whole);
#pragma unroll
			for (int j = 0; j < 4; j++) {
				as[i + j] = v[j];
			}
		}
	} else {
#pragma unroll
		for (u32 i = 0; i < EACH; i++) {
			as[i] = i < left ? element(from, i * step) : 0;
		}
	}
}

template <int COLUMNS, bool DEEP> INLINE void byLanes(const Product &p) {
	__shared__ __attribute__((aligned(16))) Sum bs[2][STEPS * COLUMNS];
	__shared__ Sum sides[WARPS][32];
	Place at = placeOf<32, COLUMNS>(p, blockIdx.x);
	u32 begin = at.part * (u32)p.part, left = min((u32)p.part, (u32)p.k - begin);
	u32 warp = threadIdx.x / 32, lane = threadIdx.x % 32, row = at.m + lane, mine = warp * EACH;
	i64 step = DEEP ? 1 : p.aStrides[2];
	u64 a = p.a + (u64)(at.batch * p.aStrides[0] + min(row, (u32)p.m - 1) * p.aStrides[1] + (begin + mine) * step) * sizeof(E);
	u64 b = p.b + (u64)(at.batch * p.bStrides[0] + begin * p.bStrides[1]) * sizeof(E);
	bool whole = aligned(a, p.aStrides[1], p.m);
	Sum sums[COLUMNS] = {}, as[EACH];
	u32 side = 0;
#pragma unroll 1
	for (u32 k = 0; k < left; k += STEPS) {
		fetch<DEEP>(as, a, step, k + mine < left ? left - k - mine : 0, whole);
		a += (u64)(STEPS * step) * sizeof(E);
#pragma unroll 1
		for (u32 i = threadIdx.x; i < STEPS * COLUMNS; i += WARPS * 32) {
			u32 s = k + i / COLUMNS, c = i % COLUMNS;
			bs[side][i] = s < left && c < p.n ? element(b, s * p.bStrides[1] + c * p.bStrides[2]) : 0;
		}
		__syncthreads(); // the other side is free after the next one
#pragma unroll
		for (int i = 0; i < EACH; i++) {
#pragma unroll
			for (int c = 0; c < COLUMNS; c++) {
				sums[c] = fma(as[i], bs[side][(mine + i) * COLUMNS + c], sums[c]);
			}
		}
		side ^= 1;
	}
#pragma unroll
	for (int c = 0; c < COLUMNS; c++) {
		__syncthreads();
		sides[warp][lane] = sums[c];
		__syncthreads();
		if (warp == 0) {
			Sum sum = 0;
#pragma unroll
			for (int w = 0; w < WARPS; w++) {
				sum += sides[w][lane];
			}
			bs[0][lane * COLUMNS + c] = sum;
		}
	}
	__syncthreads();
	at = placeOf<32, COLUMNS>(p, thisBlock()); // registers of the loop are few
	for (u32 i = threadIdx.x; i < 32 * COLUMNS; i += WARPS * 32) {
		u32 r = at.m + i / COLUMNS, c = i % COLUMNS;
		if (r < p.m && c < p.n) {
			finish(p, at, r, c, bs[0][i]);
		}
	}
}

#define THIN(columns, axis, deep) \
	ROW_KERNEL(product_thin_##columns##_##axis, 512)(const Product p) { byLanes<columns, deep>(p); }

ROW_KERNEL(product_thin_1_k, 128)(const Product p) { byWarps(p); }
THIN(1, m, false)
THIN(4, k, true)
THIN(4, m, false)
THIN(8, k, true)
THIN(8, m, false)
THIN(16, k, true)
THIN(16, m, false)
