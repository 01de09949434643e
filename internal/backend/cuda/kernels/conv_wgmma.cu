// Convolutions of half types for compute capability 9.0, and their gradients for the input: in each block a producer fills stages of shared memory
// through the TMA, and two warpgroups multiply them, each 64 pixels of the block's 128.
//
// Every kernel takes MappedConvolution, with operands packed as conv_chunks.cuh says. conv_ROWSx128_wgmma: y of x, or dx of dy. A tile's pixels are a box: so
// many beside each other, below each other and of images, which the TMA reads as a tap sees it, zeros beyond x. The two blocks of a cluster compute
// neighbouring boxes of the same rows: each copies its own pixels, and half of the weights into both. Grid: clusters of 2 blocks of 384 threads, one for each two
// boxes, phase, group and part. Shared memory: Shape::BARRIERS + 16 * STAGES bytes.
// dtypes: bf16 f16
// target: sm_90a ptx80
#include "conv_boxes.cuh"
#include "conv_pairs.cuh"

// A Task is what a block has to do: its cluster's work, the first pixel of its box, and where along the common axis it begins, of which a tap has so many steps.
struct Task {
	Work w;
	Pixel first;
	Depth d;
	u32 lines, stages;

	template <class S> INLINE Task of(const MappedConvolution &m, u32 rank) {
		const TiledConvolution &p = m.convolution;
		Task t;
		t.w = workOf<S::COLUMNS, 2>(p, blockIdx.x / 2);
		Pixel box = pixelOf(t.w.n + rank, (t.w.y.places + m.box[1] - 1) / m.box[1], (t.w.x.places + m.box[0] - 1) / m.box[0]);
		t.first = {box.image * m.box[2], box.y * m.box[1], box.x * m.box[0]};
		t.lines = (p.lines + STEPS - 1) / STEPS * STEPS;
		u32 begin = t.w.part * p.partSteps;
		t.d = Depth::of(t.w, begin, t.lines);
		t.stages = stepsOf(p, t.w.y.taps * t.w.x.taps * t.lines, begin) / STEPS;
		return t;
	}
};

template <class S> INLINE void produce(const MappedConvolution &m, u32 shared, Barriers bar, u32 rank) {
	const TiledConvolution &p = m.convolution;
	Task t = Task::of<S>(m, rank);
	u32 row = t.w.group * p.rows + t.w.m + rank * (S::COLUMNS / 2), channel = t.w.group * p.lines;
	u32 bytes = m.box[0] * m.box[1] * m.box[2] * 128 + S::BOXES * BOX;
	i32 y = t.w.y.source + (i32)t.first.y * t.w.y.stride, x = t.w.x.source + (i32)t.first.x * t.w.x.stride;
	Ring ring;
#pragma unroll 1
	for (u32 k = 0; k < t.stages; k++) {
		auto copy = [&](u32 to, u32 full, u32) __attribute__((always_inline)) {
			loadBox(to, m.mapRight, channel + t.d.channel, (u32)(x + (i32)t.d.column * t.w.x.step), (u32)(y + (i32)t.d.row * t.w.y.step), t.first.image, full);
			shareBox(to + A_BYTES + rank * (S::COLUMNS / 2) * 128, m.mapLeft, t.d.channel, Depth::tapOf(t.d, p, t.w), row, full, 3);
		};
		produceStage<S>(shared, bar, ring, 0, copy, bytes);
		Depth::next<true>(t.d, t.w, STEPS, t.lines);
	}
}

// spotIn is where a pixel of a block's box belongs, which has no other pixels.
INLINE Spot spotIn(const MappedConvolution &m, const Task &t, u32 i) {
	Pixel q = pixelOf(i, m.box[1], m.box[0]);
	bool has = q.image < m.box[2];
	q = {q.image + t.first.image, q.y + t.first.y, q.x + t.first.x};
	has = has && q.image < m.convolution.images && q.y < t.w.y.places && q.x < t.w.x.places;
	return has ? spotAt(m.convolution, t.w, q) : Spot{0, false};
}

template <class S> INLINE void consume(const MappedConvolution &m, u32 shared, Barriers bar, u32 rank, u32 group) {
	const TiledConvolution &p = m.convolution;
	f32 sums[S::COLUMNS / 2] = {};
	Ring ring;
	multiplyStages<S, false, false>(sums, shared, bar, remote(bar.empty, threadIdx.x % 2), ring, Task::of<S>(m, rank).stages, group);
	Ends ends = Ends::of(sums, group);
	Task t = Task::of<S>(m, rank);
	u32 pixel = Ends::column();
	SpotPair spots = SpotPair::of(p, spotIn(m, t, pixel), spotIn(m, t, pixel + 1));
#pragma unroll 1
	for (u32 row = Ends::first(); row < S::COLUMNS; row += 4) {
		SpotPair::put(spots, p, t.w.group, t.w.m + row, row, Ends::sum(ends, row, 0), Ends::sum(ends, row, 1));
	}
}

#define CONVOLUTION(rows) \
	KERNEL_OF(JOIN(conv_##rows##x128_wgmma, DTYPE), 384, Shape<rows>::BLOCKS)(const __attribute__((grid_constant)) MappedConvolution m) { \
		using S = Shape<rows>; \
		inRoles<S, S::FEW, S::MANY>( \
			[&](u32 shared, Barriers bar, u32 rank) __attribute__((always_inline)) { produce<S>(m, shared, bar, rank); }, \
			[&](u32 shared, Barriers bar, u32 rank, u32 group) __attribute__((always_inline)) { consume<S>(m, shared, bar, rank, group); }); \
	}

CONVOLUTION(64)
CONVOLUTION(128)
