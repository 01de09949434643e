package ptx

import (
	"math/bits"
	"math/rand/v2"
	"slices"
	"testing"
)

func words(n int) []uint32 {
	r := rand.New(rand.NewPCG(7, uint64(n)))
	x := make([]uint32, n)
	for i := range x {
		x[i] = r.Uint32()
	}
	return x
}

func TestDivergence(t *testing.T) {
	x := words(1000)
	var h heap
	out := put(&h, make([]uint32, len(x)))
	launch(t, &h, "flow", "torture", 8, 128, out, put(&h, x), uint32(len(x)))
	got := get[uint32](&h, out)
	for i, v := range x {
		if want := torture(v); got[i] != want {
			t.Errorf("thread %d: got %d, want %d", i, got[i], want)
		}
	}
}

func torture(v uint32) uint32 {
	var acc uint32
	for a := uint32(0); a < v%13; a++ {
		if v>>a&1 != 0 && a%3 == 2 {
			continue
		}
		for b := a; b < 20; b++ {
			acc = acc*31 + (a ^ b)
			if acc&7 == v&7 {
				break
			}
			if acc%97 == 5 {
				return acc + v
			}
		}
		switch acc % 6 {
		case 0:
			acc ^= v
		case 2:
			acc = bits.RotateLeft32(acc, 3)
		case 5:
			acc = (acc - a) * 7
		default:
			acc *= 7
		}
	}
	return acc + v
}

func TestShufflesAndBarriers(t *testing.T) {
	const blocks, threads, rounds = 3, 128, 5
	x := words(blocks * threads)
	var h heap
	out := put(&h, make([]uint32, len(x)))
	launch(t, &h, "flow", "mix", blocks, threads, out, put(&h, x), uint32(rounds))
	var want []uint32
	for b := range blocks {
		want = append(want, mix(x[b*threads:][:threads], rounds)...)
	}
	if got := get[uint32](&h, out); !slices.Equal(got, want) {
		t.Errorf("got %v\nwant %v", got[:8], want[:8])
	}
}

// mix is the kernel of that name, for a block.
func mix(x []uint32, rounds uint32) []uint32 {
	v := slices.Clone(x)
	n := uint32(len(v))
	// each replaces every lane by f of it and of what another lane of its warp holds.
	each := func(from func(lane uint32) uint32, f func(own, other uint32) uint32) {
		old := slices.Clone(v)
		for t := range n {
			v[t] = f(old[t], old[t&^31|from(t&31)])
		}
	}
	xor := func(a, b uint32) uint32 { return a ^ b }
	add := func(a, b uint32) uint32 { return a + b }
	for r := range rounds {
		ring := slices.Clone(v)
		for t := range n {
			v[t] += ring[(t+r*7+1)%n]
		}
		each(func(l uint32) uint32 { return max(l, 1) - 1 }, xor)
		each(func(l uint32) uint32 {
			if l+2 > 31 {
				return l
			}
			return l + 2
		}, add)
		each(func(uint32) uint32 { return r & 31 }, xor)
		each(func(l uint32) uint32 { return l ^ 5 }, add)
		each(func(l uint32) uint32 { return l&^7 | r&7 }, xor)
	}
	return v
}

func TestSymbols(t *testing.T) {
	table := []uint32{3, 1, 4, 1, 5, 9, 2, 6}
	var h heap
	out := put(&h, make([]uint32, 32))
	launch(t, &h, "flow", "symbols", 1, 32, out)
	for i, got := range get[uint32](&h, out) {
		if want := 40 + table[i>>1&7]; got != want {
			t.Errorf("thread %d: got %d, want %d", i, got, want)
		}
	}
	counter := h.regions[2] // after out and table
	if got := order.Uint32(counter.Data); got != 42 {
		t.Errorf("counter is %d, want 42", got)
	}
}

func TestPhilox(t *testing.T) {
	const n = 100
	var h heap
	out := put(&h, make([]uint32, 4*n))
	launch(t, &h, "philox", "philox", 1, 128, out, uint64(0x123456789abcdef0), uint64(77), uint32(n))
	got := get[uint32](&h, out)
	for i := range uint32(n) {
		c, k := [4]uint32{77, 0, i, 0}, [2]uint32{0x9abcdef0, 0x12345678}
		for range 10 {
			ah, al := bits.Mul32(0xD2511F53, c[0])
			bh, bl := bits.Mul32(0xCD9E8D57, c[2])
			c = [4]uint32{bh ^ c[1] ^ k[0], bl, ah ^ c[3] ^ k[1], al}
			k[0], k[1] = k[0]+0x9E3779B9, k[1]+0xBB67AE85
		}
		if !slices.Equal(got[4*i:][:4], c[:]) {
			t.Errorf("%d: got %x, want %x", i, got[4*i:][:4], c)
		}
	}
}
