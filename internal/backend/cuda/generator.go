package cuda

import (
	"encoding/binary"
	"sync"
)

// Generator is a GPU's stream of random numbers: Philox 4x32-10, of which only the seed and the position are kept. It may
// be shared.
type Generator struct {
	mu     sync.Mutex
	seed   uint64
	offset uint64 // in draws of 32 bits per thread, a multiple of 4
}

// NewGenerator returns a generator with the given seed.
func NewGenerator(seed uint64) *Generator { return &Generator{seed: seed} }

// Seed starts the stream of seed.
func (g *Generator) Seed(seed uint64) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.seed, g.offset = seed, 0
}

// InitialSeed returns the seed that the stream started from.
func (g *Generator) InitialSeed() uint64 {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.seed
}

// State returns seed and offset as PyTorch's get_rng_state does, in 16 bytes.
func (g *Generator) State() []byte {
	g.mu.Lock()
	defer g.mu.Unlock()
	return binary.LittleEndian.AppendUint64(binary.LittleEndian.AppendUint64(nil, g.seed), g.offset)
}

// SetState restores what State returned, or a seed alone in 8 bytes.
func (g *Generator) SetState(state []byte) error {
	if len(state) != 16 && len(state) != 8 {
		return pyError("RNG state is wrong size")
	}
	offset := uint64(0)
	if len(state) == 16 {
		offset = binary.LittleEndian.Uint64(state[8:])
	}
	if offset%4 != 0 {
		return pyError("offset must be a multiple of 4")
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	g.seed, g.offset = binary.LittleEndian.Uint64(state), offset
	return nil
}

// take returns where the stream stands and moves on by the given number of draws per thread.
func (g *Generator) take(draws uint64) (seed, offset uint64) {
	g.mu.Lock()
	defer g.mu.Unlock()
	offset = g.offset
	g.offset += (draws + 3) / 4 * 4
	return g.seed, offset
}
