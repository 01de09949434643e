package ptx

import (
	"fmt"
	"math"
	"math/bits"
	"strings"
	"testing"
)

const prologue = `
	.reg .pred %p<8>; .reg .b16 %h<8>; .reg .b32 %r<16>; .reg .b64 %d<16>; .reg .f32 %f<8>;
	mov.u32 %r0, %tid.x;
	mad.lo.s32 %r1, %r0, 0x9e3779b1, 12345;
	xor.b32 %r2, %r1, 0x5bd1e995;
	cvt.u64.u32 %d1, %r1; shl.b64 %d1, %d1, 27; xor.b64 %d1, %d1, 0x123456789;
	cvt.u64.u32 %d2, %r2; shl.b64 %d2, %d2, 9; not.b64 %d2, %d2;
`

// snippet wraps instructions in a kernel of 32 threads that stores %r9.
func snippet(target int, code string) string {
	return fmt.Sprintf(`.version 7.0
.target sm_%d
.address_size 64
.shared .align 8 .b8 room[256];
.visible .entry k(.param .u64 out)
{
	%s
	%s
done:
	ld.param.u64 %%d14, [out];
	mul.wide.u32 %%d15, %%r0, 4;
	add.s64 %%d14, %%d14, %%d15;
	st.global.u32 [%%d14], %%r9;
	ret;
}`, target, prologue, code)
}

func runSnippet(t *testing.T, target int, code string) ([]uint32, Counters, error) {
	t.Helper()
	m, err := Parse("snippet", snippet(target, code))
	if err != nil {
		t.Fatalf("%s: %v", code, err)
	}
	var h heap
	out := put(&h, make([]uint32, 32))
	k := m.Kernels["k"]
	c, err := Launch(k, LaunchConfig{Grid: [3]uint32{1, 1, 1}, Block: [3]uint32{32, 1, 1}, Params: pack(k, out), Memory: &h, Limit: 1 << 20})
	return get[uint32](&h, out), c, err
}

