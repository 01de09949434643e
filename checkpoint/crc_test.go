package checkpoint

import (
	"hash/crc32"
	"math/rand/v2"
	"testing"
)

// TestJoinSums compares sums of parts that are joined with the sum of the whole.
func TestJoinSums(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	p := make([]byte, 100_000)
	for i := range p {
		p[i] = byte(r.Uint32())
	}
	for range 100 {
		n := r.IntN(len(p) + 1)
		at := r.IntN(n + 1)
		want := crc32.ChecksumIEEE(p[:n])
		if got := joinSums(crc32.ChecksumIEEE(p[:at]), crc32.ChecksumIEEE(p[at:n]), n-at); got != want {
			t.Fatalf("%d and %d bytes join to %08x, want %08x", at, n-at, got, want)
		}
	}
}
