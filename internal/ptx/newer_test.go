package ptx

import (
	"fmt"
	"math"
	"math/bits"
	"strings"
	"testing"
)

// TestNewerInstructions runs what kernels for 7.5 and later use beside tensor cores, on a = %r1 and b = %r2 in 32 threads.
func TestNewerInstructions(t *testing.T) {
	sum := uint32(32 * 31 / 2)
	half := func(x uint32) float64 { return float64(f16ToF32(uint16(x))) }
	for _, tc := range []struct {
		code string
		want func(i int, a, b uint32) uint32
	}{
		{"lop3.b32 %r9, %r1, %r2, %r0, 0x96;", func(i int, a, b uint32) uint32 { return a ^ b ^ uint32(i) }},
		{"lop3.b32 %r9, %r1, %r2, %r0, 0xca;", func(i int, a, b uint32) uint32 { return a&b | ^a&uint32(i) }},
		{"prmt.b32 %r9, %r1, %r2, 0x7531;", func(_ int, a, b uint32) uint32 { return a>>8&255 | a>>24<<8 | b>>8&255<<16 | b>>24<<24 }},
		{"prmt.b32 %r9, %r1, %r2, 0x000b;", func(_ int, a, _ uint32) uint32 { return uint32(int32(a)>>31)&255 | a&255*0x01010100 }},
		{"bfi.b32 %r9, %r1, %r2, 5, 9;", func(_ int, a, b uint32) uint32 { return b&^(511<<5) | a&511<<5 }},
		{"dp4a.s32.s32 %r9, %r1, %r2, %r0;", func(i int, a, b uint32) uint32 {
			sum := int32(i)
			for k := range 4 {
				sum += int32(int8(a>>(8*k))) * int32(int8(b>>(8*k)))
			}
			return uint32(sum)
		}},
		{"bfe.s32 %r9, %r1, 5, 9;", func(_ int, a, _ uint32) uint32 { return uint32(int32(a<<18) >> 23) }},
		{"popc.b32 %r9, %r1;", func(_ int, a, _ uint32) uint32 { return uint32(bits.OnesCount32(a)) }},
		{"brev.b32 %r9, %r1;", func(_ int, a, _ uint32) uint32 { return bits.Reverse32(a) }},
		{"shf.r.wrap.b32 %r9, %r1, %r2, 37;", func(_ int, a, b uint32) uint32 { return a>>5 | b<<27 }},
		{"shf.l.clamp.b32 %r9, %r1, %r2, 37;", func(_ int, a, _ uint32) uint32 { return a }},
		{"mad.wide.u32 %d3, %r1, %r2, 7; cvt.u32.u64 %r9, %d3;", func(_ int, a, b uint32) uint32 { return a*b + 7 }},
		{"redux.sync.add.s32 %r9, %r0, -1;", func(int, uint32, uint32) uint32 { return sum }},
		{"redux.sync.max.u32 %r9, %r0, -1;", func(int, uint32, uint32) uint32 { return 31 }},
		{"setp.lt.u32 %p1, %r0, 5; vote.sync.ballot.b32 %r9, %p1, -1;", func(int, uint32, uint32) uint32 { return 31 }},
		{"setp.lt.u32 %p1, %r0, 5; vote.sync.any.pred %p2, !%p1, -1; selp.b32 %r9, 3, 4, %p2;", func(int, uint32, uint32) uint32 { return 3 }},
		{"elect.sync %r3|%p1, -1; selp.b32 %r9, 3, 4, %p1;", func(i int, _, _ uint32) uint32 { return 4 - bit(i == 0) }},
		{"mov.u32 %r9, %laneid;", func(i int, _, _ uint32) uint32 { return uint32(i) }},
		{"mov.u32 %r9, %lanemask_lt;", func(i int, _, _ uint32) uint32 { return 1<<i - 1 }},
		{"bar.warp.sync -1; activemask.b32 %r9;", func(int, uint32, uint32) uint32 { return allLanes }},
		// Row g of the matrix that a fragment holds is 8g, 8g+1 and so on.
		{"shl.b32 %r3, %r0, 1; add.u32 %r4, %r3, 1; shl.b32 %r4, %r4, 16; or.b32 %r3, %r3, %r4; movmatrix.sync.aligned.m8n8.trans.b16 %r9, %r3;",
			func(i int, _, _ uint32) uint32 {
				row, col := uint32(i%4*2), uint32(i/4)
				return 8*row + col | (8*(row+1)+col)<<16
			}},
		{"mov.u32 %r3, room; cvta.shared.u64 %d3, room; st.b32 [%d3+4], %r1; bar.sync 0; ld.shared.b32 %r9, [room+4];",
			func(int, uint32, uint32) uint32 { lane := uint32(31); return lane*0x9e3779b1 + 12345 }},
		{"bar.sync 0; atom.shared.add.u32 %r3, [room], 1; bar.sync 3, 32; ld.shared.b32 %r9, [room];", func(int, uint32, uint32) uint32 { return 32 }},
		{"red.shared.max.s32 [room+8], %r0; bar.sync 0; ld.volatile.shared.b32 %r9, [room+8];", func(int, uint32, uint32) uint32 { return 31 }},
		{"cvt.rn.f32.u32 %f1, %r0; cvt.rn.f16x2.f32 %r9, %f1, %f1;", func(i int, _, _ uint32) uint32 { return uint32(formatF16.round(float64(i))) * 0x10001 }},
		{"cvt.rn.f32.u32 %f1, %r1; cvt.rna.tf32.f32 %r9, %f1;", func(_ int, a, _ uint32) uint32 { return (u32(float32(a)) + 1<<12) &^ (1<<13 - 1) }},
		{"cvt.rn.f32.s32 %f1, %r1; cvt.rn.relu.bf16x2.f32 %r9, %f1, 0f40490fdb;", func(_ int, a, _ uint32) uint32 {
			return uint32(formatBF16.round(max(0, float64(float32(int32(a))))))<<16 | 0x4049
		}},
		{"mov.b32 %r9, 0; cvt.rn.f16.u32 %h1, %r0; fma.rn.f16 %h2, %h1, %h1, %h1; mov.b32 %r9, {%h2, %h1};", func(i int, _, _ uint32) uint32 {
			return uint32(formatF16.round(float64(i*i+i))) | uint32(formatF16.round(float64(i)))<<16
		}},
		{"and.b32 %r3, %r1, 0x3fff3fff; and.b32 %r4, %r2, 0x3fff3fff; mul.rn.f16x2 %r9, %r3, %r4;", func(_ int, a, b uint32) (v uint32) {
			a, b = a&0x3fff3fff, b&0x3fff3fff
			return uint32(formatF16.round(half(a)*half(b))) | uint32(formatF16.round(half(a>>16)*half(b>>16)))<<16
		}},
		{"mov.b32 %f1, 0f40400000; ex2.approx.ftz.f32 %f1, %f1; mov.b32 %r9, %f1;", func(int, uint32, uint32) uint32 { return u32(8) }},
		{"mov.b32 %f1, 0f3f000000; tanh.approx.f32 %f1, %f1; mov.b32 %r9, %f1;", func(int, uint32, uint32) uint32 { return u32(float32(math.Tanh(0.5))) }},
		{"mov.b32 %r3, 0x42003c00; ex2.approx.f16x2 %r9, %r3;", func(int, uint32, uint32) uint32 { return 0x48004000 }},
		{"createpolicy.fractional.L2::evict_last.b64 %d3, 1.0; prefetch.global.L2 [%d3]; fence.acq_rel.gpu; membar.gl; mov.u32 %r9, 1;", func(int, uint32, uint32) uint32 { return 1 }},
		// Lane l gives row l of four matrices in 512 bytes, whose halves count up.
		{`shl.b32 %r3, %r0, 3; add.u32 %r4, %r3, 1; shl.b32 %r4, %r4, 16; or.b32 %r4, %r4, %r3; add.u32 %r5, %r4, 0x20002; add.u32 %r6, %r5, 0x20002; add.u32 %r7, %r6, 0x20002;
		 and.b32 %r3, %r0, 15; mad.lo.u32 %r8, %r3, 16, room; setp.lt.u32 %p1, %r0, 16; @%p1 st.shared.v4.b32 [%r8], {%r4, %r5, %r6, %r7}; bar.sync 0;
		 ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%r3, %r9}, [%r8];`, func(i int, _, _ uint32) uint32 {
			at := uint32(64 + i%4*2*8 + i/4)
			return at | (at+8)<<16
		}},
		{`mad.lo.u32 %r8, %r0, 16, room; and.b32 %r3, %r0, 15; mad.lo.u32 %r8, %r3, 16, room; mov.u32 %r4, %r0; add.u32 %r5, %r0, 100;
		 stmatrix.sync.aligned.m8n8.x2.shared.b16 [%r8], {%r4, %r5}; bar.sync 0; mad.lo.u32 %r8, %r0, 4, room; ld.shared.b32 %r9, [%r8+128];`,
			func(i int, _, _ uint32) uint32 { return uint32(i + 100) }},
	} {
		got, _, err := runSnippet(t, 90, tc.code)
		if err != nil {
			t.Errorf("%s\n%v", tc.code, err)
			continue
		}
		for i, g := range got {
			a := uint32(i)*0x9e3779b1 + 12345
			b := a ^ 0x5bd1e995
			if w := tc.want(i, a, b); g != w {
				t.Errorf("%s\nthread %d: got %#x, want %#x", tc.code, i, g, w)
				break
			}
		}
	}
}

