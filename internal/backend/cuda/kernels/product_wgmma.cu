// Matrix products of half types for compute capability 9.0: in each block a producer fills stages of shared memory through the TMA, and two
// warpgroups multiply them, each 64 rows of the block's 128.
//
// Every kernel takes MappedProduct. The two blocks of a cluster compute tiles below each other, of the same columns: each copies its own
// part of a, and half of b into both. Clusters walk over the pairs of tiles. Names are as in product_mma.cu. Grid: clusters of 2 blocks of 384 threads, as
// many blocks as there are multiprocessors, or tiles. Shared memory: Shape::BARRIERS + 16 * STAGES bytes.
// dtypes: bf16 f16
// target: sm_90a ptx80
#include "follow.cuh"
#include "mapped_loop.cuh"

#define PAIRS 8 // rows of pairs of tiles that are walked together, so that operands are found in the cache

// A Shape is how a block with so many columns uses its shared memory: a ring of stages, and room for the result.
template <int WIDTH> struct Shape {
	static const int COLUMNS = WIDTH, BOXES = WIDTH / 64, STAGE = A_BYTES + BOXES * BOX, STAGES = WIDTH == 256 ? 3 : 6;
	static const int ENDS = STAGES * STAGE, BARRIERS = ENDS + 2 * BOXES * BOX;
};

// A Walk is over the pairs of tiles that a cluster computes.
struct Walk {
	u32 down, across, id, step, end;
	u32 m, n, batch;

	INLINE Walk of(const Product &p, u32 columns) {
		Walk w;
		w.down = ((u32)p.m + 2 * ROWS - 1) / (2 * ROWS);
		w.across = ((u32)p.n + columns - 1) / columns;
		w.id = blockIdx.x / 2;
		w.step = gridDim.x / 2;
		w.end = w.down * w.across * (u32)p.count;
		return w;
	}

	// next finds the cluster's next tiles, and whether there are any.
	INLINE bool next(Walk &w, u32 rank, u32 columns) {
		if (w.id >= w.end) {
			return false;
		}
		u32 tiles = w.down * w.across, batch = w.id / tiles, id = w.id - batch * tiles;
		u32 first = id / (PAIRS * w.across) * PAIRS, height = w.down - first < PAIRS ? w.down - first : PAIRS;
		id -= first * w.across;
		w.batch = batch;
		w.m = ((first + id % height) * 2 + rank) * ROWS;
		w.n = id / height * columns;
		w.id += w.step;
		return true;
	}
};

template <class S, bool ACROSS_A, bool ACROSS_B> INLINE void produce(const MappedProduct &m, u32 shared, Barriers bar, u32 rank) {
	const Product &p = m.product;
	u32 stages = ((u32)p.k + STEPS - 1) / STEPS;
	Ring ring;
	Walk walk = Walk::of(p, S::COLUMNS);
	while (Walk::next(walk, rank, S::COLUMNS)) {
		u32 za = walk.batch * m.batchA, zb = walk.batch * m.batchB;
#pragma unroll 1
		for (u32 k = 0; k < stages; k++) {
			produceStage<S>(shared, bar, ring, k * STEPS, [&](u32 to, u32 full, u32 step) __attribute__((always_inline)) {
#pragma unroll
				for (u32 i = 0; i < 2; i++) {
					u32 r = walk.m + i * 64;
					loadBox(to + i * BOX, m.mapA, ACROSS_A ? r : step, ACROSS_A ? step : r, za, full);
				}
				to += A_BYTES + rank * (S::BOXES / 2) * BOX;
#pragma unroll
				for (u32 i = 0; i < S::BOXES / 2; i++) {
					u32 c = walk.n + (rank * (S::BOXES / 2) + i) * 64;
					shareBox(to + i * BOX, m.mapB, ACROSS_B ? c : step, ACROSS_B ? step : c, zb, full, 3);
				}
			});
		}
	}
}

// An Addend is what is added to the sums of a thread: to those of row r and of 8 further, from column c on, as far as they lie inside.
struct Addend {
	u64 from, below;
	i64 step;
	u32 columns; // from c on
	bool inside, insideBelow;

	INLINE Addend of(const Product &p, u32 batch, u32 r, u32 c) {
		Addend a;
		a.from = p.add + (u64)(batch * p.addStrides[0] + r * p.addStrides[1] + c * p.addStrides[2]) * 2;
		a.below = a.from + (u64)(8 * p.addStrides[1]) * 2;
		a.step = p.addStrides[2] * 2;
		a.columns = c < p.n ? (u32)p.n - c : 0;
		a.inside = r < p.m && p.add != 0 && p.beta != 0;
		a.insideBelow = r + 8 < p.m && p.add != 0 && p.beta != 0;
		return a;
	}

