package ptx

import (
	"fmt"
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
	c, err := Launch(k, LaunchConfig{Grid: [3]uint32{1, 1, 1}, Block: [3]uint32{32, 1, 1}, Params: pack(k, out), Memory: &h})
	return get[uint32](&h, out), c, err
}

// TestInstructions runs single instructions on a = %r1 and b = %r2, A = %d1 and B = %d2 in 32 threads.
func TestInstructions(t *testing.T) {
	for _, tc := range []struct {
		code string
		want func(i int, a, b uint32, A, B uint64) uint32
	}{
		{"bfe.u32 %r9, %r1, 5, 9;", func(_ int, a, _ uint32, _, _ uint64) uint32 { return a >> 5 & 511 }},
		{"bfe.u64 %d3, %d1, 21, 30; cvt.u32.u64 %r9, %d3;", func(_ int, _, _ uint32, A, _ uint64) uint32 { return uint32(A >> 21 & (1<<30 - 1)) }},
		{"prmt.b32 %r9, %r1, %r2, 0x7250U;", func(_ int, a, b uint32, _, _ uint64) uint32 {
			return a&0xff | b>>8&0xff<<8 | a&0xff0000 | b&0xff000000
		}},
		{"cvt.s64.s8 %d3, %d1; cvt.u32.u64 %r9, %d3;", func(_ int, _, _ uint32, A, _ uint64) uint32 { return uint32(int8(A)) }},
		{"bfe.u32 %r9, %r1, 28, 0;", func(int, uint32, uint32, uint64, uint64) uint32 { return 0 }},
		{"shl.b32 %r9, %r1, 32;", func(int, uint32, uint32, uint64, uint64) uint32 { return 0 }},
		{"shr.s32 %r9, %r1, 99;", func(_ int, a, _ uint32, _, _ uint64) uint32 { return uint32(int32(a) >> 31) }},
		{"shr.u64 %d3, %d1, 70; cvt.u32.u64 %r9, %d3;", func(int, uint32, uint32, uint64, uint64) uint32 { return 0 }},
		{"mul.hi.s32 %r9, %r1, %r2;", func(_ int, a, b uint32, _, _ uint64) uint32 { return uint32(int64(int32(a)) * int64(int32(b)) >> 32) }},
		{"cvt.u16.u32 %h1, %r1; cvt.u16.u32 %h2, %r2; mul.hi.u16 %h1, %h1, %h2; cvt.u32.u16 %r9, %h1;", func(_ int, a, b uint32, _, _ uint64) uint32 { return (a & 0xffff) * (b & 0xffff) >> 16 }},
		{"cvt.u16.u32 %h1, %r1; cvt.u16.u32 %h2, %r2; mul.hi.s16 %h1, %h1, %h2; cvt.s32.s16 %r9, %h1;", func(_ int, a, b uint32, _, _ uint64) uint32 {
			return uint32(int32(int16(a)) * int32(int16(b)) >> 16)
		}},
		{"mul.wide.s16 %r9, %h1, %h2;", func(int, uint32, uint32, uint64, uint64) uint32 { return 0 }},
		{"cvt.u16.u32 %h1, %r1; cvt.u16.u32 %h2, %r2; mul.wide.s16 %r9, %h1, %h2;", func(_ int, a, b uint32, _, _ uint64) uint32 { return uint32(int32(int16(a)) * int32(int16(b))) }},
		{"cvt.u16.u32 %h1, %r1; shr.s16 %h1, %h1, 3; cvt.s32.s16 %r9, %h1;", func(_ int, a, _ uint32, _, _ uint64) uint32 { return uint32(int32(int16(a) >> 3)) }},
		{"cvt.u16.u32 %h1, %r1; not.b16 %h1, %h1; shr.u16 %h1, %h1, 4; cvt.u32.u16 %r9, %h1;", func(_ int, a, _ uint32, _, _ uint64) uint32 { return uint32(^uint16(a) >> 4) }},
		{"mov.b32 {%h1, %h2}, %r1; mov.b32 %r9, {%h2, %h1};", func(_ int, a, _ uint32, _, _ uint64) uint32 { return a<<16 | a>>16 }},
		{"mov.b64 %d3, {%r1, %r2}; mov.b64 {%r3, %r9}, %d3;", func(_ int, _, b uint32, _, _ uint64) uint32 { return b }},
		{"cvt.s8.s32 %r9, %r1;", func(_ int, a, _ uint32, _, _ uint64) uint32 { return uint32(int32(int8(a))) }},
		{"mov.pred %p1, 1; not.pred %p1, %p1; xor.pred %p1, %p1, 1; selp.b32 %r9, 4, 5, %p1;", func(int, uint32, uint32, uint64, uint64) uint32 { return 4 }},
		{"mov.u32 %r3, room; mad.lo.u32 %r3, %r0, 8, %r3; st.shared.v2.b32 [%r3], {%r1, %r2}; ld.shared.b64 %d3, [%r3]; shr.u64 %d3, %d3, 32; cvt.u32.u64 %r9, %d3;",
			func(_ int, _, b uint32, _, _ uint64) uint32 { return b }},
		{"mov.u32 %r9, 0; { .reg .pred %q; setp.eq.u32 %q, %r0, 5; @%q bra inner; add.u32 %r9, %r9, 1; inner: add.u32 %r9, %r9, 2; }", func(i int, _, _ uint32, _, _ uint64) uint32 {
			return 2 + bit(i != 5)
		}},
		{"shfl.sync.down.b32 %r9, %r0, 4, 0x1807, -1;", func(i int, _, _ uint32, _, _ uint64) uint32 {
			if i&7 >= 4 {
				return uint32(i)
			}
			return uint32(i + 4)
		}},
		{"mov.b32 %f1, 0f00000001; add.rn.f32 %f1, %f1, %f1; mov.b32 %r9, %f1;", func(int, uint32, uint32, uint64, uint64) uint32 { return 2 }},
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

// TestGroupsWaitForOneAnother covers layouts of code in which the lowest instruction is not where lanes meet again.
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
		{"barriers apart in a warp", `
			setp.lt.u32 %p1, %r0, 8; @%p1 bra few; bar.sync 0; bra done;
		few:
			bar.sync 0;`, 60, "lanes 0xffffff00 wait for others; lanes 0x000000ff wait at line"},
	} {
		_, _, err := runSnippet(t, tc.target, tc.code)
		if tc.want == "" && err != nil || tc.want != "" && (err == nil || !strings.Contains(err.Error(), tc.want)) {
			t.Errorf("%s: got %v, want %q", tc.name, err, tc.want)
		}
	}
}
