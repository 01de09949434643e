package ptx

import (
	"fmt"
	"math"
	"strings"
	"testing"
)

// tensorCase is a tcgen05.mma of 128 rows on matrices that lie in shared memory as those of wgmma do; with keep it is run twice, and its sums double.
type tensorCase struct {
	groupCase
	columns int // that are allocated
}

var tensorCases = []tensorCase{
	{groupCase{name: "bf16", n: 64, kind: "bf16", swizzleA: 128, swizzleB: 128}, 64},
	{groupCase{name: "second step of k, added", n: 256, kind: "bf16", swizzleA: 128, swizzleB: 128, keep: true, k: 16}, 256},
	{groupCase{name: "last step of k", n: 16, kind: "f16", swizzleA: 128, swizzleB: 128, k: 48}, 32},
	{groupCase{name: "A along m", n: 64, kind: "f16", swizzleA: 128, swizzleB: 128, transA: true, k: 16}, 128},
	{groupCase{name: "B along n", n: 256, kind: "bf16", swizzleA: 128, swizzleB: 128, transB: true, k: 32}, 512},
	{groupCase{name: "both, negated", n: 128, kind: "bf16", swizzleA: 128, swizzleB: 128, transA: true, transB: true, negate: true, keep: true}, 128},
	{groupCase{name: "swizzle 64", n: 32, kind: "f16", swizzleA: 64, swizzleB: 64, transB: true, k: 16}, 32},
	{groupCase{name: "swizzle 32", n: 32, kind: "f16", swizzleA: 32, swizzleB: 32, transA: true, transB: true, k: 16}, 32},
	{groupCase{name: "no swizzle", n: 48, kind: "bf16"}, 64},
}

func (c *tensorCase) offsetB() int {
	return (c.bytes(tensorLanes, c.swizzleA, c.transA) + 1023) &^ 1023
}
func (c *tensorCase) sharedBytes() int {
	return (c.offsetB() + c.bytes(c.n, c.swizzleB, c.transB) + 1023) &^ 1023
}

// descriptor is groupCase's in the code of tcgen05.
func (c *tensorCase) descriptor(start, extent, swizzle int, trans bool) uint64 {
	v := c.groupCase.descriptor(start, extent, swizzle, trans)
	return v&^(3<<62) | v>>62*2<<61 | 1<<46
}

func (c *tensorCase) instruction() uint32 {
	kind := uint32(bit(c.kind == "bf16"))
	return 1<<4 | kind<<7 | kind<<10 | uint32(bit(c.negate))<<13 | uint32(bit(c.transA))<<15 | uint32(bit(c.transB))<<16 | uint32(c.n>>3)<<17 | 128>>4<<24
}

