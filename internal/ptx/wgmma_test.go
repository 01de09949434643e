package ptx

import (
	"fmt"
	"math"
	"regexp"
	"strings"
	"testing"
)

// groupCase is a wgmma on matrices that lie in shared memory as copies by maps put them, A from byte 0 and B behind it.
type groupCase struct {
	name             string
	n                int
	kind, sum        string
	swizzleA         int // bytes, 0 for none
	swizzleB         int
	transA, transB   bool
	registersA, keep bool // A lies in registers; D is added to
	negate           bool
	k                int // position of the product along k in the tile, a multiple of what one takes
}

var groupCases = []groupCase{
	{"bf16", 64, "bf16", "f32", 128, 128, false, false, false, true, false, 0},
	{"second step of k", 64, "bf16", "f32", 128, 128, false, false, false, true, false, 16},
	{"last step of k", 256, "bf16", "f32", 128, 128, false, false, false, true, false, 48},
	{"swizzle 64", 128, "f16", "f32", 64, 64, false, false, false, true, false, 16},
	{"swizzle 32", 32, "f16", "f32", 32, 32, false, false, false, false, false, 0},
	{"no swizzle", 24, "f16", "f32", 0, 0, false, false, false, true, false, 0},
	{"B along n", 128, "bf16", "f32", 128, 128, false, true, false, true, false, 32},
	{"A along m", 64, "bf16", "f32", 128, 128, true, false, false, true, false, 16},
	{"both, swizzle 64", 64, "bf16", "f32", 64, 64, true, true, false, true, false, 16},
	{"both, swizzle 32", 32, "f16", "f32", 32, 32, true, true, false, true, false, 16},
	{"both, no swizzle", 16, "f16", "f32", 0, 0, true, true, false, true, false, 0},
	{"A in registers", 128, "bf16", "f32", 128, 128, false, false, true, true, false, 16},
	{"A in registers, B along n", 64, "f16", "f32", 128, 128, false, true, true, false, false, 16},
	{"sums in f16", 64, "f16", "f16", 128, 128, false, false, false, true, false, 0},
	{"tf32", 64, "tf32", "f32", 128, 128, false, false, false, true, false, 8},
	{"tf32 in registers", 8, "tf32", "f32", 128, 64, false, false, true, true, false, 8},
	{"negated", 8, "bf16", "f32", 128, 128, false, false, false, true, true, 0},
	{"s8", 128, "s8", "s32", 128, 128, false, false, false, true, false, 96},
	{"s8, no sums yet", 24, "s8", "s32", 128, 128, false, false, false, false, false, 0},
	{"s8, swizzle 64", 256, "s8", "s32", 64, 64, false, false, false, true, false, 32},
	{"s8, no swizzle", 16, "s8", "s32", 0, 0, false, false, false, true, false, 0},
}

func (c *groupCase) size() int {
	if size, ok := map[string]int{"tf32": 4, "s8": 1}[c.kind]; ok {
		return size
	}
	return 2
}
func (c *groupCase) step() int { return 32 / c.size() } // of k

// depth is how much of k a tile holds.
func (c *groupCase) depth(swizzle int, trans bool) int {
	switch {
	case trans:
		return 64
	case swizzle == 0:
		return c.step()
	}
	return swizzle / c.size()
}

// at returns where an element of a tile lies: rows of swizzle bytes, in panels of that width one behind the other, whose 16-byte pieces
// are interchanged within 128-byte lines.
func (c *groupCase) at(mn, k, extent, swizzle int, trans bool) int {
	row, col, rows := mn, k, extent
	if trans {
		row, col, rows = k, mn, 64
	}
	size := c.size()
	if swizzle == 0 { // panels of 16 bytes
		return col*size/16*rows*16 + row*16 + col*size%16
	}
	b := col*size/swizzle*rows*swizzle + row*swizzle + col*size%swizzle
	return b ^ b/128%(swizzle/16)*16
}

// bytes of a tile.
func (c *groupCase) bytes(extent, swizzle int, trans bool) int {
	if trans {
		return (max(extent*c.size(), max(swizzle, 16)) + 0) * 64
	}
	return extent * c.depth(swizzle, trans) * c.size()
}

