package ptx

import (
	"slices"
	"testing"
)

// TestWorkersDoNotMatter runs a kernel on one and on many goroutines.
func TestWorkersDoNotMatter(t *testing.T) {
	k := load(t, "softmax").Kernels["softmax"]
	const rows, cols = 40, 300
	run := func(workers int) ([]uint32, Counters) {
		var h heap
		out := put(&h, make([]float32, rows*cols))
		c, err := Launch(k, LaunchConfig{Grid: [3]uint32{rows, 1, 1}, Block: [3]uint32{256, 1, 1}, Memory: &h,
			Params: pack(k, out, put(&h, numbers(rows*cols)), uint32(cols)), Workers: workers, Profile: true})
		if err != nil {
			t.Fatal(err)
		}
		return get[uint32](&h, out), c
	}
	one, count := run(1)
	for _, workers := range []int{2, 7, 100} {
		if many, c := run(workers); !slices.Equal(one, many) || c != count {
			t.Errorf("%d workers: the bits are equal: %t; counters %+v, want %+v", workers, slices.Equal(one, many), c, count)
		}
	}
}

// TestTheLowestFaultIsReported lets all blocks but the first fail.
func TestTheLowestFaultIsReported(t *testing.T) {
	k := load(t, "faults").Kernels["shifted"]
	for range 20 {
		var h heap
		out, in := put(&h, make([]uint32, 1000)), put(&h, make([]uint32, 40))
		_, err := Launch(k, LaunchConfig{Grid: [3]uint32{100, 1, 1}, Block: [3]uint32{32, 1, 1}, Memory: &h,
			Params: pack(k, out, in, int64(0)), Workers: 8})
		f, ok := err.(*Fault)
		if !ok || f.Block != [3]uint32{1, 0, 0} || f.Thread != [3]uint32{8, 0, 0} {
			t.Fatalf("got %v", err)
		}
	}
}

// TestShapes runs grids and blocks of three dimensions.
func TestShapes(t *testing.T) {
	m, err := Parse("shapes", `.version 7.0
.target sm_60
.address_size 64
.visible .entry k(.param .u64 out)
{
	.reg .b32 %r<24>; .reg .b64 %d<4>;
	mov.u32 %r0, %tid.x; mov.u32 %r1, %tid.y; mov.u32 %r2, %tid.z;
	mov.u32 %r3, %ntid.x; mov.u32 %r4, %ntid.y; mov.u32 %r5, %ntid.z;
	mov.u32 %r6, %ctaid.x; mov.u32 %r7, %ctaid.y; mov.u32 %r8, %ctaid.z;
	mov.u32 %r9, %nctaid.x; mov.u32 %r10, %nctaid.y;
	mad.lo.u32 %r11, %r8, %r10, %r7; mad.lo.u32 %r11, %r11, %r9, %r6;
	mad.lo.u32 %r12, %r2, %r4, %r1; mad.lo.u32 %r12, %r12, %r3, %r0;
	mul.lo.u32 %r13, %r3, %r4; mul.lo.u32 %r13, %r13, %r5;
	mad.lo.u32 %r14, %r11, %r13, %r12;
	ld.param.u64 %d0, [out]; mul.wide.u32 %d1, %r14, 4; add.u64 %d0, %d0, %d1;
	st.global.u32 [%d0], %r14;
}`)
	if err != nil {
		t.Fatal(err)
	}
	k := m.Kernels["k"]
	var h heap
	out := put(&h, make([]uint32, 2*3*4*5*7*2))
	_, err = Launch(k, LaunchConfig{Grid: [3]uint32{2, 3, 4}, Block: [3]uint32{5, 7, 2}, Memory: &h, Params: pack(k, out)})
	if err != nil {
		t.Fatal(err)
	}
	for i, got := range get[uint32](&h, out) {
		if got != uint32(i) {
			t.Fatalf("element %d: got %d", i, got)
		}
	}
}

// BenchmarkSmallLaunch is what an op on a few elements costs.
func BenchmarkSmallLaunch(b *testing.B) {
	x := make([]float32, 4)
	var h heap
	k := load(b, "vadd").Kernels["vadd"]
	cfg := LaunchConfig{Grid: [3]uint32{1, 1, 1}, Block: [3]uint32{256, 1, 1}, Memory: &h,
		Params: pack(k, put(&h, x), put(&h, x), put(&h, x), uint32(4))}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Launch(k, cfg); err != nil {
			b.Fatal(err)
		}
	}
}

// TestRegistersAreReused launches a kernel again with another grid and globals.
func TestRegistersAreReused(t *testing.T) {
	k := load(t, "vadd").Kernels["vadd"]
	x := numbers(5000)
	for _, blocks := range []uint32{1, 3, 20} {
		var h heap
		out := put(&h, make([]float32, len(x)))
		launch(t, &h, "vadd", "vadd", blocks, 64, out, put(&h, x), put(&h, x), uint32(len(x)))
		for i, got := range get[float32](&h, out) {
			if got != x[i]+x[i] {
				t.Fatalf("%d blocks, element %d: got %g, want %g", blocks, i, got, x[i]+x[i])
			}
		}
	}
	if k.Ordered {
		t.Error("vadd does not depend on the order of blocks")
	}
}
