package rng

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
)

// A saved state is PyTorch's struct in little endian. These are the offsets of its fields; everything that is not named is
// zero.
const (
	atSeed      = 0  // uint64
	atLeft      = 8  // int32, counts one more than MT19937.left
	atSeeded    = 12 // int32
	atNext      = 16 // uint64
	atWords     = 24 // 624 words, a uint64 each
	atNormalX   = atWords + 8*stateWords
	atNormalY   = atNormalX + 8  // float64, the cached normal value
	atNormalRho = atNormalX + 16 // float64
	atHasNormal = atNormalX + 24 // int32
	legacyBytes = atNormalX + 32

	// StateBytes is the size of a saved state. Its last 8 bytes cache a float32 normal value, which nothing on the CPU ever
	// makes.
	StateBytes = legacyBytes + 8
)

//lint:ignore ST1005 PyTorch's text
var errBadState = errors.New("Invalid mt19937 state")

// State returns the generator's state as torch.get_rng_state lays it out, 5056 bytes.
func (g *MT19937) State() []byte {
	le := binary.LittleEndian
	b := make([]byte, StateBytes)
	le.PutUint64(b[atSeed:], g.seed)
	le.PutUint32(b[atLeft:], uint32(g.left+1))
	le.PutUint32(b[atSeeded:], 1)
	le.PutUint64(b[atNext:], uint64(g.next))
	for i, w := range g.words {
		le.PutUint64(b[atWords+8*i:], uint64(w))
	}
	if g.hasCached {
		le.PutUint64(b[atNormalY:], math.Float64bits(g.cached))
		le.PutUint32(b[atHasNormal:], 1)
	}
	return b
}

// SetState restores a state of State's or of torch.get_rng_state's, the older form of 5048 bytes included. After an error
// the generator is as it was.
func (g *MT19937) SetState(state []byte) error {
	if len(state) != StateBytes && len(state) != legacyBytes {
		//lint:ignore ST1005 PyTorch's text
		return fmt.Errorf("Expected either a CPUGeneratorImplStateLegacy of size %d or a CPUGeneratorImplState of size %d but found the input RNG state size to be %d",
			legacyBytes, StateBytes, len(state))
	}
	le := binary.LittleEndian
	left := int(int32(le.Uint32(state[atLeft:]))) - 1
	next := int(le.Uint32(state[atNext:]))
	// PyTorch looks at left and next alone; together they must stay inside the words too, where PyTorch would read on behind
	// them.
	if le.Uint32(state[atSeeded:]) == 0 || left < 0 || left >= stateWords || next+left > stateWords {
		return errBadState
	}
	g.seed = le.Uint64(state[atSeed:])
	g.next, g.left = next, left
	for i := range g.words {
		g.words[i] = uint32(le.Uint64(state[atWords+8*i:]))
	}
	g.cached, g.hasCached = 0, le.Uint32(state[atHasNormal:]) != 0
	if g.hasCached {
		g.cached = cachedNormal(state)
	}
	return nil
}

// cachedNormal returns the cached normal value of a saved state. The older form holds the two uniform draws from which
// Box-Muller makes it: a radius, and an angle as a part of the circle.
func cachedNormal(state []byte) float64 {
	at := func(i int) float64 {
		return math.Float64frombits(binary.LittleEndian.Uint64(state[i:]))
	}
	if len(state) == legacyBytes {
		return at(atNormalRho) * math.Sin(2*math.Pi*at(atNormalX))
	}
	return at(atNormalY)
}
