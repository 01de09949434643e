// Attention of 16-bit elements on the tensor cores of compute capability 9.0: in each block a producer brings tiles of keys and values through the TMA,
// and two warpgroups have 64 queries each (Shah et al., FlashAttention-3, 2024).
//
// Every kernel takes MappedAttention and is named for the width that rows have at most: attention_wgmma_64. A group multiplies a tile's scores while it weighs the
// values of the tile before, and makes exponentials while the other group multiplies. Grid: blocks of 384 threads, one for each 128 queries along x, of
// heads along y and of the batch along z. Shared memory: Shape::BARRIERS + 128 bytes. A row's keys are added in order.
// dtypes: bf16 f16
// target: sm_90a ptx80
#include "attention_groups.cuh"
#include "attention_running.cuh"

// A Shape is how a block uses its shared memory: queries of each group, and two stages of keys and of values, all in boxes of 64 columns, whose lines have
// 128 bytes.
template <int WIDE, int TALL> struct Shape {
	static const int WIDTH = WIDE, KEYS = TALL, BOXES = (WIDE + 63) / 64, QUERIES = BOXES * 64 * 128, PANEL = BOXES * KEYS * 128;
	static const int VALUES = GROUPS * QUERIES + 2 * PANEL, BARRIERS = VALUES + 2 * PANEL;
	static const bool DROPS = WIDE <= 192; // where registers are left for dropout
};

// Barriers: the queries have come; of two stages, keys have come or have been multiplied, and so values.
struct Barriers {
	u32 queries, keys, keysUsed, values, valuesUsed;

	INLINE Barriers at(u32 first) { return {first, first + 8, first + 24, first + 40, first + 56}; }
};

template <class S> INLINE void produce(const MappedAttention &m, u32 shared, const Barriers &bar, const Job &job) {
	u32 headK = (u32)job.at.group * m.headK, batchK = (u32)job.at.batch * m.batchK, headV = (u32)job.at.group * m.headV, batchV = (u32)job.at.batch * m.batchV;
	expectBytes(bar.queries, GROUPS * S::QUERIES);
#pragma unroll
	for (u32 i = 0; i < GROUPS * S::BOXES; i++) {
		u32 row = job.line + i / S::BOXES * 64;
		loadBox(shared + i * 64 * 128, m.mapQ, i % S::BOXES * 64, row, (u32)job.at.head * m.headQ, (u32)job.at.batch * m.batchQ, bar.queries);
	}
	Ring ring;
#pragma unroll 1
	for (u32 key = job.columns.from; key < job.columns.to; key += S::KEYS) {
		u32 keys = shared + GROUPS * S::QUERIES + ring.stage * S::PANEL, values = shared + S::VALUES + ring.stage * S::PANEL, by = ring.stage * 8;
		await(bar.keysUsed + by, ring.parity ^ 1);
		expectBytes(bar.keys + by, S::PANEL);
#pragma unroll
		for (u32 b = 0; b < S::BOXES; b++) {
			loadBox(keys + b * S::KEYS * 128, m.mapK, b * 64, key, headK, batchK, bar.keys + by);
		}
		await(bar.valuesUsed + by, ring.parity ^ 1);
		expectBytes(bar.values + by, S::PANEL);
#pragma unroll
		for (u32 b = 0; b < S::BOXES; b++) {
			loadBox(values + b * S::KEYS * 128, m.mapV, b * 64, key, headV, batchV, bar.values + by);
		}
		Ring::next(ring, 2);
	}
}

// drop makes zeros of the weights that dropout leaves out.
template <int N> INLINE void drop(const Attention &p, const Head &at, u32 line, u32 key, FragmentC (&s)[N]) {
	const int PIECE = N % 8 == 0 ? 8 : 4;
#pragma unroll
	for (int from = 0; from < N; from += PIECE) {
		u32 gone = goneOf<false, PIECE>(p, at, line, key + from * 8);
#pragma unroll
		for (int n = 0; n < PIECE * 4; n++) {
			f32 &v = s[from + n / 4].v[n % 4];
			v = gone >> n & 1 ? 0 : v;
		}
	}
}

