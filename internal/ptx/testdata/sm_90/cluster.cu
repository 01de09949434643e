// Blocks of a cluster of two: each loads half of a tile for both and writes what it has to its own place.
#include "hopper.cuh"

extern __shared__ __attribute__((aligned(1024))) float tile[]; // 32 rows of 32
__shared__ __attribute__((aligned(8))) u64 full, empty;

enum Bug { none, leavesEarly, localArrivals };

template <Bug BUG> INLINE void share(const Map* in, float* out, int rounds) {
  const u32 t = threadIdx.x, rank = clusterRank(), bar = address(&full), done = address(&empty);
  if (t == 0) {
    init(bar, 1);
    init(done, BUG == localArrivals ? 1 : 2);
    initFence();
  }
  syncCluster();
  for (int i = 0; i < rounds; i++) {
    if (t == 0) {
      await(done, i & 1 ^ 1);
      expect(bar, 32 * 32 * 4);
      multicast2(address(tile) + rank * 16 * 32 * 4, in, 0, i * 32 + rank * 16, bar, 3);
    }
    await(bar, i & 1);
    for (int k = t; k < 32 * 32; k += 64) out[((blockIdx.x * rounds) + i) * 1024 + k] = tile[k];
    __syncthreads();
    if (t < (BUG == localArrivals ? 1 : 2)) arriveAt(done, BUG == localArrivals ? rank : t);
  }
  if (BUG != leavesEarly) syncCluster();
}

// What another block holds, by ordinary loads.
extern "C" __global__ BOUNDS(32) void neighbour(u32* out, int early) {
  const u32 t = threadIdx.x, rank = clusterRank();
  ((u32*)tile)[t] = 100 * rank + t;
  syncCluster();
  u32 v = 0;
  if (early != 2 || rank == 1)
    asm volatile("ld.shared::cluster.u32 %0, [%1];" : "=r"(v) : "r"(mapa(address(tile) + 4 * t, rank ^ 1)) : "memory");
  out[blockIdx.x * 32 + t] = v;
  if (!early) syncCluster();
}

// Messages by st.async: lane t of one block writes to the other, which waits for 128 bytes.
extern "C" __global__ BOUNDS(32) void message(u32* out) {
  const u32 t = threadIdx.x, rank = clusterRank(), bar = address(&full);
  if (t == 0) {
    init(bar, 1);
    initFence();
    expect(bar, 128);
  }
  syncCluster();
  asm volatile("st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.u32 [%0], %1, [%2];" ::"r"(mapa(address(tile) + 4 * t, rank ^ 1)),
               "r"(1000 * rank + t), "r"(mapa(bar, rank ^ 1))
               : "memory");
  await(bar, 0);
  out[blockIdx.x * 32 + t] = ((u32*)tile)[t];
}

#define KERNEL(name, bug) \
  extern "C" __global__ BOUNDS(64) void name(MAP in, float* out, int rounds) { share<bug>(&in, out, rounds); }
KERNEL(share, none)
KERNEL(leaves_early, leavesEarly)
KERNEL(local_arrivals, localArrivals)