// text is a kernel of 128 threads, of which the first one multiplies and each stores a row.
func (c *tensorCase) text() string {
	again := ""
	if c.keep {
		again = "	@%first tcgen05.mma.cta_group::1.kind::f16 [%d], %qa, %qb, %i, !%no;\n"
	}
	s := fmt.Sprintf(`.version 8.8
.target sm_100f
.address_size 64
.extern .shared .align 1024 .b8 room[];
.visible .entry unit(.param .u64 in, .param .u64 out) .maxntid 128, 1, 1
{
	.reg .b32 %%t; .reg .b32 %%x; .reg .b32 %%s; .reg .b32 %%n; .reg .b32 %%bar; .reg .b32 %%slot; .reg .b32 %%d; .reg .b32 %%a; .reg .b32 %%i; .reg .b32 %%v<16>;
	.reg .b64 %%in; .reg .b64 %%out; .reg .b64 %%l; .reg .b64 %%q; .reg .b64 %%qa; .reg .b64 %%qb;
	.reg .pred %%p; .reg .pred %%first; .reg .pred %%warp; .reg .pred %%no;
	ld.param.u64 %%in, [in]; ld.param.u64 %%out, [out];
	mov.u32 %%t, %%tid.x; mov.u32 %%s, room; add.u32 %%bar, %%s, %[1]d; add.u32 %%slot, %%s, %[2]d;
	setp.eq.u32 %%first, %%t, 0; setp.lt.u32 %%warp, %%t, 32; setp.ne.u32 %%no, 0, 0;
	mul.wide.u32 %%l, %%t, 4; add.s64 %%in, %%in, %%l; shl.b32 %%x, %%t, 2; add.u32 %%x, %%x, %%s; mov.u32 %%n, 0;
again:
	ld.global.b32 %%a, [%%in]; st.shared.b32 [%%x], %%a; add.s64 %%in, %%in, 512; add.u32 %%x, %%x, 512; add.u32 %%n, %%n, 512;
	setp.lt.u32 %%p, %%n, %[1]d; @%%p bra again;
	@%%first mbarrier.init.shared::cta.b64 [%%bar], 1;
	@%%first fence.mbarrier_init.release.cluster;
	@%%warp tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [%%slot], %[3]d;
	@%%warp tcgen05.relinquish_alloc_permit.cta_group::1.sync.aligned;
	fence.proxy.async.shared::cta;
	bar.sync 0;
	tcgen05.fence::after_thread_sync; // behind the writes
	ld.shared.b32 %%d, [%%slot];
	shr.u32 %%s, %%s, 4; cvt.u64.u32 %%q, %%s; add.s64 %%qa, %%q, %#[4]x; add.s64 %%qb, %%q, %#[5]x; mov.u32 %%i, %#[6]x;
	@%%first tcgen05.mma.cta_group::1.kind::f16 [%%d], %%qa, %%qb, %%i, %%no;
%[7]s	@%%first tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 [%%bar];
wait:
	mbarrier.try_wait.parity.shared::cta.b64 %%p, [%%bar], 0;
	@!%%p bra wait;
	tcgen05.fence::after_thread_sync;
	and.b32 %%a, %%t, 96; shl.b32 %%a, %%a, 16; add.u32 %%a, %%a, %%d;
	mul.wide.u32 %%l, %%t, %[8]d; add.s64 %%out, %%out, %%l; mov.u32 %%n, 0;
next:
	tcgen05.ld.sync.aligned.32x32b.x16.b32 %[9]s, [%%a];
	tcgen05.wait::ld.sync.aligned;
`, c.sharedBytes(), c.sharedBytes()+8, c.columns, c.descriptor(0, tensorLanes, c.swizzleA, c.transA),
		c.descriptor(c.offsetB(), c.n, c.swizzleB, c.transB), c.instruction(), again, 4*c.n, registerList("v", 0, 16))
	for i := range 16 {
		s += fmt.Sprintf("	st.global.b32 [%%out+%d], %%v%d;\n", 4*i, i)
	}
	return s + fmt.Sprintf(`	add.s64 %%out, %%out, 64; add.u32 %%a, %%a, 16; add.u32 %%n, %%n, 16; setp.lt.u32 %%p, %%n, %d; @%%p bra next;
	tcgen05.fence::before_thread_sync;
	bar.sync 0;
	tcgen05.fence::after_thread_sync; // behind the loads
	@%%warp tcgen05.dealloc.cta_group::1.sync.aligned.b32 %%d, %d;
	ret;
}
`, c.n, c.columns)
}

// matrices are the operands of a case, and shared memory with them.
func (c *tensorCase) matrices() (A, B []float64, shared []uint32) {
	p, step := productCase{}, c.step()
	for i, v := range numbers((tensorLanes + c.n) * step) {
		x := p.decode(c.kind, p.encode(c.kind, float64(v)))
		if i < tensorLanes*step {
			A = append(A, x)
		} else {
			B = append(B, x)
		}
	}
	shared = make([]uint32, c.sharedBytes()/4)
	write := func(at int, v float64) { shared[at/4] |= uint32(p.encode(c.kind, v)) << (8 * (at % 4)) }
	for k := range step {
		for m := range tensorLanes {
			write(c.at(m, k+c.k, tensorLanes, c.swizzleA, c.transA), A[m*step+k])
		}
		for n := range c.n {
			write(c.offsetB()+c.at(n, k+c.k, c.n, c.swizzleB, c.transB), B[n*step+k])
		}
	}
	return A, B, shared
}