// A Group is what a warpgroup knows of its place: where its queries lie, the block's stages, and the warp's first row.
struct Group {
	u32 number, queries, keys, values, line;
	bool first; // of the warp's lanes

	template <class S> INLINE Group of(u32 shared, const Job &job, u32 number) {
		u32 line = job.line + number * 64 + threadIdx.x % 128 / 32 * 16;
		return {number, shared + number * S::QUERIES, shared + GROUPS * S::QUERIES, shared + S::VALUES, line, threadIdx.x % 32 == 0};
	}

	INLINE void used(const Group &g, u32 barrier) {
		if (g.first) {
			arriveAt(barrier);
		}
	}
};

// The groups take turns at the tensor cores: a group waits for its own, and gives the other one the next.
INLINE void awaitTurn(u32 group) { asm volatile("bar.sync %0, 256;" : : "r"(group + 1) : "memory"); }
INLINE void giveTurn(u32 group) { asm volatile("bar.arrive %0, 256;" : : "r"(2 - group) : "memory"); }

// overlap is for scores that are scaled and perhaps hidden, no more: a group issues the scores of a tile together with the values of the tile before, and computes
// exponentials while tensor cores are at those values and at the other group's products.
template <class S> INLINE void overlap(const Attention &p, const Barriers &bar, const Job &job, const Group &g, f32 by, Running<S::WIDTH> &r) {
	const u32 KEYS = S::KEYS;
	FragmentC s[KEYS / 8];
	FragmentA w[KEYS / 16];
	f32 factor[2];
	auto weigh = [&](u32 key) __attribute__((always_inline)) {
		if (seenOf<false, KEYS>(p, job.window, g.line, key) != ALL) {
			hide<false>(p, job.window, g.line, key, s);
		}
		raise(r, s, by, factor);
	};
	if (g.number == 1 && job.columns.from + KEYS < job.columns.to) {
		giveTurn(1);
	}
	await(bar.keys, 0);
	beginProducts();
	multiplyRows<S::WIDTH, S::KEYS>(s, g.queries, g.keys);
	awaitProducts<0>();
	settle(s);
	Group::used(g, bar.keysUsed);
	weigh(job.columns.from);
	toWeights(w, s);
	await(bar.values, 0);
	Ring ring = {1, 0}; // of keys; values are those of the tile before
#pragma unroll 1
	for (u32 key = job.columns.from + KEYS; key < job.columns.to; key += KEYS) {
		u32 before = ring.stage ^ 1;
		await(bar.keys + ring.stage * 8, ring.parity);
		awaitTurn(g.number);
		beginProducts();
		multiplyRows<S::WIDTH, S::KEYS>(s, g.queries, g.keys + ring.stage * S::PANEL);
		addWeighed<S::KEYS>(r.out, w, g.values + before * S::PANEL);
		if (g.number == 0 || key + KEYS < job.columns.to) {
			giveTurn(g.number);
		}
		awaitProducts<1>();
		settle(s);
		Group::used(g, bar.keysUsed + ring.stage * 8);
		weigh(key);
		await(bar.values + ring.stage * 8, ring.parity); // the wait's loop keeps ptxas from moving the exponentials above behind the wait for products
		awaitProducts<0>();
		settle(r.out);
		settle(w);
		Group::used(g, bar.valuesUsed + before * 8);
		scaleRows(r.out, factor);
		toWeights(w, s);
		Ring::next(ring, 2);
	}
	beginProducts();
	addWeighed<S::KEYS>(r.out, w, g.values + (ring.stage ^ 1) * S::PANEL);
	awaitProducts<0>();
	settle(r.out);
}

