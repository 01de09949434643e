package ptx

import (
	"encoding/binary"
	"math"
	"slices"
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

func TestSums(t *testing.T) {
	x := numbers(10007)
	var exact float64
	for _, v := range x {
		exact += float64(v)
	}
	sum := func(workers int) [2]float32 {
		var h heap
		out, in := put(&h, make([]float32, 1)), put(&h, x)
		parts, arrived := put(&h, make([]float32, 8)), put(&h, make([]uint32, 1))
		var got [2]float32
		for i, kernel := range []string{"sum_atomic", "sum_ordered"} {
			k := load(t, "sum").Kernels[kernel]
			args := []any{out, in, uint32(len(x))}
			if i == 1 {
				args = append(args, parts, arrived)
			}
			if !k.Ordered {
				t.Errorf("%s depends on the order of blocks", kernel)
			}
			_, err := Launch(k, LaunchConfig{Grid: [3]uint32{8, 1, 1}, Block: [3]uint32{256, 1, 1},
				Params: pack(k, args...), Memory: &h, Workers: workers})
			if err != nil {
				t.Fatal(err)
			}
			got[i] = get[float32](&h, out)[0]
		}
		return got
	}
	one, four := sum(1), sum(4)
	if one != four {
		t.Errorf("one worker: %v, four: %v", one, four)
	}
	for i, got := range one {
		if !(math.Abs(float64(got)-exact) <= 1e-3) {
			t.Errorf("sum %d: got %g, want %g", i, got, exact)
		}
	}
}

func TestAtomics(t *testing.T) {
	const blocks, threads = 3, 64
	var h heap
	u, s, w := put(&h, []uint32{0, 0, math.MaxUint32, 0, 0, math.MaxUint32, 0, 0, 0, 0}), put(&h, []int32{-1000, 1000}), put(&h, make([]uint64, 3))
	f, d := put(&h, make([]float32, 1)), put(&h, make([]float64, 1))
	launch(t, &h, "atomics", "atomics", blocks, threads, u, s, w, f, d)
	var sum, top, low, and, or, xor, inc, dec uint32 = 0, 0, math.MaxUint32, math.MaxUint32, 0, 0, 0, 0
	for i := range uint32(blocks * threads) {
		sum, top, low = sum+i, max(top, i*7%101), min(low, i^21)
		and, or, xor = and&^(1<<(i%31)), or|1<<(i%31), xor^i*2654435761
		inc, dec = uint32(increment(uint64(inc), 6, 0)), uint32(decrement(uint64(dec), 9, 0))
	}
	want := []uint32{sum, top, low, inc, dec, and, or, xor, 77, 5}
	if got := get[uint32](&h, u); !slices.Equal(got, want) {
		t.Errorf("words: got %v, want %v", got, want)
	}
	if got := get[int32](&h, s); !slices.Equal(got, []int32{blocks*threads - 51, 51 - blocks*threads}) {
		t.Errorf("signed words: got %v", got)
	}
	wide := []uint64{uint64(sum) << 20, (blocks*threads - 1) << 33, uint64(sum)}
	if got := get[uint64](&h, w); !slices.Equal(got, wide) {
		t.Errorf("wide words: got %v, want %v", got, wide)
	}
	if a, b := get[float32](&h, f)[0], get[float64](&h, d)[0]; a != blocks*threads || b != blocks*threads/2 {
		t.Errorf("floats: got %g and %g", a, b)
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
