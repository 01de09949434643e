// Package rng draws PyTorch's random numbers: the bit stream of its CPU generator, a 32-bit Mersenne Twister, and the
// recipes of its distributions in the build without MKL. The same seed gives the same values.
package rng

import (
	"math/rand/v2"
)

// DefaultSeed is the seed of a new torch.Generator.
const DefaultSeed uint64 = 67280421310721

// The parameters of MT19937 (Matsumoto and Nishimura, 1998).
const (
	stateWords  = 624
	shiftWords  = 397
	twistMatrix = 0x9908b0df
	upperMask   = 0x8000_0000
	lowerMask   = 0x7fff_ffff
)

// MT19937 is PyTorch's CPU generator. It is not safe for concurrent use, a plain copy continues the same stream on its own,
// and its zero value is not seeded.
type MT19937 struct {
	words [stateWords]uint32
	next  int // index in words of the next draw
	left  int // draws that remain before the words are renewed
	seed  uint64

	// The second value of the last Box-Muller pair, if it is still to be used.
	cached    float64
	hasCached bool
}

// New returns a generator with the given seed.
func New(seed uint64) *MT19937 {
	g := new(MT19937)
	g.Seed(seed)
	return g
}

// Entropy returns a seed that cannot be predicted. It has 53 bits, so that a float64 holds it exactly.
func Entropy() uint64 {
	return rand.Uint64() & (1<<53 - 1) // which the runtime seeds from the system
}

// Seed starts the stream of seed and drops the cached normal value. Only seed mod 2**32 chooses the stream; a negative seed
// of PyTorch's is its two's complement here.
func (g *MT19937) Seed(seed uint64) {
	g.seed = seed
	g.next, g.left = 0, 0
	g.cached, g.hasCached = 0, false
	word := uint32(seed)
	g.words[0] = word
	for i := 1; i < stateWords; i++ {
		word = 1812433253*(word^word>>30) + uint32(i)
		g.words[i] = word
	}
}

// InitialSeed returns the seed that the stream started from, all 64 bits.
func (g *MT19937) InitialSeed() uint64 { return g.seed }

// Uint32 returns the next 32 bits of the stream.
func (g *MT19937) Uint32() uint32 {
	if g.left == 0 {
		g.renew()
	}
	word := g.words[g.next]
	g.next++
	g.left--
	return temper(word)
}

// Uint64 returns the next 64 bits of the stream, the upper half first.
func (g *MT19937) Uint64() uint64 {
	hi := g.Uint32()
	return uint64(hi)<<32 | uint64(g.Uint32())
}

// Float32 returns the next uniform float32 in [0, 1): 24 bits of one Uint32.
func (g *MT19937) Float32() float32 { return unit32(g.Uint32()) }

// Float64 returns the next uniform float64 in [0, 1): 53 bits of one Uint64.
func (g *MT19937) Float64() float64 { return unit64(g.Uint64()) }

// unit32 maps the lower 24 bits of w to [0, 1).
func unit32(w uint32) float32 { return float32(w&(1<<24-1)) * 0x1p-24 }

// unit64 maps the lower 53 bits of w to [0, 1).
func unit64(w uint64) float64 { return float64(w&(1<<53-1)) * 0x1p-53 }

// take consumes between 1 and limit draws and returns them untempered, as far as they lie side by side: a loop over them is
// much faster than one over Uint32. The words are valid until the next draw.
func (g *MT19937) take(limit int) []uint32 {
	if g.left == 0 {
		g.renew()
	}
	n := min(limit, g.left)
	words := g.words[g.next : g.next+n]
	g.next += n
	g.left -= n
	return words
}

// takePairs is take for draws of two words each; it returns nil where only one word is left before they are renewed.
func (g *MT19937) takePairs(limit int) []uint32 {
	if g.left == 1 {
		return nil
	}
	words := g.take(limit)
	if len(words)%2 != 0 {
		g.next--
		g.left++
	}
	return words[:len(words)&^1]
}

// temper turns a word of the state into a draw.
func temper(w uint32) uint32 {
	w ^= w >> 11
	w ^= w << 7 & 0x9d2c5680
	w ^= w << 15 & 0xefc60000
	return w ^ w>>18
}

// renew replaces all words by the next ones of the recurrence.
func (g *MT19937) renew() {
	w := &g.words
	for i := 0; i < stateWords-shiftWords; i++ {
		w[i] = w[i+shiftWords] ^ twist(w[i], w[i+1])
	}
	for i := stateWords - shiftWords; i < stateWords-1; i++ {
		w[i] = w[i-(stateWords-shiftWords)] ^ twist(w[i], w[i+1])
	}
	w[stateWords-1] = w[shiftWords-1] ^ twist(w[stateWords-1], w[0])
	g.next, g.left = 0, stateWords
}

// twist joins the top bit of a with the rest of b and multiplies by the twist matrix, without a branch: the bit that decides
// is random.
func twist(a, b uint32) uint32 {
	return (a&upperMask|b&lowerMask)>>1 ^ -(b&1)&twistMatrix
}
