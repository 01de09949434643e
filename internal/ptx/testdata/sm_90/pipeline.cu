// A producer warp and two consumer warps pass tiles of 16 rows of 32 floats through stages of shared memory: out = 2 in. Each Bug
// plants one mistake.
#include "hopper.cuh"

enum Bug { none, noProxyFence, noEmptyWait, wrongParity, announcesTooMuch, announcesTooLittle, noInitFence, noStoreWait, noBarrierAfterInit, arrivesEarly };

constexpr int STAGES = 2, ROWS = 16, COLS = 32, BYTES = ROWS * COLS * 4;

extern __shared__ __attribute__((aligned(1024))) u8 smem[];

template <Bug BUG> INLINE void pipeline(const Map* in, const Map* out, int tiles) {
  const u32 base = address(smem), result = base + STAGES * BYTES, full = result + BYTES, empty = full + 8 * STAGES;
  const u32 t = threadIdx.x, warp = t / 32;
  if (t == 0) {
    for (int s = 0; s < STAGES; s++) init(full + 8 * s, 1), init(empty + 8 * s, 2);
    if (BUG != noInitFence) initFence();
  }
  if (BUG != noBarrierAfterInit) __syncthreads();
  if (warp == 0) {
    if (t == 0)
      for (int i = 0; i < tiles; i++) {
        int s = i % STAGES;
        if (BUG != noEmptyWait) await(empty + 8 * s, i / STAGES & 1 ^ (BUG == wrongParity ? 0 : 1));
        expect(full + 8 * s, BYTES + (BUG == announcesTooMuch ? 128 : BUG == announcesTooLittle ? -128 : 0));
        load2(base + s * BYTES, in, 0, i * ROWS, full + 8 * s);
      }
    return;
  }
  float* to = (float*)(smem + STAGES * BYTES);
  for (int i = 0; i < tiles; i++) {
    int s = i % STAGES;
    await(full + 8 * s, i / STAGES & 1);
    const float* from = (const float*)(smem + s * BYTES);
    if (BUG == arrivesEarly && t % 32 == 0) arrive(empty + 8 * s);
    float v[8];
    for (int k = 0; k < 8; k++) v[k] = 2 * from[(t - 32) + 64 * k];
    if (BUG != arrivesEarly && t % 32 == 0) arrive(empty + 8 * s);
    for (int k = 0; k < 8; k++) to[(t - 32) + 64 * k] = v[k];
    if (BUG != noProxyFence) proxyFence();
    asm volatile("bar.sync 1, 64;" ::: "memory");
    if (t == 32) {
      store2(out, 0, i * ROWS, result);
      commitBulk();
      if (BUG != noStoreWait) awaitBulkRead();
    }
    asm volatile("bar.sync 1, 64;" ::: "memory");
  }
}

#define KERNEL(name, bug) \
  extern "C" __global__ BOUNDS(96) void name(MAP in, MAP out, int tiles) { pipeline<bug>(&in, &out, tiles); }
KERNEL(pipeline, none)
KERNEL(no_proxy_fence, noProxyFence)
KERNEL(no_empty_wait, noEmptyWait)
KERNEL(wrong_parity, wrongParity)
KERNEL(announces_too_much, announcesTooMuch)
KERNEL(announces_too_little, announcesTooLittle)
KERNEL(no_init_fence, noInitFence)
KERNEL(no_store_wait, noStoreWait)
KERNEL(no_barrier_after_init, noBarrierAfterInit)
KERNEL(arrives_early, arrivesEarly)