	INLINE f32 at(const Addend &a, bool below, u32 column) {
		bool inside = (below ? a.insideBelow : a.inside) && column < a.columns;
		return inside ? element((below ? a.below : a.from) + (u64)(column * a.step), 0) : 0;
	}
};

// give has the TMA store box s of a warpgroup's part of a tile.
INLINE void give(const MappedProduct &m, const Walk &walk, u32 s, u32 group, u32 box) {
	fenceCopies();
	groupBarrier(group + 1);
	if (threadIdx.x % 128 == 0) {
		storeBox(m.mapOut, walk.n + s * 64, walk.m + group * 64, walk.batch, box);
	}
}

template <class S, bool ACROSS_A, bool ACROSS_B> INLINE void consume(const MappedProduct &m, u32 shared, Barriers bar, u32 rank, u32 group) {
	const Product &p = m.product;
	u32 stages = ((u32)p.k + STEPS - 1) / STEPS, thread = threadIdx.x % 128, lane = thread % 32;
	u32 empty = remote(bar.empty, lane % 2), slab = shared + S::ENDS + group * S::BOXES * BOX;
	u32 line = thread / 32 * 16 + lane % 16; // of the slab, that this lane gives to storeMatrices
	Ring ring;
	Walk walk = Walk::of(p, S::COLUMNS);
	while (Walk::next(walk, rank, S::COLUMNS)) {
		f32 sums[S::COLUMNS / 2];
		multiplyStages<S, ACROSS_A, ACROSS_B>(sums, shared, bar, empty, ring, stages, group);
		if (thread == 0) {
			awaitReads<0>();
		}
		groupBarrier(group + 1); // what was stored of the tile before has been read
		bool plain = p.alpha == 1 && p.add == 0, wide = widens(p), more = follows(p);
		f32 alpha = (f32)p.alpha, beta = (f32)p.beta;
#pragma unroll
		for (int s = 0; s < S::BOXES; s++) {
			Addend add = Addend::of(p, walk.batch, walk.m + group * 64 + thread / 32 * 16 + lane / 4, walk.n + s * 64 + lane % 4 * 2);
			u32 to = slab + s * BOX;
#pragma unroll
			for (int j = 0; j < 8; j += 2) {
				u32 v[4];
#pragma unroll
				for (int i = 0; i < 4; i++) {
					f32 first = sums[s * 32 + j * 4 + i * 2], second = sums[s * 32 + j * 4 + i * 2 + 1];
					if (!plain) {
						first = first * alpha + beta * Addend::at(add, i % 2, (j + i / 2) * 8);
						second = second * alpha + beta * Addend::at(add, i % 2, (j + i / 2) * 8 + 1);
					}
					v[i] = pack(first, second);
				}
				storeMatrices(to + line * 128 + (((j + lane / 16) ^ (line % 8)) << 4), v[0], v[1], v[2], v[3]);
			}
			if (!more) {
				give(m, walk, s, group, to);
			}
		}
		if (more) { // when the sums' registers are free
			u32 first = thread / 32 * 16;
#pragma unroll 1
			for (u32 s = 0; s < S::BOXES; s++) {
				u32 to = slab + s * BOX;
				follow<16>(p, to, first, walk.batch, walk.m + group * 64 + first, walk.n + s * 64);
				if (!wide) {
					give(m, walk, s, group, to);
				}
			}
		}
	}
	if (thread == 0) {
		awaitStores();
	}
}

#define PRODUCT(columns, name, deepA, deepB) \
	KERNEL_OF(JOIN(product_128x##columns##_wgmma_##name, DTYPE), 384, 1)(const __attribute__((grid_constant)) MappedProduct m) { \
		using S = Shape<columns>; \
		inRoles<S, 40, 232>( \
			[&](u32 shared, Barriers bar, u32 rank) __attribute__((always_inline)) { produce<S, !deepA, !deepB>(m, shared, bar, rank); }, \
			[&](u32 shared, Barriers bar, u32 rank, u32 group) __attribute__((always_inline)) { \
				consume<S, !deepA, !deepB>(m, shared, bar, rank, group); \
			}); \
	}

EACH_LIE(PRODUCT, 256)
EACH_LIE(PRODUCT, 128)