// inTurn is for all other scores.
template <class S> INLINE void inTurn(const Attention &p, const Barriers &bar, const Job &job, const Group &g, Running<S::WIDTH> &r) {
	Ring ring;
#pragma unroll 1
	for (u32 key = job.columns.from; key < job.columns.to; key += S::KEYS) {
		FragmentC s[S::KEYS / 8];
		FragmentA w[S::KEYS / 16];
		await(bar.keys + ring.stage * 8, ring.parity);
		beginProducts();
		multiplyRows<S::WIDTH, S::KEYS>(s, g.queries, g.keys + ring.stage * S::PANEL);
		awaitProducts<0>();
		settle(s);
		Group::used(g, bar.keysUsed + ring.stage * 8);
		bend(p, s, [](int, int, f32) {});
		if (p.mask != 0) {
			addMask<false>(p, job.at, g.line, key, s);
		}
		hide<false>(p, job.window, g.line, key, s);
		meet(r, s);
		if (S::DROPS && p.keep < 1) {
			drop(p, job.at, g.line, key, s);
		}
		toWeights(w, s);
		await(bar.values + ring.stage * 8, ring.parity);
		beginProducts();
		addWeighed<S::KEYS>(r.out, w, g.values + ring.stage * S::PANEL);
		awaitProducts<0>();
		settle(r.out);
		Group::used(g, bar.valuesUsed + ring.stage * 8);
		Ring::next(ring, 2);
	}
}

template <class S> INLINE void consume(const MappedAttention &m, u32 shared, const Barriers &bar, const Job &job, u32 number) {
	const Attention &p = m.attention;
	Group g = Group::of<S>(shared, job, number);
	Running<S::WIDTH> r;
	r.begin();
	f32 by = (f32)(p.scale * LOG2E);
	await(bar.queries, 0);
	if (p.softCap > 0 || p.mask != 0 || p.keep < 1 || !(by > 0)) {
		inTurn<S>(p, bar, job, g, r);
	} else if (job.columns.from < job.columns.to) {
		overlap<S>(p, bar, job, g, by, r);
	}
	close(p, job.at, g.line, r);
	groupBarrier(number + 3); // no warp of the group multiplies queries any more, in whose place the result passes
	if (g.line < (u32)p.queries) {
		putLines<S::WIDTH>(g.queries + threadIdx.x % 128 / 32 * (S::QUERIES / 4), lineOf(p.out, p.outStrides, job.at.batch, job.at.head, g.line),
		                   p.outStrides[2], p.outStrides[3], (u32)p.queries - g.line, (u32)p.outputs, r.out);
	}
}

template <class S> INLINE void attend(const MappedAttention &m) {
	u32 shared = dynamicAddress(), group = (u32)__nvvm_shfl_sync_idx_i32(0xffffffff, (i32)(threadIdx.x / 128), 0, 31); // the same in all lanes
	Barriers bar = Barriers::at(shared + S::BARRIERS);
	if (threadIdx.x == 0) {
		initBarrier(bar.queries, 1);
		for (u32 s = 0; s < 16; s += 8) {
			initBarrier(bar.keys + s, 1);
			initBarrier(bar.values + s, 1);
			initBarrier(bar.keysUsed + s, GROUPS * 4); // each warp that multiplies
			initBarrier(bar.valuesUsed + s, GROUPS * 4);
		}
		publishBarriers();
	}
	__syncthreads();
	Job job = jobOf<false, GROUPS * 64, S::KEYS>(m.attention);
	if (group == 0) {
		giveRegisters<24>();
		if (threadIdx.x == 0) {
			produce<S>(m, shared, bar, job);
		}
	} else {
		takeRegisters<240>();
		consume<S>(m, shared, bar, job, group - 1);
	}
}

#define ATTENTION(width, keys) \
	extern "C" __global__ __attribute__((launch_bounds(384, 1))) void JOIN(attention_wgmma_##width, DTYPE)( \
		const __attribute__((grid_constant)) MappedAttention m) { \
		attend<Shape<width, keys>>(m); \
	}

ATTENTION(32, 128)
ATTENTION(64, 128)
ATTENTION(96, 128)
ATTENTION(128, 128)
ATTENTION(192, 96)
ATTENTION(256, 64)