// TestHalves compares conversions of every half with their float32 neighbours.
func TestHalves(t *testing.T) {
	for _, f := range []halfFormat{formatF16, formatBF16} {
		for x := range 1 << 16 {
			v := float64(f.value(uint16(x)))
			if v != v {
				continue
			}
			if got := f.round(v); got != uint16(x) {
				t.Fatalf("%v: %#x becomes %g and %#x", f, x, v, got)
			}
			if next := float64(f.value(uint16(x) + 1)); x&0x7fff < 0x7bff && next == next {
				middle := (v + next) / 2
				want := uint16(x) + uint16(x)&1
				if got := f.round(middle); got != want {
					t.Fatalf("%v: half way above %#x: got %#x, want %#x", f, x, got, want)
				}
				if got := f.truncate(middle); got != uint16(x) {
					t.Fatalf("%v: cut above %#x: got %#x", f, x, got)
				}
			}
		}
	}
}

// TestNamedBarriers lets two warps meet at a barrier of their own while two others meet at another, and plants misuse.
func TestNamedBarriers(t *testing.T) {
	const head = `.version 7.0
.target sm_80
.address_size 64
.shared .align 8 .b8 room[256];
.visible .entry k(.param .u64 out)
{
	.reg .pred %p<4>; .reg .b32 %r<8>; .reg .b64 %d<4>;
	mov.u32 %r0, %tid.x; shr.u32 %r1, %r0, 5; setp.lt.u32 %p1, %r1, 2; mul.lo.u32 %r2, %r0, 4; mov.u32 %r3, room; mov.u32 %r4, 7;
`
	for _, tc := range []struct{ name, code, want string }{
		{"two barriers", "@%p1 bar.sync 1, 64; @!%p1 bar.sync 2, 64; bar.sync 0;", ""},
		{"arriving", "@%p1 bar.arrive 3, 128; @!%p1 bar.sync 3, 128;", ""},
		{"too many wanted", "@%p1 bar.sync 1, 96;", "64 of 96 threads arrived at the barrier; warp 2 has exited"},
		{"not a multiple of 32", "bar.sync 1, 40;", "barrier 1 of 40 threads in a block of 128"},
		{"different counts", "@%p1 bar.sync 1, 96; @!%p1 bar.sync 1, 64;", "barrier 1 for 64 threads while others wait there for 96"},
		{"a part of a warp runs a tensor instruction", "setp.lt.u32 %p2, %r0, 5; @%p2 exit; movmatrix.sync.aligned.m8n8.trans.b16 %r4, %r4;", "unconverged warp"},
	} {
		m, err := Parse("k", head+tc.code+"\nret;\n}")
		if err != nil {
			t.Fatal(err)
		}
		k := m.Kernels["k"]
		_, err = Launch(k, LaunchConfig{Grid: [3]uint32{1, 1, 1}, Block: [3]uint32{128, 1, 1}, Params: pack(k, uint64(0)), Memory: &heap{}})
		if tc.want == "" && err != nil || tc.want != "" && (err == nil || !strings.Contains(err.Error(), tc.want)) {
			t.Errorf("%s: got %v, want %q", tc.name, err, tc.want)
		}
	}
}

