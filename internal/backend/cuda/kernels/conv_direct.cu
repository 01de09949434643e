// Convolutions of few channels in each group, depthwise ones above all, and their gradients, without tiles: threads read x, or dy, through the
// cache.
//
// Every kernel takes TiledConvolution, of operands as they lie: weights as [output][channel][tap]. A thread computes STRIP places of the result, one below the
// other. conv_direct_3x3, _5x5 and their _stride2: windows of that size over one channel, without dilation; gradients have no stride. conv_direct:
// any; grid: flat along x, a phase for each block along y. conv_weight_direct: a block of 256 threads along x for each output and channel, along y for
// each MOST_TAPS taps, along z for each part.
// dtypes: f32 bf16 f16
#include "conv_weights.cuh"

#define STRIP 4
#define MOST_TAPS 9

// A Column is where a thread works: at places y and further and x of a plane of the result.
struct Column {
	u32 plane, channel, y, x; // the channel counts those of all groups

	INLINE Column of(const TiledConvolution &p, u32 i, u32 high, u32 wide) {
		u32 strips = (high + STRIP - 1) / STRIP, line = i / wide, plane = line / strips, channels = p.groups * p.rows;
		return {plane, plane % channels, (line - plane * strips) * STRIP, i - line * wide};
	}
};

INLINE f32 biasOf(const TiledConvolution &p, u32 channel) { return p.bias != 0 ? element(p.bias, channel) : 0; }

template <int WINDOW, int STRIDE> INLINE void slide(const TiledConvolution &p) {
	const int HIGH = (STRIP - 1) * STRIDE + WINDOW;
	u32 count = p.images * p.groups * p.rows * ((p.outSize[0] + STRIP - 1) / STRIP) * p.outSize[1];
	i32 padDown = p.gradient ? WINDOW - 1 - (i32)p.padding[0] : (i32)p.padding[0], padAcross = p.gradient ? WINDOW - 1 - (i32)p.padding[1] : (i32)p.padding[1];
	for (u64 i = thread(); i < count; i += threads()) {
		Column c = Column::of(p, (u32)i, p.outSize[0], p.outSize[1]);
		f32 weights[WINDOW * WINDOW], sums[STRIP];
#pragma unroll
		for (int t = 0; t < WINDOW * WINDOW; t++) {
			u32 tap = p.gradient ? WINDOW * WINDOW - 1 - t : t;
			weights[t] = element(p.left, (i64)c.channel * WINDOW * WINDOW + tap);
		}
#pragma unroll
		for (int o = 0; o < STRIP; o++) {
			sums[o] = biasOf(p, c.channel);
		}
		i32 top = (i32)c.y * STRIDE - padDown, side = (i32)c.x * STRIDE - padAcross;
		i64 from = ((i64)(c.plane / p.rows) * p.inSize[0] + top) * p.inSize[1] + side;
#pragma unroll
		for (int r = 0; r < HIGH; r++) {
#pragma unroll
			for (int s = 0; s < WINDOW; s++) {
				bool inside = (u32)(top + r) < p.inSize[0] && (u32)(side + s) < p.inSize[1];
				f32 v = inside ? element(p.right, from + (i64)r * p.inSize[1] + s) : 0;
#pragma unroll
				for (int o = 0; o < STRIP; o++) {
					int row = r - o * STRIDE;
					if (row >= 0 && row < WINDOW) {
						sums[o] = __builtin_fmaf(weights[row * WINDOW + s], v, sums[o]);
					}
				}
			}
		}
		i64 to = ((i64)c.plane * p.outSize[0] + c.y) * p.outSize[1] + c.x;
#pragma unroll
		for (int o = 0; o < STRIP; o++) {
			if (c.y + o < p.outSize[0]) {
				store<E>(p.out, to + (i64)o * p.outSize[1], Cast<E>::of(sums[o]));
			}
		}
	}
}

ROW_KERNEL(conv_direct_3x3, 256)(const TiledConvolution p) { slide<3, 1>(p); }
ROW_KERNEL(conv_direct_3x3_stride2, 256)(const TiledConvolution p) { slide<3, 2>(p); }
ROW_KERNEL(conv_direct_5x5, 256)(const TiledConvolution p) { slide<5, 1>(p); }
ROW_KERNEL(conv_direct_5x5_stride2, 256)(const TiledConvolution p) { slide<5, 2>(p); }

