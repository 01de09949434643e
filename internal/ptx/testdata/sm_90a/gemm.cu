// A product of bfloat16 matrices as 9.0 wants it: a producer warp copies tiles by maps into stages, two groups of four warps multiply
// them by wgmma; a cluster of two blocks shares the tiles of B.
#include "../sm_90/hopper.cuh"

constexpr int BM = 128, BN = 64, BK = 64, STAGES = 3, A_BYTES = BM * BK * 2, B_BYTES = BN * BK * 2, STAGE = A_BYTES + B_BYTES, CLUSTER = 2;

extern __shared__ __attribute__((aligned(1024))) u8 smem[];

INLINE u64 descriptor(u32 at) { return (u64)(at >> 4 & 0x3fff) | 1ull << 16 | 64ull << 32 | 1ull << 62; }

INLINE void multiply(float (&d)[32], u64 a, u64 b, int add) {
  asm volatile(
      "{\n.reg .pred p;\nsetp.ne.b32 p, %34, 0;\n"
      "wgmma.mma_async.sync.aligned.m64n64k16.f32.bf16.bf16 {%0,%1,%2,%3,%4,%5,%6,%7,%8,%9,%10,%11,%12,%13,%14,%15,%16,%17,%18,%19,%20,%21,%22,%23,%24,%25,%"
      "26,%27,%28,%29,%30,%31}, %32, %33, p, 1, 1, 0, 0;\n}"
      : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]), "+f"(d[4]), "+f"(d[5]), "+f"(d[6]), "+f"(d[7]), "+f"(d[8]), "+f"(d[9]), "+f"(d[10]), "+f"(d[11]),
        "+f"(d[12]), "+f"(d[13]), "+f"(d[14]), "+f"(d[15]), "+f"(d[16]), "+f"(d[17]), "+f"(d[18]), "+f"(d[19]), "+f"(d[20]), "+f"(d[21]), "+f"(d[22]),
        "+f"(d[23]), "+f"(d[24]), "+f"(d[25]), "+f"(d[26]), "+f"(d[27]), "+f"(d[28]), "+f"(d[29]), "+f"(d[30]), "+f"(d[31])
      : "l"(a), "l"(b), "r"(add)
      : "memory");
}

// C[m][n] = sum over k of A[m][k] B[n][k]. Blocks of a cluster lie along m.
extern "C" __global__ __attribute__((launch_bounds(384, 1))) void gemm(MAP mapA, MAP mapB, float* c, int m, int n, int k) {
  const u32 t = threadIdx.x, group = t / 128, rank = clusterRank();
  const u32 base = address(smem), full = base + STAGES * STAGE, empty = full + 8 * STAGES;
  const int m0 = blockIdx.x * BM, n0 = blockIdx.y * BN, blocks = (k + BK - 1) / BK;
  if (t == 0) {
    for (int s = 0; s < STAGES; s++) init(full + 8 * s, 1), init(empty + 8 * s, 2 * CLUSTER);
    initFence();
  }
  syncCluster();
  if (group == 2) {
    asm volatile("setmaxnreg.dec.sync.aligned.u32 40;");
    if (t == 256) {
      for (int i = 0; i < blocks; i++) {
        const int s = i % STAGES;
        await(empty + 8 * s, i / STAGES & 1 ^ 1);
        expect(full + 8 * s, STAGE);
        load2(base + s * STAGE, &mapA, i * BK, m0, full + 8 * s);
        multicast2(base + s * STAGE + A_BYTES + rank * (B_BYTES / CLUSTER), &mapB, i * BK, n0 + rank * (BN / CLUSTER), full + 8 * s, 3);
      }
    }
  } else {
    asm volatile("setmaxnreg.inc.sync.aligned.u32 232;");
    float d[32];
    for (int i = 0; i < blocks; i++) {
      const int s = i % STAGES;
      await(full + 8 * s, i / STAGES & 1);
      asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
      const u64 a = descriptor(base + s * STAGE + group * 64 * BK * 2), b = descriptor(base + s * STAGE + A_BYTES);
#pragma unroll
      for (int kk = 0; kk < BK / 16; kk++) multiply(d, a + 2 * kk, b + 2 * kk, i + kk);
      asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
      asm volatile("wgmma.wait_group.sync.aligned 1;" ::: "memory");
      if (i > 0 && t % 128 < CLUSTER) arriveAt(empty + 8 * ((i - 1) % STAGES), t % 128);
    }
    asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
    if (t % 128 < CLUSTER) arriveAt(empty + 8 * ((blocks - 1) % STAGES), t % 128);
    const int row = m0 + group * 64 + t % 128 / 32 * 16 + t % 32 / 4, col = n0 + t % 4 * 2;
#pragma unroll
    for (int i = 0; i < 32; i++) {
      int y = row + (i >> 1 & 1) * 8, x = col + (i >> 2) * 8 + (i & 1);
      if (y < m && x < n) c[(u64)y * n + x] = d[i];
    }
  }
  syncCluster();
}