// TestKernelsThatStartEarlyWait: one that touches memory before the kernel ahead has ended is a fault, where it may start before that.
func TestKernelsThatStartEarlyWait(t *testing.T) {
	for _, tc := range []struct {
		code  string
		early bool
		want  string
	}{
		{"mov.b32 %r9, 1;", false, ""},
		{"mov.b32 %r9, 1; griddepcontrol.launch_dependents;", true, "no griddepcontrol.wait stands between the kernel ahead and this"},
		{"mov.b32 %r9, 1; griddepcontrol.wait;", true, ""},
	} {
		m, err := Parse("snippet", snippet(90, tc.code))
		if err != nil {
			t.Fatal(err)
		}
		var h heap
		k, out := m.Kernels["k"], put(&h, make([]uint32, 32))
		_, err = Launch(k, LaunchConfig{Grid: [3]uint32{2, 1, 1}, Block: [3]uint32{32, 1, 1}, Params: pack(k, out), Memory: &h, Programmatic: tc.early})
		if tc.want != "" {
			faultOf(t, err, DataRace, tc.want)
		} else if err != nil {
			t.Error(err)
		}
	}
}

// TestBlockOrderShows adds floats into one place in the order of the blocks: another order gives other bits, a kernel whose result
// does not depend on it the same.
func TestBlockOrderShows(t *testing.T) {
	text := func(op string) string {
		return `.version 7.0
.target sm_80
.address_size 64
.visible .entry k(.param .u64 out)
{
	.reg .b32 %r<8>; .reg .f32 %f<4>; .reg .b64 %d<4>;
	mov.u32 %r0, %ctaid.x; mul.lo.u32 %r0, %r0, %r0; cvt.rn.f32.u32 %f0, %r0; rcp.rn.f32 %f0, %f0; mov.b32 %r1, %f0;
	ld.param.u64 %d0, [out];
	` + op + `
	ret;
}`
	}
	run := func(op string, seed uint64) uint32 {
		m, err := Parse("k", text(op))
		if err != nil {
			t.Fatal(err)
		}
		var h heap
		k, out := m.Kernels["k"], put(&h, []float32{0})
		if _, err := Launch(k, LaunchConfig{Grid: [3]uint32{1, 1, 1000}, Block: [3]uint32{1, 1, 1}, Params: pack(k, out), Memory: &h, Shuffle: seed, Workers: 1}); err != nil {
			t.Fatal(err)
		}
		return get[uint32](&h, out)[0]
	}
	for _, tc := range []struct {
		op   string
		same bool
	}{
		{"mov.u32 %r0, %ctaid.z; add.u32 %r0, %r0, 1; cvt.rn.f32.u32 %f0, %r0; rcp.rn.f32 %f0, %f0; red.global.add.f32 [%d0], %f0;", false},
		{"mov.u32 %r0, %ctaid.z; red.global.add.u32 [%d0], %r0;", true},
		{"mov.u32 %r0, %ctaid.z; st.global.u32 [%d0], %r0;", false},
	} {
		first, equal := run(tc.op, 0), true
		for seed := range uint64(5) {
			equal = equal && run(tc.op, 77*seed+1) == first
		}
		if equal != tc.same {
			t.Errorf("%s: the same in every order: %t, want %t", tc.op, equal, tc.same)
		}
	}
}