ROW_KERNEL(conv_direct, 256)(const TiledConvolution p) {
	Axis down = axisOf(p, 0, blockIdx.y / p.phases[1]), across = axisOf(p, 1, blockIdx.y % p.phases[1]);
	u32 count = p.images * p.groups * p.rows * ((down.places + STRIP - 1) / STRIP) * across.places, window = p.window[0] * p.window[1];
	for (u64 i = thread(); i < count; i += threads()) {
		Column c = Column::of(p, (u32)i, down.places, across.places);
		u32 group = c.channel / p.rows, row = c.channel - group * p.rows;
		f32 sums[STRIP];
#pragma unroll
		for (int o = 0; o < STRIP; o++) {
			sums[o] = biasOf(p, c.channel);
		}
		i32 top = down.source + (i32)c.y * down.stride, side = across.source + (i32)c.x * across.stride;
		for (u32 k = 0; k < p.channels; k++) {
			u64 plane = p.right + ((u64)(c.plane / p.rows) * p.channels + k) * p.inSize[0] * p.inSize[1] * sizeof(E); // which has fewer than 2**31 elements
			u64 weights = p.left + (p.gradient ? ((u64)group * p.channels + k) * p.rows + row : (u64)c.channel * p.channels + k) * window * sizeof(E);
			for (u32 r = 0; r < down.taps; r++) {
				for (u32 s = 0; s < across.taps; s++) {
					f32 w = element(weights, (down.tap + r * down.between) * p.window[1] + across.tap + s * across.between);
					i32 y = top + (i32)r * down.step, x = side + (i32)s * across.step;
#pragma unroll
					for (int o = 0; o < STRIP; o++) {
						i32 line = y + o * down.stride;
						bool inside = (u32)line < p.inSize[0] && (u32)x < p.inSize[1];
						sums[o] = __builtin_fmaf(w, inside ? element(plane, line * (i32)p.inSize[1] + x) : 0, sums[o]);
					}
				}
			}
		}
		i64 to = (i64)c.plane * p.outSize[0];
#pragma unroll
		for (int o = 0; o < STRIP; o++) {
			if (c.y + o < down.places) {
				i64 y = down.first + (c.y + o) * down.apart;
				store<E>(p.out, (to + y) * p.outSize[1] + across.first + c.x * across.apart, Cast<E>::of(sums[o]));
			}
		}
	}
}

ROW_KERNEL(conv_weight_direct, 256)(const TiledConvolution p) {
	__shared__ Reach reaches[MOST_TAPS];
	__shared__ f32 ends[8][MOST_TAPS];
	u32 window = p.window[0] * p.window[1], first = blockIdx.y * MOST_TAPS, taps = min(window - first, MOST_TAPS);
	u32 output = blockIdx.x / p.channels, channel = blockIdx.x - output * p.channels, group = output / p.rows;
	if (threadIdx.x < MOST_TAPS) {
		reaches[threadIdx.x] = threadIdx.x < taps ? Reach::of(p, first + threadIdx.x, channel) : Reach{0, 0x7ffffff0, 0}; // outside, wherever the pixel lies
	}
	__syncthreads();
	u32 begin = blockIdx.z * p.partSteps, steps = stepsOf(p, p.images * p.outSize[0] * p.outSize[1], begin);
	Walk walk = Walk::of(p, begin + threadIdx.x, 256);
	f32 sums[MOST_TAPS] = {};
#pragma unroll 1
	for (u32 i = threadIdx.x; i < steps; i += 256) {
		Pixel q = walk.at;
		f32 dy = element(p.left, (((i64)q.image * p.groups * p.rows + output) * p.outSize[0] + q.y) * p.outSize[1] + q.x);
		i32 y = (i32)(q.y * p.stride[0]) - (i32)p.padding[0], x = (i32)(q.x * p.stride[1]) - (i32)p.padding[1];
		i64 from = (((i64)q.image * p.groups + group) * p.channels * p.inSize[0] + y) * p.inSize[1] + x;
#pragma unroll
		for (int t = 0; t < MOST_TAPS; t++) {
			Reach r = reaches[t];
			bool inside = (u32)(y + r.y) < p.inSize[0] && (u32)(x + r.x) < p.inSize[1];
			sums[t] = __builtin_fmaf(dy, inside ? element(p.right, from + r.at) : 0, sums[t]);
		}
		Walk::next(walk, p);
	}
#pragma unroll
	for (int t = 0; t < MOST_TAPS; t++) {
#pragma unroll
		for (u32 mask = 16; mask > 0; mask /= 2) {
			sums[t] += fromLane(sums[t], mask);
		}
		if (threadIdx.x % 32 == 0) {
			ends[threadIdx.x / 32][t] = sums[t];
		}
	}
	__syncthreads();
	if (threadIdx.x < taps) {
		f32 sum = 0;
#pragma unroll
		for (int warp = 0; warp < 8; warp++) {
			sum += ends[warp][threadIdx.x];
		}
		u32 tap = first + threadIdx.x;
		u64 line = (u64)blockIdx.z * p.groups * p.rows + output;
		put(p, group, 0, p.parts == 1 ? (line * p.channels + channel) * window + tap : (line * window + tap) * p.channels + channel, sum);
	}
}