// run launches a text of the case's kernel.
func (c *tensorCase) run(text string, in []uint32, shuffle uint64) (out []float32, err error) {
	m, err := Parse("unit", text)
	if err != nil {
		return nil, err
	}
	var h heap
	k, to := m.Kernels["unit"], put(&h, make([]float32, tensorLanes*c.n))
	_, err = Launch(k, LaunchConfig{Grid: [3]uint32{1, 1, 1}, Block: [3]uint32{128, 1, 1}, Memory: &h, Shared: uint32(c.sharedBytes() + 16), Shuffle: shuffle, Params: pack(k, put(&h, in), to)})
	return get[float32](&h, to), err
}

func TestProductsInTensorMemory(t *testing.T) {
	for i := range tensorCases {
		c := &tensorCases[i]
		t.Run(c.name, func(t *testing.T) {
			A, B, in := c.matrices()
			got, err := c.run(c.text(), in, uint64(i))
			if err != nil {
				t.Fatal(err)
			}
			times := float64(1+bit(c.keep)) * float64(1-2*int(bit(c.negate)))
			for j, g := range got {
				want := 0.0
				for q := range c.step() {
					want += A[j/c.n*c.step()+q] * B[j%c.n*c.step()+q]
				}
				if !(math.Abs(float64(g)-times*want) <= 20*0x1p-20) {
					t.Fatalf("row %d, column %d: got %g, want %g", j/c.n, j%c.n, g, times*want)
				}
			}
		})
	}
}