// TestClangsHalves runs testdata/sm_80/misc.cu.
func TestClangsHalves(t *testing.T) {
	var h heap
	x, y := numbers(64), numbers(128)[64:]
	out := put(&h, make([]uint32, 8*64))
	k := load(t, "sm_80/misc").Kernels["misc"]
	if _, err := Launch(k, LaunchConfig{Grid: [3]uint32{1, 1, 1}, Block: [3]uint32{64, 1, 1}, Memory: &h, Shared: 1024, Params: pack(k, out, put(&h, x), put(&h, y))}); err != nil {
		t.Fatal(err)
	}
	two := func(f halfFormat, lo, hi float64) uint32 { return uint32(f.round(lo)) | uint32(f.round(hi))<<16 }
	for i, got := range get[[8]uint32](&h, out) {
		a, b := float64(x[i]), float64(y[i])
		ha, hb := float64(f16ToF32(formatF16.round(a))), float64(f16ToF32(formatF16.round(b)))
		square := func(v float64) float64 { return float64(f16ToF32(formatF16.round(v*v))) + v }
		want := [8]uint32{two(formatF16, a, b), two(formatF16, square(ha), square(hb)), roundTF32(u32(x[i]), "rna"), 32*31/2 + uint32(i/32)*32*32,
			two(formatBF16, a, b), u32(x[i^1] + 1), 2 - bit(ha > 0.5), uint32(formatBF16.round(float64(x[i] + y[i])))}
		if got != want {
			t.Fatalf("thread %d: got %#x, want %#x", i, got, want)
		}
	}
}

