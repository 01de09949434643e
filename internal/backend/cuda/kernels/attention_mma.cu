// Attention of 16-bit elements on tensor cores: softmax(scores)·v with a running maximum and sum (Dao, FlashAttention-2, 2023).
//
// Every kernel takes Attention and is named for the width that rows have at most: attention_mma_64. A block has a tile of queries of one head, a warp
// DOWN times 16 of them, and walks over tiles of keys and values, of which the next come by asynchronous copies meanwhile. Grid: a block for each tile of queries
// of batch · heads. q, k and v are aligned for 16 bytes along rows. Shared memory: the queries, and two stages of keys and values. A row's keys are added in order.
// dtypes: bf16 f16
// target: sm_80 ptx74
#include "attention_running.cuh"

template <int WIDTH, int KEYS, int WARPS, int DOWN> INLINE void attend(const Attention &p) {
	using L = Swizzled<WIDTH>;
	const int ROWS = WARPS * DOWN * 16, THREADS = WARPS * 32, N = KEYS / 8, DEEP = WIDTH / 16;
	const bool HELD = WIDTH * DOWN <= 96 || WIDTH == 128; // queries stay in registers
	u32 down = ((u32)p.queries + ROWS - 1) / ROWS, tile = blockIdx.x % down;
	Head at;
	at.head = blockIdx.x / down, at.batch = at.head / p.heads, at.head %= p.heads, at.group = at.head / (p.heads / p.groups);
	u32 query = (down - 1 - tile) * ROWS; // with a causal mask those come first that take longest
	u32 line = query + threadIdx.x / 32 * DOWN * 16;
	Window window = windowOf(p);
	Span keys = spanOf<false, ROWS, KEYS>(p, window, query);
	u32 shared = dynamicAddress(), stages = shared + ROWS * L::LINE, own = shared + threadIdx.x / 32 * DOWN * 16 * L::LINE;
	L::template copy<ROWS, THREADS>(shared, lineOf(p.q, p.qStrides, at.batch, at.head, query), p.qStrides[2], (u32)p.queries - query, (u32)p.width);
	auto fill = [&](u32 key, u32 stage) __attribute__((always_inline)) {
		u32 left = (u32)p.keys - key;
		L::template copy<KEYS, THREADS>(stage, lineOf(p.k, p.kStrides, at.batch, at.group, key), p.kStrides[2], left, (u32)p.width);
		L::template copy<KEYS, THREADS>(stage + KEYS * L::LINE, lineOf(p.v, p.vStrides, at.batch, at.group, key), p.vStrides[2], left, (u32)p.outputs);
	};
	if (keys.from < keys.to) {
		fill(keys.from, stages);
	}
	commitCopies();
	Running<WIDTH> r[DOWN];
#pragma unroll
	for (int i = 0; i < DOWN; i++) {
		r[i].begin();
	}
	awaitCopies<0>();
	__syncthreads();
	FragmentA q[DOWN][HELD ? DEEP : 1];
	auto loadQuery = [&](int i, int k) __attribute__((always_inline)) { loadMatrices<false>(q[i][HELD ? k : 0].v, L::along(own + L::ofA(), k) + i * 16 * L::LINE); };
#pragma unroll
	for (int i = 0; i < DOWN && HELD; i++) {
#pragma unroll
		for (int k = 0; k < DEEP; k++) {
			loadQuery(i, k);
		}
	}
	u32 stage = 0;
#pragma unroll 1
	for (u32 key = keys.from; key < keys.to; key += KEYS) {
		awaitCopies<0>();
		__syncthreads(); // these keys are there, and the ones before are not needed any more
		u32 used = stages + stage;
		stage = 2 * KEYS * L::LINE - stage;
		if (key + KEYS < keys.to) {
			fill(key + KEYS, stages + stage);
		}
		commitCopies();
		Seen seen = NOTHING;
#pragma unroll
		for (int i = 0; i < DOWN; i++) {
			Seen part = seenOf<false, KEYS>(p, window, line + i * 16, key);
			seen = i == 0 || seen == part ? part : PARTS;
		}
		if (seen == NOTHING || line >= (u32)p.queries) {
			continue;
		}
		FragmentC s[DOWN][N] = {};
#pragma unroll
		for (int k = 0; k < DEEP; k++) {
#pragma unroll
			for (int i = 0; i < DOWN && !HELD; i++) {
				loadQuery(i, k);
			}
#pragma unroll
			for (int n = 0; n < N / 2; n++) {
				u32 b[4];
				loadMatrices<false>(b, L::along(used + L::ofB(), k) + n * 16 * L::LINE);
#pragma unroll
				for (int i = 0; i < DOWN; i++) {
					multiplyAdd(s[i][2 * n], q[i][HELD ? k : 0], b);
					multiplyAdd(s[i][2 * n + 1], q[i][HELD ? k : 0], b + 2);
				}
			}
		}
#pragma unroll
		for (int i = 0; i < DOWN; i++) {
			bend(p, s[i], [](int, int, f32) {});
			if (p.mask != 0) {
				addMask<false>(p, at, line + i * 16, key, s[i]);
			}
			if (seen != ALL) {
				hide<false>(p, window, line + i * 16, key, s[i]);
			}
			meet(r[i], s[i]);
			if (p.keep < 1) {
				u32 gone = goneOf<false, N>(p, at, line + i * 16, key);
#pragma unroll
				for (int n = 0; n < N * 4; n++) {
					s[i][n / 4].v[n % 4] = gone >> n & 1 ? 0 : s[i][n / 4].v[n % 4];
				}
			}
		}
		used += KEYS * L::LINE;
#pragma unroll
		for (int k = 0; k < KEYS / 16; k++) {
			FragmentA w[DOWN];
#pragma unroll
			for (int i = 0; i < DOWN; i++) {
				w[i] = toA(s[i][2 * k], s[i][2 * k + 1]);
			}
#pragma unroll
			for (int n = 0; n < DEEP; n++) {
				u32 b[4];
				loadMatrices<true>(b, L::along(used + L::ofTurnedB(), n) + k * 16 * L::LINE);
#pragma unroll
				for (int i = 0; i < DOWN; i++) {
					multiplyAdd(r[i].out[2 * n], w[i], b);
					multiplyAdd(r[i].out[2 * n + 1], w[i], b + 2);
				}
			}
		}
	}
#pragma unroll
	for (int i = 0; i < DOWN; i++) {
		u32 row = line + i * 16;
		close(p, at, row, r[i]);
		if (row < (u32)p.queries) {
			putLines<WIDTH>(own + i * 16 * L::LINE, lineOf(p.out, p.outStrides, at.batch, at.head, row), p.outStrides[2], p.outStrides[3], (u32)p.queries - row, (u32)p.outputs, r[i].out);
		}
	}
}

#define ATTENTION(width, keys, warps, down) \
	KERNEL_OF(JOIN(attention_mma_##width, DTYPE), warps * 32, 8 / warps)(const Attention p) { attend<width, keys, warps, down>(p); }

ATTENTION(32, 64, 4, 2)
ATTENTION(64, 64, 4, 2)
ATTENTION(96, 64, 8, 1)
ATTENTION(128, 64, 8, 1)
ATTENTION(192, 32, 8, 1)
ATTENTION(256, 32, 4, 1)