// TestInstructions runs single instructions on a = %r1 and b = %r2, A = %d1 and
// B = %d2 in 32 threads.
func TestInstructions(t *testing.T) {
	for _, tc := range []struct {
		code string
		want func(i int, a, b uint32, A, B uint64) uint32
	}{
		{"bfe.u32 %r9, %r1, 5, 9;", func(_ int, a, _ uint32, _, _ uint64) uint32 { return a >> 5 & 511 }},
		{"bfe.s32 %r9, %r1, 5, 9;", func(_ int, a, _ uint32, _, _ uint64) uint32 { return uint32(int32(a<<18) >> 23) }},
		{"bfe.s32 %r9, %r1, 28, 9;", func(_ int, a, _ uint32, _, _ uint64) uint32 { return uint32(int32(a) >> 28) }},
		{"bfe.u32 %r9, %r1, 28, 0;", func(int, uint32, uint32, uint64, uint64) uint32 { return 0 }},
		{"bfe.u64 %d3, %d1, 13, 40; cvt.u32.u64 %r9, %d3;", func(_ int, _, _ uint32, A, _ uint64) uint32 { return uint32(A >> 13) }},
		{"bfe.s64 %d3, %d1, 13, 10; cvt.u32.u64 %r9, %d3;", func(_ int, _, _ uint32, A, _ uint64) uint32 { return uint32(int64(A<<41) >> 54) }},
		{"bfi.b32 %r9, %r1, %r2, 7, 11;", func(_ int, a, b uint32, _, _ uint64) uint32 { return b&^(2047<<7) | a&2047<<7 }},
		{"bfi.b64 %d3, %d1, %d2, 20, 30; shr.u64 %d3, %d3, 18; cvt.u32.u64 %r9, %d3;", func(_ int, _, _ uint32, A, B uint64) uint32 {
			m := uint64(1<<30-1) << 20
			return uint32((B&^m | A<<20&m) >> 18)
		}},
		{"bfind.u32 %r9, %r1;", func(_ int, a, _ uint32, _, _ uint64) uint32 { return uint32(bits.Len32(a) - 1) }},
		{"bfind.shiftamt.u32 %r9, %r1;", func(_ int, a, _ uint32, _, _ uint64) uint32 { return uint32(bits.LeadingZeros32(a)) }},
		{"bfind.u64 %r9, %d1;", func(_ int, _, _ uint32, A, _ uint64) uint32 { return uint32(bits.Len64(A) - 1) }},
		{"lop3.b32 %r9, %r1, %r2, %r0, 0x96;", func(i int, a, b uint32, _, _ uint64) uint32 { return a ^ b ^ uint32(i) }},
		{"lop3.b32 %r9, %r1, %r2, %r0, 0xca;", func(i int, a, b uint32, _, _ uint64) uint32 { return a&b | ^a&uint32(i) }},
		{"prmt.b32 %r9, %r1, %r2, 0x0473;", func(_ int, a, b uint32, _, _ uint64) uint32 {
			return a>>24 | b>>24<<8 | b&255<<16 | a&255<<24
		}},
		{"prmt.b32 %r9, %r1, 0, 0xba98;", func(_ int, a, _ uint32, _, _ uint64) (out uint32) {
			for k := range 4 {
				if a>>(8*k+7)&1 != 0 {
					out |= 255 << (8 * k)
				}
			}
			return out
		}},
		{"shf.r.wrap.b32 %r9, %r1, %r2, %r0;", func(i int, a, b uint32, _, _ uint64) uint32 { return uint32((uint64(b)<<32 | uint64(a)) >> (i & 31)) }},
		{"shf.l.clamp.b32 %r9, %r1, %r2, 40;", func(_ int, a, _ uint32, _, _ uint64) uint32 { return a }},
		{"shl.b32 %r9, %r1, 32;", func(int, uint32, uint32, uint64, uint64) uint32 { return 0 }},
		{"shr.s32 %r9, %r1, 99;", func(_ int, a, _ uint32, _, _ uint64) uint32 { return uint32(int32(a) >> 31) }},
		{"shr.u64 %d3, %d1, 70; cvt.u32.u64 %r9, %d3;", func(int, uint32, uint32, uint64, uint64) uint32 { return 0 }},
		{"mul.hi.s32 %r9, %r1, %r2;", func(_ int, a, b uint32, _, _ uint64) uint32 { return uint32(int64(int32(a)) * int64(int32(b)) >> 32) }},
		{"mad.hi.u32 %r9, %r1, %r2, %r0;", func(i int, a, b uint32, _, _ uint64) uint32 { return uint32(uint64(a)*uint64(b)>>32) + uint32(i) }},
		{"mul.hi.s64 %d3, %d1, %d2; cvt.u32.u64 %r9, %d3;", func(_ int, _, _ uint32, A, B uint64) uint32 {
			high, _ := bits.Mul64(A, B)
			if int64(A) < 0 {
				high -= B
			}
			if int64(B) < 0 {
				high -= A
			}
			return uint32(high)
		}},
		{"mad.wide.s32 %d3, %r1, %r2, %d1; shr.u64 %d3, %d3, 20; cvt.u32.u64 %r9, %d3;", func(_ int, a, b uint32, A, _ uint64) uint32 {
			return uint32((uint64(int64(int32(a))*int64(int32(b))) + A) >> 20)
		}},
		{"sad.s32 %r9, %r1, %r2, 5;", func(_ int, a, b uint32, _, _ uint64) uint32 {
			return 5 + diff(int32(a), int32(b))
		}},
		{"mul24.lo.s32 %r9, %r1, %r2;", func(_ int, a, b uint32, _, _ uint64) uint32 { return uint32((int32(a<<8) >> 8) * (int32(b<<8) >> 8)) }},
		{"mul.wide.s16 %r9, %h1, %h2;", func(int, uint32, uint32, uint64, uint64) uint32 { return 0 }},
		{"cvt.u16.u32 %h1, %r1; cvt.u16.u32 %h2, %r2; mul.wide.s16 %r9, %h1, %h2;", func(_ int, a, b uint32, _, _ uint64) uint32 { return uint32(int32(int16(a)) * int32(int16(b))) }},
		{"cvt.u16.u32 %h1, %r1; shr.s16 %h1, %h1, 3; cvt.s32.s16 %r9, %h1;", func(_ int, a, _ uint32, _, _ uint64) uint32 { return uint32(int32(int16(a) >> 3)) }},
		{"cvt.u16.u32 %h1, %r1; not.b16 %h1, %h1; shr.u16 %h1, %h1, 4; cvt.u32.u16 %r9, %h1;", func(_ int, a, _ uint32, _, _ uint64) uint32 { return uint32(^uint16(a) >> 4) }},
		{"mov.b32 {%h1, %h2}, %r1; mov.b32 %r9, {%h2, %h1};", func(_ int, a, _ uint32, _, _ uint64) uint32 { return a<<16 | a>>16 }},
		{"mov.b64 %d3, {%r1, %r2}; mov.b64 {%r3, %r9}, %d3;", func(_ int, _, b uint32, _, _ uint64) uint32 { return b }},
		{"cvt.sat.u8.s32 %h1, %r1; cvt.u32.u16 %r9, %h1;", func(_ int, a, _ uint32, _, _ uint64) uint32 { return uint32(max(0, min(255, int32(a)))) }},
		{"cvt.s8.s32 %r9, %r1;", func(_ int, a, _ uint32, _, _ uint64) uint32 { return uint32(int32(int8(a))) }},
		{"setp.lt.s32 %p1|%p2, %r1, %r2; selp.b32 %r9, 1, 0, %p1; @%p2 add.s32 %r9, %r9, 2;", func(_ int, a, b uint32, _, _ uint64) uint32 {
			if int32(a) < int32(b) {
				return 1
			}
			return 2
		}},
		{"setp.ne.b32 %p3, %r0, 3; setp.gt.and.u32 %p1, %r1, %r2, !%p3; selp.u32 %r9, 7, 8, %p1;", func(i int, a, b uint32, _, _ uint64) uint32 {
			if i == 3 && a > b {
				return 7
			}
			return 8
		}},
		{"set.le.u32.s32 %r9, %r1, %r2;", func(_ int, a, b uint32, _, _ uint64) uint32 { return truth(int32(a) <= int32(b)) }},
		{"slct.b32.s32 %r9, %r1, %r2, %r1;", func(_ int, a, b uint32, _, _ uint64) uint32 {
			if int32(a) >= 0 {
				return a
			}
			return b
		}},
		{"cnot.b32 %r9, %r0;", func(i int, _, _ uint32, _, _ uint64) uint32 { return bit(i == 0) }},
		{"mov.pred %p1, 1; not.pred %p1, %p1; xor.pred %p1, %p1, 1; selp.b32 %r9, 4, 5, %p1;", func(int, uint32, uint32, uint64, uint64) uint32 { return 4 }},
		{"mov.u32 %r9, %lanemask_lt;", func(i int, _, _ uint32, _, _ uint64) uint32 { return 1<<i - 1 }},
		{"mov.u32 %r9, %lanemask_ge;", func(i int, _, _ uint32, _, _ uint64) uint32 { return ^(1<<i - 1) }},
		{"and.b32 %r3, %r0, 3; match.any.sync.b32 %r9, %r3, -1;", func(i int, _, _ uint32, _, _ uint64) uint32 { return 0x11111111 << (i & 3) }},
		{"match.all.sync.b32 %r9|%p1, %r0, -1; selp.b32 %r9, 9, %r9, %p1;", func(int, uint32, uint32, uint64, uint64) uint32 { return 0 }},
		{"setp.lt.u32 %p1, %r0, 9; @%p1 activemask.b32 %r9; @!%p1 mov.u32 %r9, 1;", func(i int, _, _ uint32, _, _ uint64) uint32 {
			if i < 9 {
				return 511
			}
			return 1
		}},
		{"setp.lt.u32 %p1, %r0, 9; vote.sync.ballot.b32 %r9, !%p1, -1;", func(int, uint32, uint32, uint64, uint64) uint32 { return ^uint32(511) }},
		{"shfl.sync.down.b32 %r9|%p1, %r0, 4, 0x1807, -1; @!%p1 mov.u32 %r9, 99;", func(i int, _, _ uint32, _, _ uint64) uint32 {
			if i&7 >= 4 {
				return 99
			}
			return uint32(i + 4)
		}},
		{"mov.u64 %d3, room; mul.wide.u32 %d4, %r0, 4; add.s64 %d3, %d3, %d4; cvta.shared.u64 %d4, %d3; st.u32 [%d4], %r1; ld.shared.u32 %r9, [%d3];",
			func(_ int, a, _ uint32, _, _ uint64) uint32 { return a }},
		{"mov.u32 %r3, room; mad.lo.u32 %r3, %r0, 8, %r3; st.shared.v2.b32 [%r3], {%r1, %r2}; ld.shared.b64 %d3, [%r3]; shr.u64 %d3, %d3, 32; cvt.u32.u64 %r9, %d3;",
			func(_ int, _, b uint32, _, _ uint64) uint32 { return b }},
		{"mov.u64 %d3, room; cvta.shared.u64 %d3, %d3; isspacep.shared %p1, %d3; selp.b32 %r9, 1, 0, %p1;", func(int, uint32, uint32, uint64, uint64) uint32 { return 1 }},
		{"red.shared.add.u32 [room+8], %r0; bar.sync 0; ld.shared.u32 %r9, [room+8];", func(int, uint32, uint32, uint64, uint64) uint32 { return 31 * 32 / 2 }},
		{"cvt.rn.f32.u32 %f1, %r1; mul.sat.f32 %f1, %f1, 0f2F800000; mov.b32 %r9, %f1;", func(_ int, a, _ uint32, _, _ uint64) uint32 {
			return math.Float32bits(min(1, float32(a)*0x1p-32))
		}},
		{"mov.b32 %f1, 0f00000001; add.ftz.f32 %f1, %f1, %f1; mov.b32 %r9, %f1;", func(int, uint32, uint32, uint64, uint64) uint32 { return 0 }},
		{"mov.b32 %f1, 0f00000001; add.f32 %f1, %f1, %f1; mov.b32 %r9, %f1;", func(int, uint32, uint32, uint64, uint64) uint32 { return 2 }},
		{"mov.b32 %r3, 0x3c004000; fma.rn.f16x2 %r9, %r3, %r3, %r3;", func(int, uint32, uint32, uint64, uint64) uint32 { return 0x40004600 }},
		{"cvt.rn.f32.u32 %f1, %r0; ex2.approx.ftz.f32 %f1, %f1; cvt.rzi.u32.f32 %r9, %f1;", func(i int, _, _ uint32, _, _ uint64) uint32 { return 1 << i }},
		{"mov.u32 %r9, 0; { .reg .pred %q; setp.eq.u32 %q, %r0, 5; @%q bra inner; add.u32 %r9, %r9, 1; inner: add.u32 %r9, %r9, 2; }", func(i int, _, _ uint32, _, _ uint64) uint32 {
			return 2 + bit(i != 5)
		}},
		{"div.s32 %r9, %r1, 0;", func(int, uint32, uint32, uint64, uint64) uint32 { return allLanes }},
	} {
		got, _, err := runSnippet(t, 60, tc.code)
		if err != nil {
			t.Errorf("%s\n%v", tc.code, err)
			continue
		}
		for i, g := range got {
			a := uint32(i)*0x9e3779b1 + 12345
			b := a ^ 0x5bd1e995
			A, B := uint64(a)<<27^0x123456789, ^(uint64(b) << 9)
			if w := tc.want(i, a, b, A, B); g != w {
				t.Errorf("%s\nthread %d: got %#x, want %#x", tc.code, i, g, w)
				break
			}
		}
	}
}

