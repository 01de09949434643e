// The gradients of weight and bias of a layer normalization: sums of columns, in parts.
#pragma once

#include "last.cuh"
#include "layernorm_rows.cuh"

// weights is how many elements weight and bias have.
INLINE u64 weights(const LayerNorm &p) { return p.columns / p.each * p.groups; }

// finish writes the gradients of an element of weight and bias, Σ dy · x̂ and Σ dy, or keeps those of one of several parts.
INLINE void finish(const LayerNorm &p, u64 parts, u64 part, u64 at, f64 dot, f64 sum) {
	if (parts > 1) {
		i64 kept = (i64)(2 * (part * weights(p) + at));
		store<f64>(p.sums, kept, dot);
		store<f64>(p.sums, kept + 1, sum);
		return;
	}
	store<T>(p.dweight, (i64)at, (T)dot);
	if (p.dbias != 0) {
		store<T>(p.dbias, (i64)at, (T)sum);
	}
}

// joinParts adds the parts of an element of weight and bias in order.
INLINE void joinParts(const LayerNorm &p, u64 at) {
	u64 all = weights(p);
	f64 dot = 0, sum = 0;
#pragma unroll 1
	for (u64 part = 0; part < p.parts; part++) {
		dot += left<f64>(p.sums, (i64)(2 * (part * all + at)));
		sum += left<f64>(p.sums, (i64)(2 * (part * all + at) + 1));
	}
	finish(p, 1, 0, at, dot, sum);
}

#define HIGH 8 // threads of a column
#define MANY 8 // rows that a thread loads at once

// Factors are of some rows of a column: dy, x and the row's figures.
struct Factors {
	T dy[MANY], x[MANY], mean[MANY], invstd[MANY];

	// read loads those of every HIGH-th row from r on, and 0 for rows from end on.
	__device__ __attribute__((always_inline)) void read(const LayerNorm &p, u64 r, u64 end, u64 column) {
		auto each = [&](auto body) {
#pragma unroll
			for (int m = 0; m < MANY; m++) {
				u64 row = r + m * HIGH;
				body(m, row < end, (i64)row, (i64)(row * p.columns + column));
			}
		};
		if (!withHalf(p.otherType, [&](auto zero) {
				each([&](int m, bool inside, i64, i64 at) { dy[m] = inside ? wide(load<decltype(zero)>(p.dy, at)) : (T)0; });
			})) {
			each([&](int m, bool inside, i64, i64 at) { dy[m] = inside ? ::read(p.dy, at) : (T)0; });
		}
		each([&](int m, bool inside, i64 row, i64 at) {
			x[m] = inside ? ::read(p.x, at) : (T)0;
			mean[m] = inside && p.mean != 0 ? load<T>(p.mean, row) : (T)0;
			invstd[m] = inside ? load<T>(p.invstd, row) : (T)0;
		});
	}
};

// Slopes are both sums of a column, Σ dy · x̂ and Σ dy.
struct SlopeSums {
	f64 dot, sum;
};
template <class S> struct Slopes {
	Fine<S> dot, sum;

	__device__ __attribute__((always_inline)) void take(const Factors &of) {
#pragma unroll
		for (int m = 0; m < MANY; m++) {
			sum = add(sum, (S)of.dy[m]);
			if constexpr (sizeof(S) == 4) {
				dot = add(dot, times(times(away((S)of.x[m], (S)of.mean[m]), (S)of.invstd[m]), (S)of.dy[m]));
			} else {
				dot += (f64)of.dy[m] * ((f64)of.x[m] - (f64)of.mean[m]) * (f64)of.invstd[m];
			}
		}
		dot = settled(dot);
		sum = settled(sum);
	}

	// holds tells whether float32 has held both; of so little a dot product it lacks digits.
	__device__ __attribute__((always_inline)) bool holds() const {
		return isFinite(dot) && isFinite(sum) && (dot.high == 0 || abs(dot.high) >= 0x1p-70f);
	}
	__device__ __attribute__((always_inline)) SlopeSums value() const { return {whole(dot), whole(sum)}; }
};

// weightSums adds up the gradients of 32 elements of weight and bias: the HIGH threads of a column each take every HIGH-th row of a part, and their sums are
// added in order; the last of a column's blocks joins the parts.
INLINE void weightSums(const LayerNorm &p) {
	__shared__ f64 dots[HIGH][WARP], sums[HIGH][WARP];
	u32 thread = threadIdx.y * blockDim.x + threadIdx.x, x = thread % WARP, y = thread / WARP, blocks = p.sumBlocks / (u32)p.parts;
	u64 block = blockIdx.x % blocks, part = blockIdx.x / blocks, column = block * WARP + x, each = (p.rows + p.parts - 1) / p.parts;
	u64 end = (part + 1) * each < p.rows ? (part + 1) * each : p.rows;
	auto [dot, sum] = added<T, Slopes>([&](auto &own) __attribute__((always_inline)) {
#pragma unroll 1
		for (u64 r = part * each + y; column < p.columns && y < HIGH && r < end; r += MANY * HIGH) {
			Factors of;
			of.read(p, r, end, column);
			own.take(of);
		}
	});
	if (y < HIGH) {
		dots[y][x] = dot;
		sums[y][x] = sum;
	}
	__syncthreads();
	bool mine = y == 0 && column < p.columns;
	if (mine) {
#pragma unroll 1
		for (int k = 1; k < HIGH; k++) {
			dot += dots[k][x];
			sum += sums[k][x];
		}
		finish(p, p.parts, part, column, dot, sum);
	}
	if (p.parts > 1 && isLast(p.firstCounter + block, p.parts) && mine) {
		joinParts(p, column);
	}
}