// TestTensorMemoryFaults plants what kernels with tcgen05 can do wrong, most of which hardware does not tell.
func TestTensorMemoryFaults(t *testing.T) {
	c := tensorCases[1]
	const (
		alloc   = "	@%warp tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [%slot], 256;\n"
		permit  = "	@%warp tcgen05.relinquish_alloc_permit.cta_group::1.sync.aligned;\n"
		proxy   = "	fence.proxy.async.shared::cta;\n"
		product = "	@%first tcgen05.mma.cta_group::1.kind::f16 [%d], %qa, %qb, %i, %no;\n"
		commit  = "	@%first tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 [%bar];\n"
		waits   = "	@!%p bra wait;\n"
		written = "	tcgen05.fence::after_thread_sync; // behind the writes\n"
		behind  = "	tcgen05.fence::after_thread_sync;\n"
		loaded  = "	tcgen05.wait::ld.sync.aligned;\n"
		before  = "	tcgen05.fence::before_thread_sync;\n	bar.sync 0;\n"
		last    = "	tcgen05.fence::after_thread_sync; // behind the loads\n"
		dealloc = "	@%warp tcgen05.dealloc.cta_group::1.sync.aligned.b32 %d, 256;\n"
		another = "	@%first tcgen05.mma.cta_group::1.kind::f16 [%d], %qa, %qb, %i, %no;\n" + commit +
			"more:\n	mbarrier.try_wait.parity.shared::cta.b64 %p, [%bar], 1;\n	@!%p bra more;\n	tcgen05.fence::after_thread_sync;\n"
	)
	for _, tc := range []struct {
		name, old, new string
		kind           FaultKind
		want           string
	}{
		{"sums before their barrier", waits, "", DataRace, "a product into it has not been waited for"},
		{"no commit", commit, "", Deadlock, "1 of 1 arrivals"},
		{"a product behind the commit", commit, commit + product, DataRace, "a product into it has not been waited for"},
		{"no fence behind the barrier", behind, "", DataRace, "no tcgen05.fence::after_thread_sync stands between the barrier and this"},
		{"registers before the wait", loaded, "", DataRace, "a register of tcgen05.ld, which has not been waited for"},
		{"columns are given back unfenced", before, "	bar.sync 0;\n", DataRace, "no tcgen05.fence::before_thread_sync stands between the access by warp 1 and the barrier"},
		{"columns are given back before the fence", last, "", DataRace, "no tcgen05.fence::after_thread_sync stands between the barrier and this"},
		{"columns are given back before they are read", before, "", Misuse, "columns 256 to 271 of tensor memory are not in one allocation"},
		{"sums are overwritten unfenced", before, "	bar.sync 0;\n" + another, DataRace, "column 256 of tensor memory: no tcgen05.fence::before_thread_sync stands between the access by warp 1"},
		{"sums are overwritten while they are read", before, another + before, DataRace, "of tensor memory"},
		{"a stage is overwritten while it is read", commit, commit + "	@%first st.shared.b32 [room+32], %t;\n", DataRace, "an asynchronous instruction still reads it"},
		{"a stage is overwritten by who did not wait", commit + "wait:\n", commit + "	setp.gt.u32 %p, %t, 95; @%p st.shared.b32 [room+32], %t;\nwait:\n", DataRace, "an asynchronous instruction still reads it"},
		{"no fence before the product", written, "", DataRace, "no tcgen05.fence::after_thread_sync stands between the barrier and this, matrix A"},
		{"no proxy fence", proxy, "", DataRace, "no fence.proxy.async stands between the write by warp"},
		{"no barrier before the product", "	bar.sync 0;\n" + written, written, DataRace, "an asynchronous instruction still reads it"},
		{"no fence of the barrier", permit + proxy, permit + proxy + "	@%first mbarrier.init.shared::cta.b64 [%bar], 1;\n", DataRace, "no fence.mbarrier_init behind mbarrier.init"},
		{"columns are kept", dealloc, "", Misuse, "the block ends with 256 columns of tensor memory"},
		{"columns are given back twice", dealloc, dealloc + dealloc, Misuse, "no 256 columns of tensor memory from 0x100 on are allocated"},
		{"too few columns are given back", "b32 %d, 256;\n	ret", "b32 %d, 128;\n	ret", Misuse, "no 128 columns of tensor memory"},
		{"allocation without a permit", alloc + permit, permit + alloc, Misuse, "the block has given up its right"},
		{"more columns than there are", permit, "	@%warp tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [%slot], 512;\n", Misuse, "512 columns of tensor memory, and the block has not as many left"},
		{"an odd number of columns", "[%slot], 256", "[%slot], 96", Misuse, "96 columns, which are no power of two"},
		{"too few columns", "[%slot], 256", "[%slot], 128", Misuse, "columns 384 to 639 of tensor memory are not in one allocation"},
		{"the address is taken for 0", "	ld.shared.b32 %d, [%slot];\n", "	mov.b32 %d, 0;\n", Misuse, "columns 0 to 255 of tensor memory are not in one allocation"},
		{"another warp's lanes", "and.b32 %a, %t, 96", "and.b32 %a, %t, 64", Misuse, "lanes of tensor memory from 0 on, and the warp has those from 32 on"},
		{"sums are added to nothing", "%i, %no;", "%i, !%no;", DataRace, "no product has been added up there"},
		{"all lanes multiply", "	@%first tcgen05.mma", "	@%warp tcgen05.mma", Misuse, "more than one thread issues it"},
		{"a lane of D", "	ld.shared.b32 %d, [%slot];\n", "	ld.shared.b32 %d, [%slot]; add.u32 %d, %d, 2097152;\n", Misuse, "D does not start in lane 0"},
		{"a descriptor of wgmma", "add.s64 %qb, %q,", "sub.s64 %q, %q, 0x400000000000; add.s64 %qb, %q,", Misuse, "its bits 46 to 48 are 0"},
		{"a swizzle that is not known", "	@%first tcgen05.mma", "	xor.b64 %qb, %qb, 0x2000000000000000;\n	@%first tcgen05.mma", Misuse, "swizzle 3 is not known"},
		{"a descriptor inside of a pattern", "add.s64 %qb, %q,", "add.s64 %q, %q, 8; add.s64 %qb, %q,", Misuse, "does not start in the first row of a swizzle's pattern"},
		{"a descriptor beyond shared memory", "add.s64 %qb, %q,", "add.s64 %q, %q, 4096; add.s64 %qb, %q,", OutOfBounds, "matrix B"},
		{"half of the rows", "mov.u32 %i, 0x", "mov.u32 %i, 0x4000000; xor.b32 %i, %i, 0x", Misuse, "192 rows, and those of 128 are known"},
		{"sums of f16", "mov.u32 %i, 0x", "mov.u32 %i, 0x10; xor.b32 %i, %i, 0x", Misuse, "D is not of float32"},
		{"two types", "mov.u32 %i, 0x", "mov.u32 %i, 0x80; xor.b32 %i, %i, 0x", Misuse, "A and B are neither both f16 nor both bf16"},
		{"a part of a warp loads", "	tcgen05.ld", "	setp.eq.u32 %p, %t, 5; @%p bra done;\n	tcgen05.ld", UnconvergedWarp, ""},
		{"the last commit is not awaited", dealloc, "	@%first tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 [%bar];\n" + dealloc, DataRace, "ends and has not waited for these products"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			text := c.text()
			if !strings.Contains(text, tc.old) {
				t.Fatal("nothing to replace")
			}
			text = strings.Replace(strings.Replace(text, tc.old, tc.new, 1), "	ret;", "done:\n	ret;", 1)
			_, _, in := c.matrices()
			_, err := c.run(text, in, 0)
			faultOf(t, err, tc.kind, tc.want)
		})
	}
}