// descriptor is all of it but the address of shared memory.
func (c *groupCase) descriptor(start, extent, swizzle int, trans bool) uint64 {
	code := map[int]uint64{0: 0, 128: 1, 64: 2, 32: 3}[swizzle]
	leading, stride := 0, 8*swizzle
	switch {
	case swizzle == 0 && trans: // 8 of mn are a panel of 64 rows of 16 bytes, 8 of k 128 bytes
		leading, stride = 128, 1024
	case swizzle == 0:
		leading, stride = extent*16, 128
	case trans:
		leading = 64 * swizzle
	}
	switch {
	case trans && swizzle == 0:
		start += c.k * 16
	case trans:
		start += c.k * swizzle
	case swizzle != 0:
		start += c.k * c.size()
	}
	return uint64(start>>4) | uint64(leading>>4)<<16 | uint64(stride>>4)<<32 | code<<62
}

func (c *groupCase) offsetB() int {
	if c.registersA {
		return 0
	}
	return (c.bytes(64, c.swizzleA, c.transA) + 1023) &^ 1023
}

func (c *groupCase) sharedBytes() int {
	return (c.offsetB() + c.bytes(c.n, c.swizzleB, c.transB) + 1023) &^ 1023
}

// registers of D and of A.
func (c *groupCase) registers() (d, a int) {
	d = c.n / 2
	if c.sum == "f16" {
		d /= 2
	}
	return d, 4 * int(bit(c.registersA))
}

