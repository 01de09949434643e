package ptx

import "testing"

// TestBarriersInSharedMemory runs what one warp can do to a barrier, and plants misuse.
func TestBarriersInSharedMemory(t *testing.T) {
	const head = `.version 8.0
.target sm_90
.address_size 64
.shared .align 8 .b8 room[64];
.visible .entry k(.param .u64 out)
{
	.reg .pred %p<4>; .reg .b32 %r<12>; .reg .b64 %d<8>;
	ld.param.u64 %d0, [out]; mov.u32 %r0, %tid.x; mov.u32 %r9, 0;
	setp.eq.u32 %p1, %r0, 0; @!%p1 bra done;
`
	for _, tc := range []struct {
		name, code string
		kind       FaultKind
		want       string
		result     uint32
	}{
		{"a state", "mbarrier.init.shared::cta.b64 [room], 2; mbarrier.arrive.shared.b64 %d1, [room]; mbarrier.test_wait.shared.b64 %p2, [room], %d1; selp.b32 %r2, 10, 0, %p2; mbarrier.arrive.shared.b64 _, [room]; mbarrier.test_wait.shared.b64 %p2, [room], %d1; selp.b32 %r3, 1, 0, %p2; add.u32 %r9, %r2, %r3;", 0, "", 1},
		{"a parity", "mbarrier.init.shared::cta.b64 [room], 1; mbarrier.try_wait.parity.shared.b64 %p2, [room], 1; selp.b32 %r2, 10, 0, %p2; mbarrier.test_wait.parity.shared.b64 %p2, [room], 0; selp.b32 %r3, 1, 0, %p2; add.u32 %r9, %r2, %r3;", 0, "", 10},
		{"bytes", "mbarrier.init.shared::cta.b64 [room], 1; mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [room], 16; mbarrier.arrive.shared.b64 _, [room]; mbarrier.test_wait.parity.shared.b64 %p2, [room], 0; selp.b32 %r9, 10, 3, %p2;", Misuse, "the block ends with the barrier at 0x0: phase 0, 0 of 1 arrivals and 16 bytes missing", 0},
		{"copies of the thread", "mbarrier.init.shared::cta.b64 [room], 1; cp.async.ca.shared.global [room+16], [%d0], 4; cp.async.mbarrier.arrive.noinc.shared.b64 [room]; mbarrier.test_wait.parity.shared.b64 %p2, [room], 0; selp.b32 %r9, 10, 3, %p2; @%p2 ld.shared.u32 %r9, [room+16];", 0, "", 7},
		{"not initialised", "mbarrier.arrive.shared.b64 _, [room];", Misuse, "the barrier at 0x0 has not been initialised", 0},
		{"gone", "mbarrier.init.shared.b64 [room], 1; mbarrier.inval.shared.b64 [room]; mbarrier.arrive.shared.b64 _, [room];", Misuse, "has not been initialised", 0},
		{"misaligned", "mbarrier.init.shared.b64 [room+4], 1;", Misaligned, "at 0x4", 0},
		{"made twice", "mbarrier.init.shared.b64 [room], 2; mbarrier.arrive.shared.b64 _, [room]; mbarrier.init.shared.b64 [room], 2;", Misuse, "it is in use", 0},
		{"too many arrivals", "mbarrier.init.shared.b64 [room], 2; mbarrier.arrive.shared.b64 _, [room], 3;", Misuse, "3 arrivals at the barrier at 0x0: phase 0, 2 of 2 arrivals", 0},
		{"a copy that is not waited for", "mbarrier.init.shared::cta.b64 [room], 1; fence.mbarrier_init.release.cluster; mbarrier.arrive.expect_tx.shared::cta.b64 _, [room], 16; cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [room+16], [%d0], 16, [room];", DataRace, "block (0,0,0) ends and has not waited for this copy into its shared memory", 0},
		{"more bytes than a barrier counts", "mbarrier.init.shared::cta.b64 [room], 1; mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [room], 1048575; mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [room], 16;", Misuse, "16 more bytes for the barrier at 0x0", 0},
		{"no arrivals", "mbarrier.init.shared.b64 [room], 0;", Misuse, "a barrier of 0 arrivals", 0},
	} {
		t.Run(tc.name, func(t *testing.T) {
			m, err := Parse("k", head+tc.code+"\nst.global.u32 [%d0], %r9;\ndone:\nret;\n}")
			if err != nil {
				t.Fatal(err)
			}
			var h heap
			k, out := m.Kernels["k"], put(&h, []uint32{7, 0, 0, 0})
			_, err = Launch(k, LaunchConfig{Grid: [3]uint32{1, 1, 1}, Block: [3]uint32{32, 1, 1}, Params: pack(k, out), Memory: &h})
			if tc.want != "" {
				faultOf(t, err, tc.kind, tc.want)
				return
			}
			if got := get[uint32](&h, out)[0]; err != nil || got != tc.result {
				t.Errorf("got %d, %v; want %d", got, err, tc.result)
			}
		})
	}
}
