// A product of bfloat16 matrices as fast GPUs want it: asynchronous copies into stages of swizzled shared memory, fragments by
// ldmatrix, tensor cores. Each BUG plants a mistake that hardware would often hide.
#include "../device.h"

#define INLINE static __inline__ __attribute__((device, always_inline))

extern __shared__ __attribute__((aligned(128))) u8 smem[];

INLINE u32 address(const void* p) { return (u32)(u64)(__attribute__((address_space(3))) const void*)p; }

INLINE void copy16(u32 to, const void* from, int n) {
  asm volatile("cp.async.cg.shared.global.L2::128B [%0], [%1], 16, %2;" ::"r"(to), "l"(from), "r"(n) : "memory");
}
INLINE void commit() { asm volatile("cp.async.commit_group;" ::: "memory"); }
template <int N> INLINE void await() { asm volatile("cp.async.wait_group %0;" ::"n"(N) : "memory"); }

INLINE void load4(u32 (&r)[4], u32 at) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];" : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]) : "r"(at) : "memory");
}
INLINE void load4t(u32 (&r)[4], u32 at) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0,%1,%2,%3}, [%4];" : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]) : "r"(at) : "memory");
}
INLINE void mma(float (&d)[4], const u32 (&a)[4], u32 b0, u32 b1) {
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
               : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]) : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}

enum Bug { none, overwritesStage, noSwizzle };

constexpr int BM = 64, BN = 64, BK = 32, STAGES = 3, A_BYTES = BM * BK * 2, STAGE = A_BYTES + BK * BN * 2;

// C[m][n] = sum over k of A[m][k] B[k][n]; k and n are multiples of 8.
template <Bug BUG> INLINE void gemm(float* c, const u16* a, const u16* b, int m, int n, int k) {
  const int t = threadIdx.x, lane = t % 32, warp = t / 32;
  const int m0 = blockIdx.y * BM, n0 = blockIdx.x * BN;
  const int wm = warp / 2 * 32, wn = warp % 2 * 32;
  const u32 base = address(smem);
  const int blocks = (k + BK - 1) / BK;
  auto swizzleA = [](int row, int chunk) { return row * 64 + ((BUG == noSwizzle ? chunk : chunk ^ (row >> 1 & 3)) << 4); };
  auto swizzleB = [](int row, int chunk) { return row * 128 + ((BUG == noSwizzle ? chunk : chunk ^ (row & 7)) << 4); };
  auto issue = [&](int block, int stage) {
    const u32 sa = base + stage * STAGE, sb = sa + A_BYTES;
    for (int i = t; i < BM * BK / 8; i += 128) {
      int row = i / 4, q = i % 4, gm = m0 + row, gk = block * BK + q * 8;
      bool in = gm < m && gk < k;
      copy16(sa + swizzleA(row, q), a + (in ? (u64)gm * k + gk : 0), in ? 16 : 0);
    }
    for (int i = t; i < BK * BN / 8; i += 128) {
      int row = i / 8, q = i % 8, gk = block * BK + row, gn = n0 + q * 8;
      bool in = gk < k && gn < n;
      copy16(sb + swizzleB(row, q), b + (in ? (u64)gk * n + gn : 0), in ? 16 : 0);
    }
  };
  for (int s = 0; s < STAGES - 1; s++) {
    if (s < blocks) issue(s, s);
    commit();
  }
  float d[2][4][4] = {};
  for (int block = 0; block < blocks; block++) {
    await<STAGES - 2>();
    __syncthreads();
    int next = block + STAGES - 1;
    if (next < blocks) issue(next, (BUG == overwritesStage ? block : next) % STAGES);
    commit();
    const u32 sa = base + block % STAGES * STAGE, sb = sa + A_BYTES;
#pragma unroll
    for (int kk = 0; kk < BK / 16; kk++) {
      u32 fa[2][4], fb[2][4];
#pragma unroll
      for (int i = 0; i < 2; i++) load4(fa[i], sa + swizzleA(wm + 16 * i + lane % 16, 2 * kk + lane / 16));
#pragma unroll
      for (int j = 0; j < 2; j++) load4t(fb[j], sb + swizzleB(16 * kk + lane % 16, wn / 8 + 2 * j + lane / 16));
#pragma unroll
      for (int i = 0; i < 2; i++)
#pragma unroll
        for (int j = 0; j < 4; j++) mma(d[i][j], fa[i], fb[j / 2][2 * (j % 2)], fb[j / 2][2 * (j % 2) + 1]);
    }
  }
#pragma unroll
  for (int i = 0; i < 2; i++)
#pragma unroll
    for (int j = 0; j < 4; j++)
#pragma unroll
      for (int e = 0; e < 4; e++) {
        int row = m0 + wm + 16 * i + lane / 4 + 8 * (e / 2), col = n0 + wn + 8 * j + lane % 4 * 2 + e % 2;
        if (row < m && col < n) c[(u64)row * n + col] = d[i][j][e];
      }
}

#define KERNEL(name, bug) \
  extern "C" __global__ BOUNDS(128) void name(float* c, const u16* a, const u16* b, int m, int n, int k) { gemm<bug>(c, a, b, m, n, k); }
KERNEL(gemm, none)
KERNEL(overwrites_stage, overwritesStage)
KERNEL(no_swizzle, noSwizzle)
