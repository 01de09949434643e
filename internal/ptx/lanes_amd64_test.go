//go:build !noasm

package ptx

import (
	"bytes"
	"math/rand/v2"
	"testing"

	"cresset/internal/kern/vec"
)

// fillLanes gives a warp registers of any bits, among them those where operations differ: numbers next to zero, to the ends of their range and to
// the width of shifts, and floats of all kinds.
func fillLanes(w *warp, r *rand.Rand) {
	for n := range w.r32 {
		for i := range w.r32[n] {
			switch x := r.Uint32(); r.IntN(4) {
			case 0:
				w.r32[n][i] = x
			case 1:
				w.r32[n][i] = x%67 - 33
			case 2:
				w.r32[n][i] = 1<<31 + x%3 - 1
			default:
				w.r32[n][i] = u32(floatCases[r.IntN(len(floatCases))])
			}
		}
	}
	for n := range w.r64 {
		for i := range w.r64[n] {
			switch x := r.Uint64(); r.IntN(4) {
			case 0:
				w.r64[n][i] = x
			case 1:
				w.r64[n][i] = x%67 - 33
			case 2:
				w.r64[n][i] = 1<<63 + x%3 - 1
			default:
				w.r64[n][i] = u64(float64(floatCases[r.IntN(len(floatCases))]))
			}
		}
	}
}

func newLanes() *warp {
	return &warp{r32: make([]lanes32, 6), r64: make([]lanes64, 6), preds: make([]uint32, 2), live: allLanes}
}

func sameLanes32(a, b *lanes32, float bool) bool {
	for i := range a {
		if a[i] != b[i] && !(float && same32(f32(a[i]), f32(b[i]))) {
			return false
		}
	}
	return true
}

func sameLanes64(a, b *lanes64, float bool) bool {
	for i := range a {
		if a[i] != b[i] && !(float && same64(f64(a[i]), f64(b[i]))) {
			return false
		}
	}
	return true
}

// slowForm is the form in Go of a key of avx2Forms, and whether its numbers are floats.
func slowForm(t *testing.T, key string) (f form, float bool) {
	if f, ok := reals[key]; ok {
		return f, true
	}
	if op, ok := quickConversions[key]; ok {
		return form{1, op, nil}, true
	}
	f, ok := alike[key]
	if !ok {
		f, ok = integers[key]
	}
	if !ok {
		t.Errorf("%s is no form in Go", key)
	}
	return f, false
}

// TestVectorsComputeAsLoops holds the loops over lanes that are vectors' instructions to those in Go, into registers of their own and into their operands.
func TestVectorsComputeAsLoops(t *testing.T) {
	if vec.Current() == vec.NoAsm {
		t.Skip("no vectors here")
	}
	r := rand.New(rand.NewPCG(5, 6))
	a, b := newLanes(), newLanes()
	for range 200 {
		for key, fast := range avx2Forms {
			slow, float := slowForm(t, key)
			for d := range 4 {
				fillLanes(a, r)
				copy(b.r32, a.r32)
				copy(b.r64, a.r64)
				if fast.op32 != nil {
					fast.op32(&a.r32[d], &a.r32[1], &a.r32[2], &a.r32[3])
					slow.op32(&b.r32[d], &b.r32[1], &b.r32[2], &b.r32[3])
				}
				if fast.op64 != nil {
					fast.op64(&a.r64[d], &a.r64[1], &a.r64[2], &a.r64[3])
					slow.op64(&b.r64[d], &b.r64[1], &b.r64[2], &b.r64[3])
				}
				if !sameLanes32(&a.r32[d], &b.r32[d], float) || !sameLanes64(&a.r64[d], &b.r64[d], float) {
					t.Fatalf("%s: got %x and %x, want %x and %x", key, a.r32[d], a.r64[d], b.r32[d], b.r64[d])
				}
			}
		}
		for key, fast := range avx2Mixed {
			fillLanes(a, r)
			copy(b.r32, a.r32)
			copy(b.r64, a.r64)
			in := &instr{d: 0, a: 1, b: 2, c: 3}
			mask := []uint32{allLanes, r.Uint32()}[r.IntN(2)]
			if f := fast(a, in, mask); f != nil {
				t.Fatal(f)
			}
			if f := mixed[key].exec(b, in, mask); f != nil {
				t.Fatal(f)
			}
			if a.r32[0] != b.r32[0] || a.r64[0] != b.r64[0] {
				t.Fatalf("%s: got %x and %x, want %x and %x", key, a.r32[0], a.r64[0], b.r32[0], b.r64[0])
			}
		}
		fillLanes(a, r)
		copyEqual(a, r)
		for kind, all := range avx2Tests32 {
			for name, fast := range all {
				if got, want := fast(&a.r32[1], &a.r32[2]), tests32[kind][name](&a.r32[1], &a.r32[2]); got != want {
					t.Fatalf("%s of %s: got %x, want %x", name, kind, got, want)
				}
			}
		}
		for kind, all := range avx2Tests64 {
			for name, fast := range all {
				if got, want := fast(&a.r64[1], &a.r64[2]), tests64[kind][name](&a.r64[1], &a.r64[2]); got != want {
					t.Fatalf("%s of %s: got %x, want %x", name, kind, got, want)
				}
			}
		}
	}
}

