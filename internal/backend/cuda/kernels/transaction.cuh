// Barriers in shared memory that count arrivals and the bytes of copies by the tensor memory accelerator (TMA), and those copies: of boxes of a tensor that a map of three axes or four, the
// fastest first, describes, zeros beyond its ends. Addresses of shared memory are of 32 bits, of the block or, by remote, of another in its cluster.
#pragma once

#include "device.cuh"

INLINE void initBarrier(u32 barrier, u32 arrivals) {
	asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" : : "r"(barrier), "r"(arrivals) : "memory");
}

// publishBarriers makes what initBarrier has written known to the cluster and to copies; a barrier of the cluster follows.
INLINE void publishBarriers() { asm volatile("fence.mbarrier_init.release.cluster;" : : : "memory"); }

// expectBytes arrives, and says how many bytes the phase waits for.
INLINE void expectBytes(u32 barrier, u32 bytes) {
	asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" : : "r"(barrier), "r"(bytes) : "memory");
}

INLINE u32 remote(u32 at, u32 rank) {
	u32 there;
	asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(there) : "r"(at), "r"(rank));
	return there;
}

INLINE void arriveAt(u32 barrier) { asm volatile("mbarrier.arrive.shared::cluster.b64 _, [%0];" : : "r"(barrier) : "memory"); }

// await waits until the phase of that parity has ended.
INLINE void await(u32 barrier, u32 parity) {
	u32 done;
	do {
		asm volatile("{\n\t.reg .pred p;\n\tmbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2;\n\tselp.u32 %0, 1, 0, p;\n\t}"
					 : "=r"(done) : "r"(barrier), "r"(parity) : "memory");
	} while (!done);
}

// A Ring goes round stages, whose barriers' phases have a parity.
struct Ring {
	u32 stage = 0, parity = 0;

	INLINE void next(Ring &r, u32 stages) {
		if (++r.stage == stages) {
			r.stage = 0;
			r.parity ^= 1;
		}
	}
};

INLINE void clusterBarrier() {
	asm volatile("barrier.cluster.arrive.release.aligned;\n\tbarrier.cluster.wait.acquire.aligned;" : : : "memory");
}

// By programmatic dependent launch a kernel may start before the one ahead of it has ended. awaitKernelAhead waits until that has, before the first access to memory
// that others write; letNextStart says that the next one may start once all blocks have said so.
INLINE void awaitKernelAhead() { asm volatile("griddepcontrol.wait;" : : : "memory"); }
INLINE void letNextStart() { asm volatile("griddepcontrol.launch_dependents;" : : : "memory"); }

INLINE u32 rankInCluster() {
	u32 rank;
	asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
	return rank;
}

// loadBytes copies neighbours into this block: bytes and both addresses are multiples of 16.
INLINE void loadBytes(u32 to, u64 from, u32 bytes, u32 barrier) {
	asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" : : "r"(to), "l"(from), "r"(bytes), "r"(barrier) : "memory");
}

// loadBox copies a box into this block.
INLINE void loadBox(u32 to, const TensorMap &map, u32 x, u32 y, u32 z, u32 barrier) {
	asm volatile("cp.async.bulk.tensor.3d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3, %4}], [%5];"
				 : : "r"(to), "l"(&map), "r"(x), "r"(y), "r"(z), "r"(barrier) : "memory");
}

// With four coordinates loadBox and shareBox are those of a tensor of four axes.
INLINE void loadBox(u32 to, const TensorMap &map, u32 x, u32 y, u32 z, u32 w, u32 barrier) {
	asm volatile("cp.async.bulk.tensor.4d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3, %4, %5}], [%6];"
				 : : "r"(to), "l"(&map), "r"(x), "r"(y), "r"(z), "r"(w), "r"(barrier) : "memory");
}

// shareBox copies a box to the same place in all blocks of the cluster whose bit is set, and tells the barrier of each.
INLINE void shareBox(u32 to, const TensorMap &map, u32 x, u32 y, u32 z, u32 barrier, u16 blocks) {
	asm volatile("cp.async.bulk.tensor.3d.shared::cluster.global.tile.mbarrier::complete_tx::bytes.multicast::cluster "
				 "[%0], [%1, {%2, %3, %4}], [%5], %6;"
				 : : "r"(to), "l"(&map), "r"(x), "r"(y), "r"(z), "r"(barrier), "h"(blocks) : "memory");
}

INLINE void shareBox(u32 to, const TensorMap &map, u32 x, u32 y, u32 z, u32 w, u32 barrier, u16 blocks) {
	asm volatile("cp.async.bulk.tensor.4d.shared::cluster.global.tile.mbarrier::complete_tx::bytes.multicast::cluster "
				 "[%0], [%1, {%2, %3, %4, %5}], [%6], %7;"
				 : : "r"(to), "l"(&map), "r"(x), "r"(y), "r"(z), "r"(w), "r"(barrier), "h"(blocks) : "memory");
}

// storeBox copies a box from shared memory to the tensor, what lies beyond its ends excepted. It sees what was written before fenceCopies.
INLINE void storeBox(const TensorMap &map, u32 x, u32 y, u32 z, u32 from) {
	asm volatile("cp.async.bulk.tensor.3d.global.shared::cta.tile.bulk_group [%0, {%1, %2, %3}], [%4];\n\t"
				 "cp.async.bulk.commit_group;"
				 : : "l"(&map), "r"(x), "r"(y), "r"(z), "r"(from) : "memory");
}

// awaitReads waits until no more than so many of the thread's stores still read shared memory.
template <int STORES> INLINE void awaitReads() { asm volatile("cp.async.bulk.wait_group.read %0;" : : "n"(STORES) : "memory"); }

INLINE void awaitStores() { asm volatile("cp.async.bulk.wait_group 0;" : : : "memory"); }

INLINE void fenceCopies() { asm volatile("fence.proxy.async.shared::cta;" : : : "memory"); }
