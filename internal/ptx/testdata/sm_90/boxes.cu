// One copy of a box by a map, in each direction, and copies without a map. load: out is what the copy puts into shared memory;
// store: from is what lies there.
#include "hopper.cuh"

extern __shared__ __attribute__((aligned(1024))) u32 room[];
__shared__ __attribute__((aligned(8))) u64 done;

#define LOAD(n, coordinates, ...)                                                                                                       \
  extern "C" __global__ BOUNDS(32) void load##n(MAP map, u32* out, u32 bytes, int c0, int c1, int c2, int c3, int c4) {                  \
    const u32 t = threadIdx.x, bar = address(&done);                                                                                    \
    for (u32 i = t; i < bytes / 4; i += 32) room[i] = 0x7fc01234;                                                                       \
    if (t == 0) {                                                                                                                       \
      init(bar, 1);                                                                                                                     \
      initFence();                                                                                                                      \
    }                                                                                                                                   \
    __syncthreads();                                                                                                                    \
    proxyFence();                                                                                                                       \
    __syncthreads();                                                                                                                    \
    if (t == 0) {                                                                                                                       \
      expect(bar, bytes);                                                                                                               \
      asm volatile("cp.async.bulk.tensor." #n "d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, " coordinates "], [%2];" ::"r"( \
                       address(room)),                                                                                                  \
                   "l"(&map), "r"(bar), __VA_ARGS__                                                                                     \
                   : "memory");                                                                                                         \
    }                                                                                                                                   \
    await(bar, 0);                                                                                                                      \
    for (u32 i = t; i < bytes / 4; i += 32) out[i] = room[i];                                                                           \
  }

#define STORE(n, name, how, coordinates, ...)                                                                                           \
  extern "C" __global__ BOUNDS(32) void name##n(MAP map, const u32* from, u32 bytes, int c0, int c1, int c2, int c3, int c4) {           \
    const u32 t = threadIdx.x;                                                                                                          \
    for (u32 i = t; i < bytes / 4; i += 32) room[i] = from[i];                                                                          \
    proxyFence();                                                                                                                       \
    __syncthreads();                                                                                                                    \
    if (t == 0) {                                                                                                                       \
      asm volatile(how ".bulk_group [%1, " coordinates "], [%0];" ::"r"(address(room)), "l"(&map), __VA_ARGS__ : "memory");             \
      commitBulk();                                                                                                                     \
      asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");                                                                         \
    }                                                                                                                                   \
  }

LOAD(1, "{%3}", "r"(c0))
LOAD(2, "{%3, %4}", "r"(c0), "r"(c1))
LOAD(3, "{%3, %4, %5}", "r"(c0), "r"(c1), "r"(c2))
LOAD(4, "{%3, %4, %5, %6}", "r"(c0), "r"(c1), "r"(c2), "r"(c3))
LOAD(5, "{%3, %4, %5, %6, %7}", "r"(c0), "r"(c1), "r"(c2), "r"(c3), "r"(c4))
STORE(2, store, "cp.async.bulk.tensor.2d.global.shared::cta.tile", "{%2, %3}", "r"(c0), "r"(c1))
STORE(3, store, "cp.async.bulk.tensor.3d.global.shared::cta.tile", "{%2, %3, %4}", "r"(c0), "r"(c1), "r"(c2))
STORE(2, add, "cp.reduce.async.bulk.tensor.2d.global.shared::cta.add.tile", "{%2, %3}", "r"(c0), "r"(c1))

// Copies 256 bytes in and adds them, as floats, to out.
extern "C" __global__ BOUNDS(32) void linear(float* out, const float* from, u32 shift) {
  const u32 t = threadIdx.x, bar = address(&done);
  if (t == 0) {
    init(bar, 1);
    initFence();
    expect(bar, 256);
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], 256, [%2];" ::"r"(address(room) + shift), "l"(from), "r"(bar)
                 : "memory");
    await(bar, 0);
    asm volatile("cp.reduce.async.bulk.global.shared::cta.bulk_group.add.f32 [%0], [%1], 256;" ::"l"(out), "r"(address(room) + shift) : "memory");
    commitBulk();
    awaitBulkRead();
  }
}
