// The gradient of queries by warpgroups: each has 64 queries and walks over tiles of keys and values. It comes first, since it leaves log2 e · logSum and delta of each
// query in delta, and stores the gradient of a mask whose elements no two scores share.
//
// Every kernel takes MappedAttentionGrad and is named for the width that rows have at most: attention_queries_wgmma_64. Grid: blocks of 384 threads, one for each 128
// queries along x, of heads along y and of the batch along z. Shared memory: QueriesTiles::BARRIERS + 128 bytes. Each sum is one warp's, in the order of tiles.
// dtypes: bf16 f16
// target: sm_90a ptx80
#include "attention_wgmma_grad.cuh"

// QueriesTiles has two stages of keys, and of values as many as there is shared memory for.
template <int WIDE> struct QueriesTiles : Tiles<WIDE, 128, WIDE <= 128 ? 128 : 64> {
	using T = Tiles<WIDE, 128, WIDE <= 128 ? 128 : 64>;
	static const u32 PIECE = WIDE <= 192 ? 8 : 4;
	static const int DEEP = WIDE <= 192 ? 2 : 1, KEYS = 2 * T::OWN, VALUES = KEYS + 2 * T::PANEL, BARRIERS = VALUES + DEEP * T::PANEL;
};

// KeysBarriers: the own lines have come; of stages, keys have come or have been used, and so values.
struct KeysBarriers {
	u32 own, keys, keysUsed, values, valuesUsed;

	INLINE KeysBarriers at(u32 first) { return {first, first + 8, first + 24, first + 40, first + 56}; }
};

template <class S> INLINE void produceKeys(const MappedAttentionGrad &m, u32 shared, const KeysBarriers &bar, const Job &job) {
	loadOwn<S>(shared, queriesOf(m, job.at), doutOf(m, job.at), job.line, bar.own);
	Ring keys, values;
#pragma unroll 1
	for (u32 key = job.columns.from; key < job.columns.to; key += S::COLUMNS) {
		await(bar.keysUsed + keys.stage * 8, keys.parity ^ 1);
		expectBytes(bar.keys + keys.stage * 8, S::PANEL);
		Source::load<S::BOXES, S::COLUMNS>(keysOf(m, job.at), shared + S::KEYS + keys.stage * S::PANEL, key, bar.keys + keys.stage * 8);
		await(bar.valuesUsed + values.stage * 8, values.parity ^ 1);
		expectBytes(bar.values + values.stage * 8, S::PANEL);
		Source::load<S::BOXES, S::COLUMNS>(valuesOf(m, job.at), shared + S::VALUES + values.stage * S::PANEL, key, bar.values + values.stage * 8);
		Ring::next(keys, 2);
		Ring::next(values, S::DEEP);
	}
}

// overlapKeys makes exponentials while tensor cores multiply dout and values, as overlapQueries.
template <class S> INLINE void overlapKeys(const Attention &p, const Job &job, u32 own, u32 line, u32 shared, const KeysBarriers &bar, FragmentC (&sums)[S::WIDTH / 8]) {
	const int N = S::COLUMNS / 8;
	f32 by = (f32)(p.scale * LOG2E);
	Ends ends = endsOf(p, job.at, line);
	Ring ofKeys, ofValues;
#pragma unroll 1
	for (u32 key = job.columns.from; key < job.columns.to; key += S::COLUMNS) {
		u32 keys = shared + S::KEYS + ofKeys.stage * S::PANEL, values = shared + S::VALUES + ofValues.stage * S::PANEL;
		FragmentC s[N], d[N];
		FragmentA slopes[N / 2];
		await(bar.keys + ofKeys.stage * 8, ofKeys.parity);
		await(bar.values + ofValues.stage * 8, ofValues.parity);
		beginProducts();
		multiplyRows<S::WIDTH, S::COLUMNS>(s, anew(own), keys);
		multiplyRows<S::WIDTH, S::COLUMNS>(d, anew(own) + S::OWN, values);
		awaitProducts<1>();
		settle(s);
		if (seenOf<false, S::COLUMNS>(p, job.window, line, key) != ALL) {
			hide<false>(p, job.window, line, key, s);
		}
#pragma unroll
		for (int i = 0; i < N * 4; i++) {
			s[i / 4].v[i % 4] = exp2(fma(s[i / 4].v[i % 4], by, -ends.logSum[i % 4 / 2]));
		}
		await(bar.values + ofValues.stage * 8, ofValues.parity); // they came before; the wait's loop keeps ptxas from moving the exponentials above behind the wait for products
		awaitProducts<0>();
		settle(d);
		S::used(bar.valuesUsed + ofValues.stage * 8);
#pragma unroll
		for (int i = 0; i < N * 4; i++) {
			d[i / 4].v[i % 4] = s[i / 4].v[i % 4] * (d[i / 4].v[i % 4] - ends.delta[i % 4 / 2]);
		}
		toWeights(slopes, d);
		settle(slopes);
		beginProducts();
		addWeighed<S::COLUMNS>(sums, slopes, keys);
		awaitProducts<0>();
		settle(sums);
		S::used(bar.keysUsed + ofKeys.stage * 8);
		Ring::next(ofKeys, 2);
		Ring::next(ofValues, S::DEEP);
	}
}

