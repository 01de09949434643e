package open

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

// groupProduct is a wgmma on whatever lies in shared memory, A from its start and B from 16 KiB on.
type groupProduct struct {
	n                   int
	kind, sum           string
	leadingA, strideA   int // bytes
	leadingB, strideB   int
	swizzle             int // bytes, 0 for none
	start               int // bytes into A and B
	transA, transB      int
	registersA, negated bool
}

var groupProducts = []groupProduct{
	{n: 64, kind: "bf16", sum: "f32", strideA: 1024, strideB: 1024, swizzle: 128},
	{n: 256, kind: "bf16", sum: "f32", strideA: 1024, strideB: 1024, swizzle: 128, start: 96},
	{n: 128, kind: "f16", sum: "f32", strideA: 512, strideB: 512, swizzle: 64, start: 32},
	{n: 32, kind: "f16", sum: "f32", strideA: 256, strideB: 256, swizzle: 32, negated: true},
	{n: 24, kind: "f16", sum: "f32", leadingA: 1024, strideA: 128, leadingB: 512, strideB: 128},
	{n: 128, kind: "bf16", sum: "f32", strideA: 1024, leadingB: 8192, strideB: 1024, swizzle: 128, transB: 1},
	{n: 64, kind: "bf16", sum: "f32", leadingA: 8192, strideA: 1024, strideB: 1024, swizzle: 128, transA: 1},
	{n: 64, kind: "bf16", sum: "f32", leadingA: 4096, strideA: 512, leadingB: 4096, strideB: 512, swizzle: 64, transA: 1, transB: 1},
	{n: 32, kind: "f16", sum: "f32", leadingA: 2048, strideA: 256, leadingB: 2048, strideB: 256, swizzle: 32, transA: 1, transB: 1},
	{n: 16, kind: "f16", sum: "f32", leadingA: 128, strideA: 1024, leadingB: 128, strideB: 1024, transA: 1, transB: 1},
	{n: 128, kind: "bf16", sum: "f32", strideB: 1024, swizzle: 128, registersA: true},
	{n: 64, kind: "f16", sum: "f16", strideA: 1024, strideB: 1024, swizzle: 128},
	{n: 64, kind: "tf32", sum: "f32", strideA: 1024, strideB: 1024, swizzle: 128, start: 32},
	{n: 8, kind: "tf32", sum: "f32", strideB: 512, swizzle: 64, registersA: true},
	{n: 128, kind: "s8", sum: "s32", strideA: 1024, strideB: 1024, swizzle: 128, start: 96}, {n: 16, kind: "s8", sum: "s32", leadingA: 1024, strideA: 128, leadingB: 256, strideB: 128},
}

const startB, groupShared = 16 << 10, 48 << 10

func (p *groupProduct) registers() (d, a int) {
	d = p.n / 2
	if p.sum == "f16" {
		d /= 2
	}
	if p.registersA {
		a = 4
	}
	return d, a
}

func (p *groupProduct) descriptor(start, leading, stride int) uint64 {
	code := map[int]uint64{0: 0, 128: 1, 64: 2, 32: 3}[p.swizzle]
	return uint64((start+p.start)>>4) | uint64(leading>>4)<<16 | uint64(stride>>4)<<32 | code<<62
}