// text is a kernel of 128 threads: in holds D, A where it is in registers, each register by threads, and what goes into shared memory.
func (c *groupCase) text() string {
	var s strings.Builder
	d, a := c.registers()
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
	shr.u32 %%s, %%s, 4; cvt.u64.u32 %%q0, %%s; add.s64 %%q1, %%q0, %#x; add.s64 %%q2, %%q0, %#x; setp.ne.u32 %%p0, 1, %d;
	wgmma.fence.sync.aligned;
`, 512*(d+a), c.sharedBytes(), c.descriptor(0, 64, c.swizzleA, c.transA), c.descriptor(c.offsetB(), c.n, c.swizzleB, c.transB), bit(!c.keep))
	A, signs, trans := "%q1", fmt.Sprintf(", %d, 1", 1-2*int(bit(c.negate))), ""
	if c.registersA {
		A = registerList("a", 0, 4)
	}
	if c.kind == "s8" {
		signs = ""
	}
	if c.size() == 2 {
		if !c.registersA {
			trans = fmt.Sprintf(", %d", bit(c.transA))
		}
		trans += fmt.Sprintf(", %d", bit(c.transB))
	}
	fmt.Fprintf(&s, "	wgmma.mma_async.sync.aligned.m64n%dk%d.%s.%s.%s %s, %s, %%q2, %%p0%s%s;\n", c.n, c.step(), c.sum, c.kind, c.kind,
		registerList("d", 0, d), A, signs, trans)
	s.WriteString("	wgmma.commit_group.sync.aligned;\n	wgmma.wait_group.sync.aligned 0;\n")
	for k := range d {
		fmt.Fprintf(&s, "	st.global.b32 [%%o+%d], %%d%d;\n", 512*k, k)
	}
	return s.String() + "	ret;\n}\n"
}

// matrices are the operands of a case and the words that the kernel reads.
func (c *groupCase) matrices() (A, B, C []float64, in []uint32) {
	p := productCase{}
	round := func(kind string, x []float32) (out []float64) {
		size := max(map[string]float64{"s8": 60, "s32": 1e6}[kind], 1)
		for _, v := range x {
			out = append(out, p.decode(kind, p.encode(kind, float64(v)*size)))
		}
		return out
	}
	step := c.step()
	random := numbers(64*step + c.n*step + 64*c.n)
	A, B, C = round(c.kind, random[:64*step]), round(c.kind, random[64*step:][:c.n*step]), round(c.sum, random[(64+c.n)*step:])
	d, a := c.registers()
	in = make([]uint32, 128*(d+a)+c.sharedBytes()/4)
	for t := range 128 {
		w, g, q := t/32, t%32/4, t%4
		for i := range c.n / 2 {
			reg, shift := i, 0
			if c.sum == "f16" {
				reg, shift = i/2, 16*(i%2)
			}
			in[128*reg+t] |= uint32(p.encode(c.sum, C[(16*w+g+8*(i>>1&1))*c.n+8*(i>>2)+2*q+i&1])) << shift
		}
		per := 4 / c.size()
		for j := range a {
			for e := range per {
				in[128*(d+j)+t] |= uint32(p.encode(c.kind, A[(16*w+g+8*(j&1))*step+per*q+e+4*per*(j>>1)])) << (16 * e)
			}
		}
	}
	shared := in[128*(d+a):]
	write := func(at int, v float64) {
		shared[at/4] |= uint32(p.encode(c.kind, v)) << (8 * (at % 4))
	}
	for k := range step {
		for m := range 64 {
			if !c.registersA {
				write(c.at(m, min(k+c.k, k+c.depth(c.swizzleA, c.transA)-step), 64, c.swizzleA, c.transA), A[m*step+k])
			}
		}
		for n := range c.n {
			write(c.offsetB()+c.at(n, min(k+c.k, k+c.depth(c.swizzleB, c.transB)-step), c.n, c.swizzleB, c.transB), B[n*step+k])
		}
	}
	return A, B, C, in
}

func TestProductsByGroups(t *testing.T) {
	for _, c := range groupCases {
		t.Run(c.name, func(t *testing.T) {
			m, err := Parse("unit", c.text())
			if err != nil {
				t.Fatal(err)
			}
			A, B, C, in := c.matrices()
			d, _ := c.registers()
			var h heap
			k, out := m.Kernels["unit"], put(&h, make([]uint32, 128*d))
			if _, err := Launch(k, LaunchConfig{Grid: [3]uint32{1, 1, 1}, Block: [3]uint32{128, 1, 1}, Memory: &h, Shared: uint32(c.sharedBytes()), Params: pack(k, put(&h, in), out)}); err != nil {
				t.Fatal(err)
			}
			got := get[uint32](&h, out)
			p, step := productCase{}, c.step()
			tolerance := map[string]float64{"f16": 0x1p-9, "f32": 0x1p-20}[c.sum]
			for th := range 128 {
				for i := range c.n / 2 {
					reg, shift := i, 0
					if c.sum == "f16" {
						reg, shift = i/2, 16*(i%2)
					}
					row, col := 16*(th/32)+th%32/4+8*(i>>1&1), 8*(i>>2)+2*(th%4)+i&1
					want := 0.0
					for q := range step {
						want += A[row*step+q] * B[col*step+q]
					}
					if c.negate {
						want = -want
					}
					if c.keep {
						want += C[row*c.n+col]
					}
					x := uint64(got[128*reg+th] >> shift)
					if c.sum == "f16" {
						x &= 0xffff
					}
					if g := p.decode(c.sum, x); !(math.Abs(g-want) <= tolerance*20) {
						t.Fatalf("row %d, column %d: got %g, want %g", row, col, g, want)
					}
				}
			}
		})
	}
}

// TestGroupFaults plants what kernels with wgmma can do wrong.
func TestGroupFaults(t *testing.T) {
	c := groupCases[0]
	const wait = "	wgmma.wait_group.sync.aligned 0;\n"
	product := regexp.MustCompile(`(?m)^\twgmma\.mma_async.*\n`).FindString(c.text())
	ofSums := strings.NewReplacer("%q1", registerList("d", 0, 4), "1, 1, 0, 0;", "1, 1, 0;").Replace(product)
	for _, tc := range []struct {
		name, old, new string
		kind           FaultKind
		want           string
	}{
		{"D before the wait", wait, "", DataRace, "a register of the product at line"},
		{"a group too few is waited for", "wait_group.sync.aligned 0", "wait_group.sync.aligned 1", DataRace, "which has not been waited for"},
		{"no fence", "	wgmma.fence.sync.aligned;\n", "", Misuse, "no wgmma.fence stands before the first product"},
		{"a write behind the fence", "	wgmma.fence.sync.aligned;\n", "	wgmma.fence.sync.aligned;\n	mov.b32 %d3, 0;\n", Misuse, "no wgmma.fence stands between this and the last write to its registers"},
		{"no proxy fence", "fence.proxy.async.shared::cta; ", "", DataRace, "no fence.proxy.async stands between the write by warp"},
		{"no barrier", "bar.sync 0;", "", DataRace, "an asynchronous instruction still reads it"},
		{"shared memory is written before the wait", wait, "	st.shared.b32 [room+16], %t;\n" + wait, DataRace, "an asynchronous instruction still reads it"},
		{"a descriptor beyond shared memory", "setp.ne.u32", "add.s64 %q2, %q2, 4096; setp.ne.u32", OutOfBounds, "matrix B"},
		{"a descriptor inside of a pattern", "setp.ne.u32", "add.s64 %q2, %q2, 8; setp.ne.u32", Misuse, "does not start in the first row of a swizzle's pattern"},
		{"half of a group", "	wgmma.fence.sync.aligned;\n", "	setp.gt.u32 %p1, %t, 63; @%p1 bra done;\n	wgmma.fence.sync.aligned;\n", Deadlock, ""},
		{"half of a group, and no wait", wait, "	bra done;\nhalf:\n", Misuse, "warp 2 ends and has not run this product of its group"},
		{"halves of a group run two products", product, "	setp.gt.u32 %p1, %t, 63; @%p1 bra other;\n" + product + "	bra joined;\nother:\n" + product + "joined:\n",
			Misuse, "other warps of the group run that of line"},
		{"sums in flight as A", product, product + ofSums, Misuse, "registers of A are accumulators of a product in flight"},
		{"a part of a warp", "	wgmma.fence.sync.aligned;\n", "	setp.eq.u32 %p1, %t, 63; @%p1 bra done;\n	wgmma.fence.sync.aligned;\n", UnconvergedWarp, ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			text := c.text()
			if !strings.Contains(text, tc.old) {
				t.Fatal("nothing to replace")
			}
			text = strings.Replace(strings.Replace(text, tc.old, tc.new, 1), "	ret;", "done:\n	ret;", 1)
			if strings.Contains(text, "half:") {
				text = strings.Replace(text, "	wgmma.fence", "	setp.gt.u32 %p1, %t, 63; @%p1 bra done;\n	wgmma.fence", 1)
			}
			m, err := Parse("unit", text)
			if err != nil {
				t.Fatal(err)
			}
			_, _, _, in := c.matrices()
			var h heap
			k, out := m.Kernels["unit"], put(&h, make([]uint32, 128*32))
			_, err = Launch(k, LaunchConfig{Grid: [3]uint32{1, 1, 1}, Block: [3]uint32{128, 1, 1}, Memory: &h, Shared: uint32(c.sharedBytes()), Params: pack(k, put(&h, in), out)})
			faultOf(t, err, tc.kind, tc.want)
		})
	}
}

// TestGroupsOfFewerWarps: a group that lacks warps, and runs no product, has none to wait for.
func TestGroupsOfFewerWarps(t *testing.T) {
	text := strings.Replace(snippet(90, "mov.u32 %r9, 7; wgmma.commit_group.sync.aligned; wgmma.wait_group.sync.aligned 0;"), "sm_90", "sm_90a", 1)
	m, err := Parse("snippet", text)
	if err != nil {
		t.Fatal(err)
	}
	var h heap
	k, out := m.Kernels["k"], put(&h, make([]uint32, 96))
	if _, err := Launch(k, LaunchConfig{Grid: [3]uint32{1, 1, 1}, Block: [3]uint32{96, 1, 1}, Memory: &h, Params: pack(k, out)}); err != nil {
		t.Fatal(err)
	}
	if got := get[uint32](&h, out); got[0] != 7 || got[95] != 7 {
		t.Errorf("got %v", got)
	}
}

// TestRegistersOfGroups lets groups of four warps take registers from one another, and one ask for too many.
func TestRegistersOfGroups(t *testing.T) {
	text := func(more int, bounds string) string {
		return fmt.Sprintf(`.version 8.0
.target sm_90a
.address_size 64
.visible .entry k(.param .u64 out) %s
{
	.reg .b32 %%t; .reg .pred %%p;
	mov.u32 %%t, %%tid.x; setp.lt.u32 %%p, %%t, 256; @%%p bra consumer;
	setmaxnreg.dec.sync.aligned.u32 40; ret;
consumer:
	setmaxnreg.inc.sync.aligned.u32 %d;
	ret;
}`, bounds, more)
	}
	for _, tc := range []struct {
		more         int
		bounds, want string
	}{
		{232, ".maxntid 384, 1, 1", ""},
		{240, ".maxntid 384, 1, 1", "waits for 240 registers for each thread, and the groups of the block have 520 of 504 then"},
		{232, "", "the kernel has no .maxntid"},
	} {
		m, err := Parse("k", text(tc.more, tc.bounds))
		if err != nil {
			t.Fatal(err)
		}
		k := m.Kernels["k"]
		_, err = Launch(k, LaunchConfig{Grid: [3]uint32{2, 1, 1}, Block: [3]uint32{384, 1, 1}, Params: pack(k, uint64(0)), Memory: &heap{}})
		if tc.want != "" {
			faultOf(t, err, Misuse, tc.want)
		} else if err != nil {
			t.Error(err)
		}
	}
}
