// The gradients of keys and values by warpgroups: each has 64 keys and walks over tiles of the queries of all heads that share them.
//
// Every kernel takes MappedAttentionGrad and is named for the width that rows have at most: attention_keys_wgmma_64. It follows attention_queries_wgmma, which leaves
// log2 e · logSum and delta of each query in delta. Grid: blocks of 384 threads, one for each 128 keys along x, or 64 of rows beyond 128 elements, of heads of
// keys along y and of the batch along z. Shared memory: KeysTiles::BARRIERS + 128 bytes. Each sum is one warp's, in the order of heads and tiles.
// dtypes: bf16 f16
// target: sm_90a ptx80
#include "attention_wgmma_grad.cuh"

// KeysTiles has stages of queries and dout, with logSum and delta. A block has 64 keys of which one group computes the gradient of values, and the other that of keys, where
// registers do not suffice for both.
template <int WIDE> struct KeysTiles : Tiles<WIDE, WIDE <= 128 ? 128 : 64, 64> {
	using T = Tiles<WIDE, WIDE <= 128 ? 128 : 64, 64>;
	static const bool APART = T::LINES == 64;
	static const u32 PIECE = WIDE < 128 ? 8 : 4;
	static const int STAGES = 2 * T::OWN, ENDS = STAGES + 4 * T::PANEL, END = T::COLUMNS * 8, BARRIERS = ENDS + 2 * END;
};

template <class S> INLINE void produceQueries(const MappedAttentionGrad &m, u32 shared, u32 bar, Job job) {
	const Attention &p = m.attention;
	loadOwn<S>(shared, keysOf(m, job.at), valuesOf(m, job.at), job.line, bar);
	Ring ring;
	u64 last = job.at.head + p.heads / p.groups;
#pragma unroll 1
	for (; job.at.head < last; job.at.head++) {
#pragma unroll 1
		for (u32 query = job.columns.from; query < job.columns.to; query += S::COLUMNS) {
			u32 stage = shared + S::STAGES + ring.stage * 2 * S::PANEL, full = bar + 8 + ring.stage * 8;
			await(full + 16, ring.parity ^ 1);
			expectBytes(full, 2 * S::PANEL + S::END);
			Source::load<S::BOXES, S::COLUMNS>(queriesOf(m, job.at), stage, query, full);
			Source::load<S::BOXES, S::COLUMNS>(doutOf(m, job.at), stage + S::PANEL, query, full);
			loadBytes(shared + S::ENDS + ring.stage * S::END, deltaOf(p, job.at.batch, job.at.head, query), S::END, full);
			Ring::next(ring, 2);
		}
	}
}

// A Part is the sums of a group: of the gradient of values, of keys, or of both.
template <int N, bool VALUES, bool KEYS> struct Part {
	FragmentC values[VALUES ? N : 1] = {}, keys[KEYS ? N : 1] = {};

	INLINE void settled(Part &part) {
		if constexpr (VALUES) {
			settle(part.values);
		}
		if constexpr (KEYS) {
			settle(part.keys);
		}
	}
};

// weighQueries makes weights of products of queries and keys, and slopesOf the gradients of these, but for the scale, of the weights and of dout·vᵀ.
INLINE void weighQueries(FragmentC (&s)[8], u32 ends, f32 by) {
#pragma unroll
	for (int n = 0; n < 8; n++) {
		Ends e = sharedEnds(ends + n * 64);
#pragma unroll
		for (int i = 0; i < 4; i++) {
			s[n].v[i] = exp2(fma(s[n].v[i], by, -e.logSum[i % 2]));
		}
	}
}

INLINE void slopesOf(FragmentC (&d)[8], const FragmentC (&s)[8], u32 ends) {
#pragma unroll
	for (int n = 0; n < 8; n++) {
		Ends e = sharedEnds(ends + n * 64);
#pragma unroll
		for (int i = 0; i < 4; i++) {
			d[n].v[i] = s[n].v[i] * (d[n].v[i] - e.delta[i % 2]);
		}
	}
}

