package ptx

import (
	"encoding/binary"
	"testing"
)

// layout is the struct of vadd.cu.
type layout struct {
	Rank  int32
	Sizes [6]uint32
	_     uint32
	A, B  [6]int64
}

func TestStridedViews(t *testing.T) {
	l := layout{Rank: 3, Sizes: [6]uint32{7, 5, 33}, A: [6]int64{1, 7, 35}, B: [6]int64{0, 33, 1}} // transposed, broadcast
	const n = 7 * 5 * 33
	x := numbers(n)
	var h heap
	out := put(&h, make([]float32, n))
	c := launch(t, &h, "vadd", "vadd_strided", 3, 256, out, put(&h, x), put(&h, x[:5*33]), uint32(n), l)
	for i, got := range get[float32](&h, out) {
		p, q, r := i/(5*33), i/33%5, i%33
		if want := x[p+7*q+35*r] + x[33*q+r]; got != want {
			t.Fatalf("element %d: got %g, want %g", i, got, want)
		}
	}
	if binary.Size(l) != load(t, "vadd").Kernels["vadd_strided"].Params[4].Size {
		t.Error("the layout has another size than the kernel's")
	}
	if c.GlobalSectors < c.GlobalRequests {
		t.Errorf("%d sectors for %d requests", c.GlobalSectors, c.GlobalRequests)
	}
}

func TestVectors(t *testing.T) {
	x := numbers(4 * 100)
	var h heap
	out, in := put(&h, make([]float32, len(x))), put(&h, x)
	c := launch(t, &h, "vadd", "vadd_x4", 1, 128, out, in, in, uint32(100))
	for i, got := range get[float32](&h, out) {
		if got != x[i]+x[i] {
			t.Fatalf("element %d: got %g, want %g", i, got, x[i]+x[i])
		}
	}
	// 100 threads in four warps, the last of four lanes: 16 bytes each of two loads and a store.
	if c.GlobalRequests != 12 || c.GlobalBytes != 3*1600 || c.GlobalSectors != 3*50 {
		t.Errorf("got %+v", c)
	}
	launch(t, &h, "vadd", "swap_x2", 7, 32, in, uint32(200))
	for i, got := range get[float32](&h, in) {
		if got != x[i^1] {
			t.Fatalf("element %d: got %g, want %g", i, got, x[i^1])
		}
	}
}

// TestCompareAndSwap lets every thread try to put its number where a zero is: blocks take turns, so the first thread wins.
func TestCompareAndSwap(t *testing.T) {
	m, err := Parse("cas", `.version 7.0
.target sm_60
.visible .entry k(.param .u64 word, .param .u64 out)
{
	.reg .b32 %r<6>; .reg .b64 %d<4>;
	mov.u32 %r0, %tid.x; mov.u32 %r1, %ctaid.x; mad.lo.s32 %r2, %r1, 32, %r0; add.s32 %r3, %r2, 1;
	ld.param.b64 %d0, [word]; ld.param.b64 %d1, [out];
	atom.sys.global.cas.b32 %r4, [%d0], 0, %r3;
	mul.wide.u32 %d2, %r2, 4; add.s64 %d1, %d1, %d2; st.global.b32 [%d1], %r4;
}`)
	if err != nil {
		t.Fatal(err)
	}
	k := m.Kernels["k"]
	if !k.Ordered {
		t.Error("the kernel depends on the order of blocks")
	}
	for _, workers := range []int{1, 4} {
		var h heap
		word, out := put(&h, make([]uint32, 1)), put(&h, make([]uint32, 20*32))
		_, err := Launch(k, LaunchConfig{Grid: [3]uint32{20, 1, 1}, Block: [3]uint32{32, 1, 1},
			Params: pack(k, word, out), Memory: &h, Workers: workers})
		if err != nil {
			t.Fatal(err)
		}
		if got := get[uint32](&h, word)[0]; got != 1 {
			t.Errorf("%d workers: the word is %d, want 1", workers, got)
		}
		for i, got := range get[uint32](&h, out) {
			if want := uint32(min(i, 1)); got != want {
				t.Errorf("%d workers: thread %d found %d, want %d", workers, i, got, want)
			}
		}
	}
}

func TestCountersOfRequests(t *testing.T) {
	for _, tc := range []struct {
		name      string
		addr      func(lane uint64) uint64
		bytes     int
		vector    int
		sectors   uint64
		conflicts uint64
	}{
		{"a row", func(l uint64) uint64 { return 4 * l }, 4, 1, 4, 0},
		{"one word", func(uint64) uint64 { return 64 }, 4, 1, 1, 0},
		{"every second word", func(l uint64) uint64 { return 8 * l }, 4, 1, 8, 1},
		{"a column", func(l uint64) uint64 { return 128 * l }, 4, 1, 32, 31},
		{"a padded column", func(l uint64) uint64 { return 132 * l }, 4, 1, 32, 0},
		{"bytes", func(l uint64) uint64 { return l }, 1, 1, 1, 0},
		{"a row of doubles", func(l uint64) uint64 { return 8 * l }, 8, 1, 8, 0},
		{"a row of vectors", func(l uint64) uint64 { return 16 * l }, 4, 4, 16, 0},
		{"backwards", func(l uint64) uint64 { return 4 * (31 - l) }, 4, 1, 4, 0},
	} {
		var w warp
		for i := range w.addr {
			w.addr[i] = tc.addr(uint64(i))
		}
		m := &access{bytes: tc.bytes, vector: tc.vector}
		if got := w.sectors(m, allLanes); got != tc.sectors {
			t.Errorf("%s: %d sectors, want %d", tc.name, got, tc.sectors)
		}
		if got := w.conflicts(m, allLanes); got != tc.conflicts {
			t.Errorf("%s: %d conflicts, want %d", tc.name, got, tc.conflicts)
		}
	}
}