func diff(a, b int32) uint32 { return uint32(max(a, b) - min(a, b)) }

// TestGroupsWaitForOneAnother covers layouts of code in which the lowest
// instruction is not where lanes meet again.
func TestGroupsWaitForOneAnother(t *testing.T) {
	for _, tc := range []struct {
		name, code string
		target     int
		want       string // of the fault, or ""
	}{
		{"the exit of a loop stands before its body", `
			mov.u32 %r9, 0; bra loop;
		after:
			shfl.sync.bfly.b32 %r9, %r9, 1, 31, -1; bra done;
		loop:
			add.u32 %r9, %r9, 1; setp.lt.u32 %p1, %r0, %r9; @%p1 bra after; bra loop;`, 60, ""},
		{"two shuffles", `
			setp.lt.u32 %p1, %r0, 4; @%p1 bra few;
			shfl.sync.bfly.b32 %r9, %r1, 1, 31, -1; bra done;
		few:
			shfl.sync.bfly.b32 %r9, %r1, 2, 31, -1;`, 60, "unconverged shuffle"},
		{"a mask for each side", `
			setp.lt.u32 %p1, %r0, 4; @%p1 bra few;
			shfl.sync.bfly.b32 %r9, %r1, 1, 31, 0xfffffff0; bra done;
		few:
			shfl.sync.bfly.b32 %r9, %r1, 1, 31, 15;`, 60, ""},
		{"lanes outside the mask", "shfl.sync.bfly.b32 %r9, %r1, 1, 31, 15;", 60, "lanes 0xfffffff0 run it and are not in the member mask 0x0000000f"},
		{"lanes that have exited", `
			setp.eq.u32 %p1, %r0, 4; @%p1 exit; shfl.sync.bfly.b32 %r9, %r1, 16, 31, -1;`, 60, "names lanes 0x00000010, which have exited"},
		{"a barrier that some lanes skip", `
			setp.eq.u32 %p1, %r0, 4; @%p1 bra done; bar.sync 0;`, 60, "divergent barrier"},
		{"a barrier for two warps", "bar.sync 1, 64;", 60, "32 of 64 threads arrived at barrier 1"},
		{"a vote of a part, sm_70", `
			setp.lt.u32 %p1, %r0, 4; @%p1 exit; vote.sync.any.pred %p2, %p1, -1;`, 70, ""},
	} {
		_, _, err := runSnippet(t, tc.target, tc.code)
		if tc.want == "" && err != nil || tc.want != "" && (err == nil || !strings.Contains(err.Error(), tc.want)) {
			t.Errorf("%s: got %v, want %q", tc.name, err, tc.want)
		}
	}
}
