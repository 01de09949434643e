// Norms of many gradients, and their clipping, by one launch each.
//
// grad_norm takes GradNorm, clip_grad takes ClipGrad. Grid: blocks of 256 threads, any number of them, which share the list.
// dtypes: f32 f64 f16 bf16
#include "last.cuh"
#include "math.cuh"
#include "optimizer.cuh"
#include "reduction.cuh"

// Squares are added by threads, by blocks, and the sums of a gradient's chunks by a warp of the block that ends last, so
// that the chunks alone decide the order.
//
// It says how many blocks have registers: the assembler by itself spills some for more.
KERNEL_OF(JOIN(grad_norm, DTYPE), 256, 5)(const GradNorm o) {
#pragma unroll 1
	for (u64 k = blockIdx.x; k < o.count; k += gridDim.x) {
		Chunk c = chunk(o.list, k);
		f64 sum = joinRow<Total<f64>>(added<T>([&](auto &own) __attribute__((always_inline)) {
			turnsOf(c.grad, 0, 1, 0, c.n, [&](const auto &v, auto) __attribute__((always_inline)) { own.takeSquares(v); });
		}));
		if (threadIdx.x == 0) {
			store<f64>(o.sums, k, sum);
		}
	}
	if (!isLast(o.counter, gridDim.x)) {
		return;
	}
	const u32 lane = threadIdx.x % WARP;
#pragma unroll 1
	for (u64 g = threadIdx.x / WARP; g < o.gradients; g += blockDim.x / WARP) {
		Chunk of = chunk(o.list, o.count + g);
		f64 sum = 0;
#pragma unroll 4
		for (u64 k = lane; k < of.n; k += WARP) {
			sum += left<f64>(o.sums, (i64)(of.state[0] + k));
		}
		for (u32 mask = WARP / 2; mask > 0; mask /= 2) {
			sum += fromLane(sum, mask);
		}
		if (lane == 0) {
			store<f64>(of.p, 0, (f64)wide(Cast<Stored>::of((T)sqrt(sum))));
		}
	}
}

// scale multiplies elements by a number, as many at once as can be moved so.
INLINE void scale(u64 base, u64 n, T by) {
	auto scaled = [&](Stored v) { return Cast<Stored>::of(wide(v) * by); };
	const bool whole = isWhole(base, 0, 1);
#pragma unroll 1
	for (u64 k = threadIdx.x * GROUP; k < n; k += blockDim.x * GROUP) {
		if (whole && k + GROUP <= n) {
			auto group = Lanes<Stored, GROUP>::load(base, (i64)k);
			Lanes<Stored, GROUP> product;
#pragma unroll
			for (int lane = 0; lane < GROUP; lane++) {
				product.put(lane, scaled(group.at(lane)));
			}
			product.store(base, (i64)k);
			continue;
		}
#pragma unroll 1
		for (u64 i = k; i < k + GROUP && i < n; i++) {
			store<Stored>(base, (i64)i, scaled(load<Stored>(base, (i64)i)));
		}
	}
}

// A norm of NaN makes all gradients NaN. Where they are short enough nothing but the norm is read.
ROW_KERNEL(clip_grad, 256)(const ClipGrad o) {
	const f64 by = o.most / (load<f64>(o.norm, 0) + 1e-6);
	if (by >= 1) {
		return;
	}
#pragma unroll 1
	for (u64 k = blockIdx.x; k < o.count; k += gridDim.x) {
		Chunk c = chunk(o.list, k);
		scale(c.p, c.n, (T)by);
	}
}