// copyEqual makes about half of the lanes of two registers equal.
func copyEqual(w *warp, r *rand.Rand) {
	for i := range 32 {
		if r.IntN(2) == 0 {
			w.r32[2][i], w.r64[2][i] = w.r32[1][i], w.r64[1][i]
		}
	}
}

// TestVectorsChooseAndAddress does so for choices, addresses and their bounds.
func TestVectorsChooseAndAddress(t *testing.T) {
	if vec.Current() == vec.NoAsm {
		t.Skip("no vectors here")
	}
	r := rand.New(rand.NewPCG(7, 8))
	w := newLanes()
	for range 500 {
		fillLanes(w, r)
		p := r.Uint32()
		chooseU32AVX2(&w.r32[0], &w.r32[1], &w.r32[2], p)
		choose(&w.r32[3], &w.r32[1], &w.r32[2], p)
		chooseU64AVX2(&w.r64[0], &w.r64[1], &w.r64[2], p)
		choose(&w.r64[3], &w.r64[1], &w.r64[2], p)
		if w.r32[0] != w.r32[3] || w.r64[0] != w.r64[3] {
			t.Fatalf("choice by %x: got %x and %x, want %x and %x", p, w.r32[0], w.r64[0], w.r32[3], w.r64[3])
		}
		offset := w.r64[4][0]
		for _, c := range []struct{ got, want uint64 }{
			{addresses32AVX2(&w.r64[0], &w.r32[1], offset), addAddresses(&w.r64[1], &w.r32[1], offset)},
			{addresses64AVX2(&w.r64[2], &w.r64[4], offset), addAddresses(&w.r64[3], &w.r64[4], offset)},
		} {
			if c.got != c.want || w.r64[0] != w.r64[1] || w.r64[2] != w.r64[3] {
				t.Fatalf("addresses: got %x and %x %x, want %x and %x %x", c.got, w.r64[0], w.r64[2], c.want, w.r64[1], w.r64[3])
			}
		}
		base, last := w.r64[5][r.IntN(32)], w.r64[4][r.IntN(32)]
		if got, want := withinAVX2(&w.r64[5], base, last), within(&w.r64[5], base, last); got != want {
			t.Fatalf("within %x of %x: got %x, want %x", last, base, got, want)
		}
	}
}

// TestAllLanesMoveAsEach loads and stores elements of all lanes at once and one by one.
func TestAllLanesMoveAsEach(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 10))
	const size = 1 << 10
	for kind := range allMoves32 {
		moveBothWays(t, r, &access{bytes: kind.bytes, vector: kind.elements}, size)
	}
	for kind := range allMoves64 {
		moveBothWays(t, r, &access{bytes: kind.bytes, vector: kind.elements, wide: true}, size)
	}
}