// text is a kernel of 128 threads; in holds D, A where it is in registers, each register by threads, and shared memory.
func (p *groupProduct) text() string {
	var s strings.Builder
	d, a := p.registers()
	fmt.Fprintf(&s, `.version 8.0
.target sm_90a
.address_size 64
.extern .shared .align 1024 .b8 room[];
.visible .entry unit(.param .u64 in, .param .u64 out) .maxntid 128, 1, 1
{
	.reg .b32 %%t; .reg .b32 %%x; .reg .b32 %%s; .reg .b32 %%n; .reg .b64 %%i; .reg .b64 %%o; .reg .b64 %%l; .reg .b64 %%q<4>; .reg .pred %%p<2>;
	.reg .b32 %%d<%d>; .reg .b32 %%a<5>;
	ld.param.u64 %%i, [in]; ld.param.u64 %%o, [out];
	mov.u32 %%t, %%tid.x; mul.wide.u32 %%l, %%t, 4; add.s64 %%i, %%i, %%l; add.s64 %%o, %%o, %%l;
`, d+1)
	for k := range d {
		fmt.Fprintf(&s, "	ld.global.b32 %%d%d, [%%i+%d];\n", k, 512*k)
	}
	for k := range a {
		fmt.Fprintf(&s, "	ld.global.b32 %%a%d, [%%i+%d];\n", k, 512*(d+k))
	}
	fmt.Fprintf(&s, `	add.s64 %%i, %%i, %d; mov.u32 %%s, room; shl.b32 %%x, %%t, 2; add.u32 %%x, %%x, %%s; mov.u32 %%n, 0;
again:
	ld.global.b32 %%a4, [%%i]; st.shared.b32 [%%x], %%a4; add.s64 %%i, %%i, 512; add.u32 %%x, %%x, 512; add.u32 %%n, %%n, 512;
	setp.lt.u32 %%p0, %%n, %d; @%%p0 bra again;
	fence.proxy.async.shared::cta; bar.sync 0;
	shr.u32 %%s, %%s, 4; cvt.u64.u32 %%q0, %%s; add.s64 %%q1, %%q0, %#x; add.s64 %%q2, %%q0, %#x; setp.eq.u32 %%p0, 1, 1;
	wgmma.fence.sync.aligned;
`, 512*(d+a), groupShared, p.descriptor(0, p.leadingA, p.strideA), p.descriptor(startB, p.leadingB, p.strideB))
	A, tail, k, signs := "%q1", "", 16, ", 1, 1"
	if p.registersA {
		A = list("a", 0, 4)
	}
	if p.negated {
		signs = ", -1, 1"
	}
	switch {
	case p.kind == "s8":
		k, signs = 32, ""
	case p.kind == "tf32":
		k = 8
	case p.registersA:
		tail = fmt.Sprintf(", %d", p.transB)
	default:
		tail = fmt.Sprintf(", %d, %d", p.transA, p.transB)
	}
	fmt.Fprintf(&s, "	wgmma.mma_async.sync.aligned.m64n%dk%d.%s.%s.%s %s, %s, %%q2, %%p0%s%s;\n", p.n, k, p.sum, p.kind, p.kind, list("d", 0, d), A, signs, tail)
	s.WriteString("	wgmma.commit_group.sync.aligned;\n	wgmma.wait_group.sync.aligned 0;\n")
	for k := range d {
		fmt.Fprintf(&s, "	st.global.b32 [%%o+%d], %%d%d;\n", 512*k, k)
	}
	return s.String() + "	ret;\n}\n"
}

// TestProductsOfGroups runs wgmma on random memory on the GPU and in the interpreter, and wants the same bits.
func TestProductsOfGroups(t *testing.T) {
	g := openGPU(t, 90)
	if g.capability != 90 {
		t.Skip("wgmma is of capability 9.0 alone")
	}
	for i, p := range groupProducts {
		for _, fill := range fills {
			d, a := p.registers()
			r := rand.New(rand.NewPCG(uint64(i), 7))
			var data []byte
			for word := range 128*(d+a) + groupShared/4 {
				kind, number := p.kind, fill.ab
				if word < 128*d {
					kind, number = p.sum, fill.c
				}
				x := r.Uint64()
				if !fill.bits && p.kind != "s8" {
					if x = encode(kind, number(r)); kind == "f16" || kind == "bf16" {
						x |= encode(kind, number(r)) << 16
					}
				}
				data = binary.LittleEndian.AppendUint32(data, uint32(x))
			}
			size := 4
			if p.sum == "f16" {
				size = 2
			}
			g.compare(fmt.Sprintf("wgmma %d: n%d %s %s %s", i, p.n, p.kind, p.sum, fill.name),
				job{text: p.text(), grid: 1, threads: 128, shared: groupShared, in: data, out: 512 * d}, size, 1)
		}
	}
}