// A Place is where a group's lines and the block's stages lie.
struct Place {
	u32 own, line, stages, ends, full;

	template <class S> INLINE Place of(u32 shared, u32 bar, const Job &job, u32 group) {
		u32 lines = (S::APART ? 0 : group) * 64;
		return {shared + lines / 64 * S::HELD, job.line + lines + threadIdx.x % 128 / 32 * 16, shared + S::STAGES, shared + S::ENDS + threadIdx.x % 4 * 16, bar + 8};
	}
};

// overlapQueries is for scores that are scaled and perhaps hidden, no more: exponentials are made while tensor cores multiply dout and values, and slopes while they add
// up the gradient of values.
template <class S, bool VALUES, bool KEYS> INLINE void overlapQueries(const Attention &p, const Job &job, const Place &at, Part<S::WIDTH / 8, VALUES, KEYS> &part) {
	f32 by = (f32)(p.scale * LOG2E);
	u32 query = job.columns.from, left = (job.columns.to - query + S::COLUMNS - 1) / S::COLUMNS * ((u32)p.heads / (u32)p.groups);
	Ring ring;
#pragma unroll 1
	for (; left > 0; left--) {
		u32 queries = at.stages + ring.stage * 2 * S::PANEL, dout = queries + S::PANEL, ends = at.ends + ring.stage * S::END;
		FragmentC s[8], d[KEYS ? 8 : 1];
		FragmentA w[4];
		await(at.full + ring.stage * 8, ring.parity);
		beginProducts();
		multiplyRows<S::WIDTH, S::COLUMNS>(s, anew(at.own), queries);
		if constexpr (KEYS) {
			multiplyRows<S::WIDTH, S::COLUMNS>(d, anew(at.own) + S::OWN, dout);
		}
		awaitProducts<KEYS ? 1 : 0>();
		settle(s);
		if (seenOf<true, S::COLUMNS>(p, job.window, at.line, query) != ALL) {
			hide<true>(p, job.window, at.line, query, s);
		}
		weighQueries(s, ends, by);
		if constexpr (VALUES) {
			toWeights(w, s);
			settle(w);
			beginProducts();
			addWeighed<S::COLUMNS>(part.values, w, dout);
		}
		if constexpr (KEYS) {
			FragmentA slopes[4];
			if constexpr (!VALUES) {
				await(at.full + ring.stage * 8, ring.parity); // it came before; the wait's loop keeps ptxas from moving exponentials behind the wait for products
			}
			awaitProducts<VALUES ? 1 : 0>();
			settle(d);
			slopesOf(d, s, ends);
			toWeights(slopes, d);
			settle(slopes);
			beginProducts();
			addWeighed<S::COLUMNS>(part.keys, slopes, queries);
		}
		awaitProducts<0>();
		Part<S::WIDTH / 8, VALUES, KEYS>::settled(part);
		S::used(at.full + 16 + ring.stage * 8);
		Ring::next(ring, 2);
		query = query + S::COLUMNS < job.columns.to ? query + S::COLUMNS : job.columns.from;
	}
}