// keysInTurn is for all other scores, PIECE fragments at a time.
template <class S> INLINE void keysInTurn(const Attention &p, const Job &job, u32 own, u32 line, u32 shared, const KeysBarriers &bar, FragmentC (&sums)[S::WIDTH / 8]) {
	Ends ends = endsOf(p, job.at, line);
	Ring ofKeys, ofValues;
#pragma unroll 1
	for (u32 key = job.columns.from; key < job.columns.to; key += S::COLUMNS) {
		u32 keys = shared + S::KEYS + ofKeys.stage * S::PANEL, values = shared + S::VALUES + ofValues.stage * S::PANEL;
		await(bar.keys + ofKeys.stage * 8, ofKeys.parity);
		await(bar.values + ofValues.stage * 8, ofValues.parity);
#pragma unroll 1
		for (u32 from = 0; from < S::COLUMNS; from += S::PIECE * 8) {
			FragmentC s[S::PIECE], d[S::PIECE];
			FragmentA slopes[S::PIECE / 2];
			beginProducts();
			multiplyRows<S::WIDTH, S::COLUMNS>(s, anew(own), keys + from * 128);
			multiplyRows<S::WIDTH, S::COLUMNS>(d, anew(own) + S::OWN, values + from * 128);
			awaitProducts<0>();
			settle(s);
			settle(d);
			differentiate<false>(p, job.at, job.window, PARTS, line, key + from, 0, ends, s, d);
			if (p.dMask != 0) {
				putMaskGradient(p, job.at, line, key + from, d);
			}
			toWeights(slopes, d);
			settle(slopes);
			beginProducts();
			addWeighed<S::COLUMNS>(sums, slopes, keys + from * 128);
			awaitProducts<0>();
			settle(sums);
		}
		S::used(bar.keysUsed + ofKeys.stage * 8);
		S::used(bar.valuesUsed + ofValues.stage * 8);
		Ring::next(ofKeys, 2);
		Ring::next(ofValues, S::DEEP);
	}
}

template <class S> INLINE void consumeKeys(const MappedAttentionGrad &m, u32 shared, const KeysBarriers &bar, const Job &job, u32 group) {
	const Attention &p = m.attention;
	u32 own = shared + group * S::HELD, line = job.line + group * 64 + threadIdx.x % 128 / 32 * 16;
	FragmentC sums[S::WIDTH / 8] = {};
	keepDelta(p, job.at, line);
	await(bar.own, 0);
	if (overlaps(p)) {
		overlapKeys<S>(p, job, own, line, shared, bar, sums);
	} else {
		keysInTurn<S>(p, job, own, line, shared, bar, sums);
	}
	groupBarrier(group + 1); // no warp of the group multiplies queries any more, in whose place the gradient passes
	scale(sums, (f32)p.scale);
	putPart<S::WIDTH, S::HELD>(own, p.dQ, p.dQStrides, job.at, job.at.head, line, p.queries, p.width, sums);
}

template <class S> INLINE void queriesGradient(const MappedAttentionGrad &m) {
	u32 shared = dynamicAddress(), group = warpgroup();
	KeysBarriers bar = KeysBarriers::at(shared + S::BARRIERS);
	if (threadIdx.x == 0) {
		initBarrier(bar.own, 1);
		for (u32 s = 0; s < 16; s += 8) {
			initBarrier(bar.keys + s, 1);
			initBarrier(bar.values + s, 1);
			initBarrier(bar.keysUsed + s, GROUPS * 4);
			initBarrier(bar.valuesUsed + s, GROUPS * 4);
		}
		publishBarriers();
	}
	__syncthreads();
	Job job = jobOf<false, S::LINES, S::COLUMNS>(m.attention);
	if (group == 0) {
		giveRegisters<24>();
		if (threadIdx.x == 0) {
			produceKeys<S>(m, shared, bar, job);
		}
		return;
	}
	takeRegisters<240>();
	consumeKeys<S>(m, shared, bar, job, group - 1);
}

GRADIENT(queries, 32, queriesGradient, QueriesTiles)
GRADIENT(queries, 64, queriesGradient, QueriesTiles)
GRADIENT(queries, 96, queriesGradient, QueriesTiles)
GRADIENT(queries, 128, queriesGradient, QueriesTiles)
GRADIENT(queries, 192, queriesGradient, QueriesTiles)
GRADIENT(queries, 256, queriesGradient, QueriesTiles)
