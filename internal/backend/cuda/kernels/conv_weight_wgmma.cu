// Gradients for the weights of convolutions of half types, for compute capability 9.0: in each block a producer fills stages of shared memory through the TMA, and
// two warpgroups multiply them, each 64 channels of a tap.
//
// Every kernel takes MappedConvolution, with operands packed as conv_chunks.cuh says. conv_weight_ROWSx128_wgmma: dw of dy and x. The common axis are the pixels of
// dy, of which a stage has a box of 64 at most, of dy and, as each tap sees it, of x, zeros beyond either. Boxes cut the planes of dy without a rest, and where dy
// has no image x has none: nothing is multiplied that no tap meets, which might be infinite. The two blocks of a cluster compute neighbouring columns of the same
// rows of dw, and take turns to copy dy into both. Grid: clusters of 2 blocks of 384 threads, one for each 256 columns, rows, group and part. Shared memory:
// Shape::BARRIERS + 16 * STAGES bytes.
// dtypes: bf16 f16
// target: sm_90a ptx80
#include "conv_weights.cuh"
#include "conv_boxes.cuh"

// A Tap is a column of dw, of which a tap has whole boxes: a channel of a tap, which sees of x what lies so far from a pixel.
struct Tap {
	u32 tap, channel;
	i32 y, x;

	INLINE Tap of(const TiledConvolution &p, u32 column) {
		u32 lines = (p.lines + 63) / 64 * 64, tap = column / lines, row = tap / p.window[1];
		return {tap, column - tap * lines, (i32)(row * p.dilation[0] - p.padding[0]), (i32)((tap - row * p.window[1]) * p.dilation[1] - p.padding[1])};
	}
};

// A Task is what a block has to do: its cluster's work, of which it has the columns from its own on, in so many boxes from a pixel on.
struct Task {
	Work w;
	u32 column, stages;
	Pixel first;

	template <class S> INLINE Task of(const MappedConvolution &m, u32 rank) {
		const TiledConvolution &p = m.convolution;
		Task t;
		t.w = weightsWork<S::COLUMNS, 2 * ROWS>(p, blockIdx.x / 2);
		t.column = t.w.n + rank * ROWS;
		u32 begin = t.w.part * p.partSteps, high = p.outSize[0] / m.box[1], wide = p.outSize[1] / m.box[0];
		t.stages = stepsOf(p, (p.images + m.box[2] - 1) / m.box[2] * high * wide * STEPS, begin) / STEPS;
		Pixel box = pixelOf(begin / STEPS, high, wide);
		t.first = {box.image * m.box[2], box.y * m.box[1], box.x * m.box[0]};
		return t;
	}
};

INLINE u32 bytesOf(const MappedConvolution &m) { return m.box[0] * m.box[1] * m.box[2] * 128; }

// clear writes zeros behind boxes of fewer pixels than a stage has steps.
template <class S> INLINE void clear(const MappedConvolution &m) {
	u32 bytes = bytesOf(m);
#pragma unroll 1
	for (u32 i = bytes < BOX ? threadIdx.x : S::BARRIERS / 16; i < S::BARRIERS / 16; i += 384) {
		if (i * 16 % BOX >= bytes) {
			((__attribute__((address_space(3))) uint4 *)dynamic)[i] = 0;
		}
	}
	fenceCopies();
}

template <class S> INLINE void produce(const MappedConvolution &m, u32 shared, Barriers bar, u32 rank) {
	const TiledConvolution &p = m.convolution;
	Task t = Task::of<S>(m, rank);
	Pixel at = t.first;
	Tap taps[2] = {Tap::of(p, t.column), Tap::of(p, t.column + 64)};
	u32 row = t.w.group * (p.pitch / p.groups) + t.w.m, channel = t.w.group * p.lines;
	Ring ring;
#pragma unroll 1
	for (u32 k = 0; k < t.stages; k++) {
		auto copy = [&](u32 to, u32 full, u32) __attribute__((always_inline)) {
			i32 y = (i32)(at.y * p.stride[0]), x = (i32)(at.x * p.stride[1]);
#pragma unroll
			for (u32 i = 0; i < 2; i++) {
				loadBox(to + i * BOX, m.mapRight, channel + taps[i].channel, (u32)(x + taps[i].x), (u32)(y + taps[i].y), at.image, full);
			}
			if (u32 i = (k + rank) % 2; i < S::BOXES) {
				shareBox(to + A_BYTES + i * BOX, m.mapLeft, row + i * 64, at.x, at.y, at.image, full, 3);
			}
		};
		produceStage<S>(shared, bar, ring, 0, copy, (2 + S::BOXES) * bytesOf(m));
		at.x += m.box[0];
		if (at.x == p.outSize[1]) {
			at.x = 0;
			at.y += m.box[1];
		}
		if (at.y == p.outSize[0]) {
			at.y = 0;
			at.image += m.box[2];
		}
	}
}

template <class S> INLINE void consume(const MappedConvolution &m, u32 shared, Barriers bar, u32 rank, u32 group) {
	const TiledConvolution &p = m.convolution;
	f32 sums[S::COLUMNS / 2] = {};
	Ring ring;
	multiplyStages<S, true, true>(sums, shared, bar, remote(bar.empty, threadIdx.x % 2), ring, Task::of<S>(m, rank).stages, group);
	Ends ends = Ends::of(sums, group);
	Task t = Task::of<S>(m, rank);
	u32 taps = p.window[0] * p.window[1];
	u64 apart = (u64)taps * p.channels, first = ((u64)(t.w.part * p.groups + t.w.group) * p.rows + t.w.m) * apart;
	Spot spots[2]; // of the first row, as Weights has them
#pragma unroll
	for (u32 i = 0; i < 2; i++) {
		Tap tap = Tap::of(p, t.column + Ends::column() + i);
		u64 at = p.parts == 1 ? (u64)tap.channel * taps + tap.tap : (u64)tap.tap * p.channels + tap.channel;
		spots[i] = {first + at, tap.tap < taps && tap.channel < p.channels};
	}
#pragma unroll 1
	for (u32 row = Ends::first(); row < S::COLUMNS && t.w.m + row < p.rows; row += 4) {
#pragma unroll
		for (u32 i = 0; i < 2; i++) {
			if (spots[i].inside) {
				put(p, t.w.group, t.w.m + row, spots[i].at + row * apart, Ends::sum(ends, row, i));
			}
		}
	}
}

#define CONVOLUTION(rows) \
	KERNEL_OF(JOIN(conv_weight_##rows##x128_wgmma, DTYPE), 384, Shape<rows>::BLOCKS)(const __attribute__((grid_constant)) MappedConvolution m) { \
		using S = Shape<rows>; \
		clear<S>(m); \
		inRoles<S, S::FEW, S::MANY>( \
			[&](u32 shared, Barriers bar, u32 rank) __attribute__((always_inline)) { produce<S>(m, shared, bar, rank); }, \
			[&](u32 shared, Barriers bar, u32 rank, u32 group) __attribute__((always_inline)) { consume<S>(m, shared, bar, rank, group); }); \
	}

CONVOLUTION(64)
CONVOLUTION(128)
