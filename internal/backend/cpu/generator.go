package cpu

import (
	"sync"

	"cresset/internal/rng"
)

// Generator is the host's stream of random numbers. It may be shared: a kernel holds it for a whole tensor.
type Generator struct {
	mu sync.Mutex
	mt rng.MT19937
}

// NewGenerator returns a generator with the given seed.
func NewGenerator(seed uint64) *Generator {
	g := new(Generator)
	g.mt.Seed(seed)
	return g
}

// Seed starts the stream of seed.
func (g *Generator) Seed(seed uint64) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.mt.Seed(seed)
}

// InitialSeed returns the seed that the stream started from.
func (g *Generator) InitialSeed() uint64 {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.mt.InitialSeed()
}

// State returns the stream's position in PyTorch's bytes.
func (g *Generator) State() []byte {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.mt.State()
}

// SetState restores what State returned; after an error the stream is as it was.
func (g *Generator) SetState(state []byte) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.mt.SetState(state)
}