func moveBothWays(t *testing.T, r *rand.Rand, m *access, size int) {
	t.Helper()
	for _, m.write = range []bool{false, true} {
		m.regs = [4]int32{3, 0, 4, 1}
		m.all32, m.all64 = allMoves32[movement{m.bytes, m.vector}].find(m), allMoves64[movement{m.bytes, m.vector}].find(m)
		one := *m
		one.all32, one.all64 = nil, nil
		if (m.all32 == nil) == (m.all64 == nil) {
			t.Fatalf("%+v has two functions or none", m)
		}
		for range 50 {
			a, b := newLanes(), newLanes()
			fillLanes(a, r)
			copy(b.r32, a.r32)
			copy(b.r64, a.r64)
			data := make([]byte, size)
			for i := range data {
				data[i] = byte(r.Uint32())
			}
			x, y := Region{Base: 1 << 40, Data: data}, Region{Base: 1 << 40, Data: bytes.Clone(data)}
			for i := range a.addr {
				a.addr[i] = x.Base + uint64(r.IntN(size/m.total())*m.total())
			}
			b.addr = a.addr
			if a.move(m, &x, allLanes) != 0 || b.move(&one, &y, allLanes) != 0 {
				t.Fatal("lanes are left")
			}
			for n := range a.r32 {
				if a.r32[n] != b.r32[n] || a.r64[n] != b.r64[n] {
					t.Fatalf("%+v: register %d: got %x and %x, want %x and %x", m, n, a.r32[n], a.r64[n], b.r32[n], b.r64[n])
				}
			}
			if !bytes.Equal(x.Data, y.Data) {
				t.Fatalf("%+v: memory differs", m)
			}
		}
	}
}

// TestVectorsAddBlocks adds blocks of products of a row and eight columns by vectors and one by one, to the same bits, but where vectors leave a column: of
// numbers of all sizes, so that sums cancel, are subnormal or overflow, among zeros, infinities and NaNs.
func TestVectorsAddBlocks(t *testing.T) {
	if vec.Current() == vec.NoAsm {
		t.Skip("no vectors here")
	}
	r := rand.New(rand.NewPCG(11, 12))
	left, all := 0, 0
	for round := range 4000 {
		spread := []int{1, 4, 60, 250}[round%4]
		number := func() uint32 {
			switch r.IntN(40) {
			case 0:
				return []uint32{1 << 31, 0x7f800000, 0xff800000, 0x7fc00000, 1, 1<<31 | 12345, 0x00800000, 0x7f7fffff}[r.IntN(8)]
			case 1, 2, 3, 4:
				return 0
			}
			return uint32(127+r.IntN(spread)-spread/2)<<23 | r.Uint32()&(1<<31|1<<23-1)
		}
		var a operandRow
		var b [8]operandRow
		var right columns
		var c, d [8]float32
		for k := range a.value {
			a.set16(k, formatBF16, uint16(number()>>16))
			for j := range b {
				b[j].set16(k, formatBF16, uint16(number()>>16))
			}
		}
		right.of(b[:], 16)
		for j := range c {
			c[j] = f32(number())
		}
		m := modelOf([]int{70, 75, 80, 90}[r.IntN(4)])
		n := 4 << r.IntN(3)
		at := r.IntN(16/n) * n
		odd := addBlockAVX2(&d, &c, &a, &right, at, n, m.fraction)
		for j, got := range d {
			all++
			if odd>>j&1 != 0 {
				left++
				continue
			}
			if want := m.add(&a, &right, j, at, n, c[j], false); u32(got) != u32(want) {
				t.Fatalf("%d products from %d on in column %d, c %x: got %x, want %x", n, at, j, u32(c[j]), u32(got), u32(want))
			}
		}
	}
	if left == 0 || left > all/2 {
		t.Errorf("%d of %d columns are left", left, all)
	}
}