// queriesInTurn is for all other scores, PIECE fragments at a time.
template <class S, bool VALUES, bool KEYS> INLINE void queriesInTurn(const Attention &p, Job job, const Place &at, Part<S::WIDTH / 8, VALUES, KEYS> &part) {
	Ring ring;
	u64 last = job.at.head + p.heads / p.groups;
#pragma unroll 1
	for (; job.at.head < last; job.at.head++) {
#pragma unroll 1
		for (u32 query = job.columns.from; query < job.columns.to; query += S::COLUMNS) {
			u32 queries = at.stages + ring.stage * 2 * S::PANEL, dout = queries + S::PANEL;
			await(at.full + ring.stage * 8, ring.parity);
#pragma unroll 1
			for (u32 from = 0; from < S::COLUMNS; from += S::PIECE * 8) {
				FragmentC s[S::PIECE], d[S::PIECE];
				FragmentA w[S::PIECE / 2];
				if constexpr (!KEYS) {
					clear(d);
				}
				beginProducts();
				multiplyRows<S::WIDTH, S::COLUMNS>(s, anew(at.own), queries + from * 128);
				if constexpr (KEYS) {
					multiplyRows<S::WIDTH, S::COLUMNS>(d, anew(at.own) + S::OWN, dout + from * 128);
				}
				awaitProducts<0>();
				settle(s);
				if constexpr (KEYS) {
					settle(d);
				}
				differentiate<true>(p, job.at, job.window, PARTS, at.line, query + from, at.ends + ring.stage * S::END + from * 8, {}, s, d);
				if constexpr (VALUES) {
					toWeights(w, s);
					settle(w);
					beginProducts();
					addWeighed<S::COLUMNS>(part.values, w, dout + from * 128);
				}
				if constexpr (KEYS) {
					FragmentA slopes[S::PIECE / 2];
					toWeights(slopes, d);
					settle(slopes);
					beginProducts();
					addWeighed<S::COLUMNS>(part.keys, slopes, queries + from * 128);
				}
				awaitProducts<0>();
				Part<S::WIDTH / 8, VALUES, KEYS>::settled(part);
			}
			S::used(at.full + 16 + ring.stage * 8);
			Ring::next(ring, 2);
		}
	}
}

template <class S, bool VALUES, bool KEYS> INLINE void consumeQueries(const MappedAttentionGrad &m, u32 shared, u32 bar, const Job &job, u32 group) {
	const Attention &p = m.attention;
	Place at = Place::of<S>(shared, bar, job, group);
	Part<S::WIDTH / 8, VALUES, KEYS> part;
	await(bar, 0);
	if (!overlaps(p)) {
		queriesInTurn<S>(p, job, at, part);
	} else if (job.columns.from < job.columns.to) {
		overlapQueries<S>(p, job, at, part);
	}
	asm volatile("bar.sync 1, 256;" : : : "memory"); // no warp multiplies keys and values any more
	if constexpr (KEYS) {
		scale(part.keys, (f32)p.scale);
		putPart<S::WIDTH, S::HELD>(at.own, p.dK, p.dKStrides, job.at, job.at.group, at.line, p.keys, p.width, part.keys);
	}
	if constexpr (VALUES) {
		putPart<S::WIDTH, S::HELD>(at.own + S::OWN, p.dV, p.dVStrides, job.at, job.at.group, at.line, p.keys, p.outputs, part.values);
	}
}

template <class S> INLINE void keysGradient(const MappedAttentionGrad &m) {
	u32 shared = dynamicAddress(), bar = shared + S::BARRIERS; // the own lines have come; of two stages, it has come, and all warps have used it
	if (threadIdx.x == 0) {
		for (u32 i = 0; i < 5; i++) {
			initBarrier(bar + i * 8, i < 3 ? 1 : GROUPS * 4);
		}
		publishBarriers();
	}
	__syncthreads();
	Job job = jobOf<true, S::LINES, S::COLUMNS>(m.attention);
	u32 group = warpgroup();
	if (group == 0) {
		giveRegisters<24>();
		if (threadIdx.x == 0) {
			produceQueries<S>(m, shared, bar, job);
		}
		return;
	}
	takeRegisters<240>();
	if constexpr (!S::APART) {
		consumeQueries<S, true, true>(m, shared, bar, job, group - 1);
	} else if (group == 1) {
		consumeQueries<S, true, false>(m, shared, bar, job, 0);
	} else {
		consumeQueries<S, false, true>(m, shared, bar, job, 1);
	}
}

GRADIENT(keys, 32, keysGradient, KeysTiles)
GRADIENT(keys, 64, keysGradient, KeysTiles)
GRADIENT(keys, 96, keysGradient, KeysTiles)
GRADIENT(keys, 128, keysGradient, KeysTiles)
GRADIENT(keys, 192, keysGradient, KeysTiles)
GRADIENT(keys, 256, keysGradient, KeysTiles)
