// What kernels for 9.0 are written with: barriers in shared memory, copies by tensor maps, clusters.
#pragma once
#include "../device.h"

#define INLINE static __inline__ __attribute__((device, always_inline))

struct __attribute__((aligned(64))) Map { u8 bytes[128]; };

#define MAP const __attribute__((grid_constant)) Map

INLINE u32 address(const void* p) { return (u32)(u64)(__attribute__((address_space(3))) const void*)p; }

INLINE void init(u32 bar, u32 n) { asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(bar), "r"(n) : "memory"); }
INLINE void initFence() { asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory"); }
INLINE void expect(u32 bar, u32 bytes) { asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(bar), "r"(bytes) : "memory"); }
INLINE void arrive(u32 bar) { asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(bar) : "memory"); }
INLINE u32 mapa(u32 at, u32 rank) {
  u32 r;
  asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(r) : "r"(at), "r"(rank));
  return r;
}
INLINE void arriveAt(u32 bar, u32 rank) { asm volatile("mbarrier.arrive.shared::cluster.b64 _, [%0];" ::"r"(mapa(bar, rank)) : "memory"); }
INLINE void await(u32 bar, u32 parity) {
  asm volatile(
      "{\n.reg .pred p;\nagain%=:\nmbarrier.try_wait.parity.shared::cta.b64 p, [%0], %1;\n@!p bra again%=;\n}" ::"r"(bar), "r"(parity) : "memory");
}
INLINE void load2(u32 to, const Map* map, int x, int y, u32 bar) {
  asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3}], [%4];" ::"r"(to), "l"(map),
               "r"(x), "r"(y), "r"(bar)
               : "memory");
}
INLINE void multicast2(u32 to, const Map* map, int x, int y, u32 bar, u16 mask) {
  asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes.multicast::cluster [%0], [%1, {%2, %3}], [%4], %5;" ::"r"(to),
               "l"(map), "r"(x), "r"(y), "r"(bar), "h"(mask)
               : "memory");
}
INLINE void store2(const Map* map, int x, int y, u32 from) {
  asm volatile("cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group [%0, {%1, %2}], [%3];" ::"l"(map), "r"(x), "r"(y), "r"(from) : "memory");
}
INLINE void commitBulk() { asm volatile("cp.async.bulk.commit_group;" ::: "memory"); }
INLINE void awaitBulkRead() { asm volatile("cp.async.bulk.wait_group.read 0;" ::: "memory"); }
INLINE void proxyFence() { asm volatile("fence.proxy.async.shared::cta;" ::: "memory"); }
INLINE void syncCluster() {
  asm volatile("barrier.cluster.arrive.release.aligned;\nbarrier.cluster.wait.acquire.aligned;" ::: "memory");
}
INLINE u32 clusterRank() {
  u32 r;
  asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(r));
  return r;
}