// TestTensorMemoryIsParsed: what is not known, or not of the target, is an error before it runs.
func TestTensorMemoryIsParsed(t *testing.T) {
	c := tensorCases[0]
	for _, tc := range []struct{ old, new, want string }{
		{"sm_100f", "sm_100", "needs .target sm_100a"},
		{"sm_100f", "sm_90a", "needs .target sm_100a"},
		{"tcgen05.commit.cta_group::1", "tcgen05.commit.cta_group::2", "unknown instruction tcgen05.commit.cta_group::2"},
		{"kind::f16", "kind::i8", "unknown instruction tcgen05.mma.cta_group::1.kind::i8"},
		{"32x32b.x16", "32x32b.x8", "takes 8 registers, have 16"},
		{"32x32b.x16", "16x64b.x16", "unknown instruction tcgen05.ld.sync.aligned.16x64b"},
		{"[%d], %qa", "%d, %qa", "takes a register in brackets"},
		{"tcgen05.wait::ld", "tcgen05.wait::st", "unknown instruction tcgen05.wait::st"},
	} {
		if _, err := Parse("unit", strings.Replace(c.text(), tc.old, tc.new, 1)); err == nil || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%s for %s: got %v, want %q", tc.new, tc.old, err, tc.want)
		}
	}
}

// TestSumsOfTwoTypes: what clang adds from 10.0 on without a conversion.
func TestSumsOfTwoTypes(t *testing.T) {
	got, _, err := runSnippet(t, 100, "cvt.rn.f32.u32 %f1, %r0; mov.b16 %h1, 0x3e00; add.rn.f32.f16 %f2, %h1, %f1; mov.b32 %r9, %f2;")
	for i, v := range got {
		if err != nil || f32(v) != float32(i)+1.5 {
			t.Fatalf("lane %d: got %g, %v", i, f32(v), err)
		}
	}
	if _, err := Parse("snippet", snippet(90, "add.rn.f32.f16 %f2, %h1, %f1;")); err == nil || !strings.Contains(err.Error(), "needs .target sm_100") {
		t.Errorf("for 9.0: got %v", err)
	}
}
