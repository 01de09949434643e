// Layer normalisation and its gradients. Sums are taken in float64.
//
// Every kernel takes LayerNorm. layer_norm and layer_norm_grad: a row of threads for each row: blocks of (32, 8) threads up to
// 1024 columns and of (256, 1) beyond. layer_norm_sums: blocks of (32, 8) threads; x walks over the columns, ⌈columns/32⌉
// blocks, y over the parts. layer_norm_totals joins more than one part: blocks of 256 threads, any number of them: as many as
// there are columns.
// dtypes: f32 f64
#include "params.cuh"
#include "reduction.cuh"
#include "math.cuh"

// sumOf adds what value makes of the places of a row and their columns; every thread of the row gets the sum.
template <class Value> INLINE f64 sumOf(const LayerNorm &p, u64 r, Value value) {
	f64 sum = 0;
#pragma unroll 1
	for (u64 k = threadIdx.x; k < p.columns; k += blockDim.x) {
		sum += value((i64)(r * p.columns + k), (i64)k);
	}
	return joinRow<Total<f64>>(sum);
}

// y = (x - mean) / √(variance + eps) · weight + bias
ROW_KERNEL(layer_norm, 256)(const LayerNorm p) {
	u64 r = row();
	if (r >= p.rows) {
		return;
	}
	f64 columns = (f64)(i64)p.columns;
	f64 mean = sumOf(p, r, [&](i64 at, i64) { return (f64)load<T>(p.x, at); }) / columns;
	f64 variance = sumOf(p, r, [&](i64 at, i64) {
		f64 distance = (f64)load<T>(p.x, at) - mean;
		return distance * distance;
	}) / columns;
	f64 invstd = 1 / sqrt(variance + p.eps);
	if (threadIdx.x == 0) {
		store<T>(p.mean, (i64)r, (T)mean);
		store<T>(p.invstd, (i64)r, (T)invstd);
	}
	u64 first = p.groups == 1 ? 0 : r % p.groups * (p.columns / p.each);
#pragma unroll 1
	for (u64 k = threadIdx.x; k < p.columns; k += blockDim.x) {
		i64 at = (i64)(r * p.columns + k), w = (i64)(first + (p.each == 1 ? k : k / p.each));
		T v = (T)(((f64)load<T>(p.x, at) - mean) * invstd);
		if (p.weight != 0) {
			v *= load<T>(p.weight, w);
		}
		if (p.bias != 0) {
			v += load<T>(p.bias, w);
		}
		store<T>(p.y, at, v);
	}
}

// dx = invstd · (g - mean(g) - x̂ · mean(g · x̂)), with x̂ = (x - mean) · invstd and g = dy · weight.
ROW_KERNEL(layer_norm_grad, 256)(const LayerNorm p) {
	u64 r = row();
	if (r >= p.rows) {
		return;
	}
	f64 columns = (f64)(i64)p.columns, mean = (f64)load<T>(p.mean, (i64)r), invstd = (f64)load<T>(p.invstd, (i64)r);
	auto g = [&](i64 at, i64 k) {
		f64 dy = (f64)load<T>(p.dy, at);
		return p.weight != 0 ? dy * (f64)load<T>(p.weight, k) : dy;
	};
	f64 sum = sumOf(p, r, g) / columns;
	f64 dot = sumOf(p, r, [&](i64 at, i64 k) { return g(at, k) * ((f64)load<T>(p.x, at) - mean); }) * invstd / columns;
#pragma unroll 1
	for (u64 k = threadIdx.x; k < p.columns; k += blockDim.x) {
		i64 at = (i64)(r * p.columns + k);
		store<T>(p.dx, at, (T)(invstd * (g(at, (i64)k) - sum - ((f64)load<T>(p.x, at) - mean) * invstd * dot)));
	}
}

// put writes a column's gradients: Σ dy · x̂ of the weight, Σ dy of the bias.
INLINE void put(const LayerNorm &p, u64 column, f64 dot, f64 sum) {
	store<T>(p.dweight, (i64)column, (T)dot);
	store<T>(p.dbias, (i64)column, (T)sum);
}

// The 8 threads of a column each take every 8th row of a part, and their sums are added in order.
ROW_KERNEL(layer_norm_sums, 256)(const LayerNorm p) {
	__shared__ f64 dots[8][WARP], sums[8][WARP];
	u64 column = (u64)blockIdx.x * WARP + threadIdx.x, each = (p.rows + p.parts - 1) / p.parts;
	u64 part = blockIdx.y, end = (part + 1) * each < p.rows ? (part + 1) * each : p.rows;
	f64 dot = 0, sum = 0;
	if (column < p.columns) {
#pragma unroll 1
		for (u64 r = part * each + threadIdx.y; r < end; r += 8) {
			i64 at = (i64)(r * p.columns + column);
			f64 dy = (f64)load<T>(p.dy, at), mean = (f64)load<T>(p.mean, (i64)r);
			sum += dy;
			dot += dy * ((f64)load<T>(p.x, at) - mean) * (f64)load<T>(p.invstd, (i64)r);
		}
	}
	dots[threadIdx.y][threadIdx.x] = dot;
	sums[threadIdx.y][threadIdx.x] = sum;
	__syncthreads();
	if (threadIdx.y != 0 || column >= p.columns) {
		return;
	}
#pragma unroll 1
	for (int y = 1; y < 8; y++) {
		dot += dots[y][threadIdx.x];
		sum += sums[y][threadIdx.x];
	}
	if (p.parts == 1) {
		put(p, column, dot, sum);
	} else {
		store<f64>(p.sums, (i64)(2 * (part * p.columns + column)), dot);
		store<f64>(p.sums, (i64)(2 * (part * p.columns + column) + 1), sum);
	}
}

ROW_KERNEL(layer_norm_totals, 256)(const LayerNorm p) {
#pragma unroll 1
	for (u64 column = thread(); column < p.columns; column += threads()) {
		f64 dot = 0, sum = 0;
#pragma unroll 1
		for (u64 part = 0; part < p.parts; part++) {
			dot += load<f64>(p.sums, (i64)(2 * (part * p.columns + column)));
			sum += load<f64>(p.sums, (i64)(2 * (part * p.columns + column) + 1));
		}
		put(p, column, dot, sum);
	}
}