// TestTargets wants instructions refused in modules for GPUs that lack them.
func TestTargets(t *testing.T) {
	for _, tc := range []struct {
		target, code, want string
	}{
		{"sm_60", "ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r1}, [%r1];", "needs .target sm_75"},
		{"sm_75", "mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%r1,%r1,%r1,%r1}, {%r1,%r1}, {%r1}, {%r1,%r1,%r1,%r1};", ""},
		{"sm_75", "mma.sync.aligned.m16n8k8.row.col.f32.bf16.bf16.f32 {%r1,%r1,%r1,%r1}, {%r1,%r1}, {%r1}, {%r1,%r1,%r1,%r1};", "needs .target sm_80"},
		{"sm_75", "mma.sync.aligned.m8n8k16.row.col.s32.s8.s8.s32 {%r1,%r1}, {%r1}, {%r1}, {%r1,%r1};", ""},
		{"sm_75", "mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 {%r1,%r1,%r1,%r1}, {%r1,%r1,%r1,%r1}, {%r1,%r1}, {%r1,%r1,%r1,%r1};", "needs .target sm_80"},
		{"sm_75", "cp.async.wait_all;", "needs .target sm_80"},
		{"sm_80", "cp.async.bulk.commit_group;", "needs .target sm_90"},
		{"sm_60", "dp4a.s32.s32 %r1, %r1, %r1, %r1;", "needs .target sm_61"},
		{"sm_80", "fma.rn.bf16x2 %r1, %r1, %r1, %r1;", ""},
		{"sm_80", "mul.rn.bf16x2 %r1, %r1, %r1;", "needs .target sm_90"},
		{"sm_90", "wgmma.fence.sync.aligned;", "needs .target sm_90a"},
		{"sm_90a", "wgmma.fence.sync.aligned;", ""},
		{"sm_90a", "wgmma.mma_async.sync.aligned.m64n40k32.s32.s8.s8 {%r1}, %r1, %r1, %r1;", "unknown instruction"},
	} {
		_, err := Parse("k", ".version 8.0\n.target "+tc.target+"\n.address_size 64\n.visible .entry k()\n{ .reg .b32 %r<4>; "+tc.code+" }")
		if (tc.want == "") != (err == nil) || err != nil && !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%s in %s: got %v, want %q", tc.code, tc.target, err, tc.want)
		}
	}
}

// TestSectorsOfCopies counts the pieces of memory that asynchronous copies touch: lanes side by side need no more than they ask for,
// lanes 128 bytes apart a whole sector each.
func TestSectorsOfCopies(t *testing.T) {
	for _, tc := range []struct {
		apart   int
		sectors uint64
	}{{4, 4}, {128, 32}} {
		m, err := Parse("k", fmt.Sprintf(`.version 7.4
.target sm_80
.address_size 64
.shared .align 16 .b8 room[128];
.visible .entry k(.param .u64 in)
{
	.reg .b32 %%r<4>; .reg .b64 %%d<4>;
	mov.u32 %%r0, %%tid.x; mad.lo.u32 %%r1, %%r0, 4, room; mul.wide.u32 %%d1, %%r0, %d; ld.param.u64 %%d0, [in]; add.s64 %%d0, %%d0, %%d1;
	cp.async.ca.shared.global [%%r1], [%%d0], 4; cp.async.wait_all;
}`, tc.apart))
		if err != nil {
			t.Fatal(err)
		}
		var h heap
		k := m.Kernels["k"]
		count, err := Launch(k, LaunchConfig{Grid: [3]uint32{1, 1, 1}, Block: [3]uint32{32, 1, 1}, Params: pack(k, put(&h, make([]byte, 4096))), Memory: &h, Profile: true})
		if err != nil {
			t.Fatal(err)
		}
		if count.GlobalSectors != tc.sectors || count.GlobalBytes != 128 || count.GlobalRequests != 1 {
			t.Errorf("%d bytes apart: %+v, want %d sectors", tc.apart, count, tc.sectors)
		}
	}
}
