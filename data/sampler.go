package data

import (
	"slices"
	"sync"

	"cresset/device"
	"cresset/tensor"
)

// Sampler draws the order in which each epoch goes through a data set. It is an option of NewLoader.
type Sampler struct {
	samples int                               // in an epoch
	draw    func(g *tensor.Generator) []int   // the order that follows from the state of g, of all processes
	shares  *shares                           // this process's part of it
	source  func(epoch int) *tensor.Generator // what the order of an epoch is drawn from; nil where nothing is random
	unused  func(g *tensor.Generator)         // what PyTorch draws at the end of an epoch for nothing; may be nil
	own     *tensor.Generator                 // nil unless it was given one
	mu      sync.Mutex
	epoch   int // the next one's number
}

// sized is a data set, of whatever batches.
type sized interface{ Len() int }

// NewSequentialSampler returns a sampler that goes through a data set from its first sample to its last.
func NewSequentialSampler(dataset sized) *Sampler {
	return &Sampler{samples: dataset.Len(), draw: func(*tensor.Generator) []int { return firstIndices(dataset.Len()) }}
}

// NewRandomSampler returns a sampler that goes through a data set in a random order, PyTorch's for a seed. It panics where an epoch
// would have no sample.
func NewRandomSampler(dataset sized, opts ...RandomSamplerOption) *Sampler {
	o := optionsOf(opts)
	n := dataset.Len()
	samples := or(o.samples, n)
	if samples < 1 || n < 1 {
		refuse(tensor.ErrValue, "num_samples should be a positive integer value, but got num_samples=%d", min(samples, n))
	}
	return randomSampler(n, samples, or(o.replacement, false), o.generator)
}

func randomSampler(n, samples int, replacement bool, own *tensor.Generator) *Sampler {
	s := newSampler(samples, own, func(g *tensor.Generator) (order []int) {
		if replacement {
			return ints(tensor.Place{}.With(g).RandInt(0, n, samples))
		}
		for len(order) < samples {
			order = append(order, permutation(n, g)...)
		}
		return order[:samples]
	})
	if !replacement && n > 0 && samples%n == 0 {
		s.unused = func(g *tensor.Generator) { permutation(n, g) }
	}
	return s
}

// NewSubsetRandomSampler returns a sampler that goes through some samples of a data set in a random order.
func NewSubsetRandomSampler(indices []int, opts ...SamplerOption) *Sampler {
	indices = slices.Clone(indices)
	return directSampler(len(indices), optionsOf(opts).generator, func(g *tensor.Generator) []int {
		order := permutation(len(indices), g)
		for at, i := range order {
			order[at] = indices[i]
		}
		return order
	})
}

// NewSampler returns a sampler of n samples whose order is what draw returns. It has to follow from the state of the generator alone,
// so that an epoch can be resumed.
func NewSampler(n int, draw func(g *tensor.Generator) []int, opts ...SamplerOption) *Sampler {
	return newSampler(n, optionsOf(opts).generator, draw)
}

// newSampler draws from its own generator, or else, as PyTorch's RandomSampler does, from one with a seed of the default generator.
func newSampler(samples int, own *tensor.Generator, draw func(g *tensor.Generator) []int) *Sampler {
	return &Sampler{samples: samples, draw: draw, own: own, source: func(int) *tensor.Generator {
		if own != nil {
			return own
		}
		return tensor.NewGenerator(drawSeed(nil))
	}}
}

// directSampler draws from its own generator, or else, as PyTorch's other samplers do, from the default generator.
func directSampler(samples int, own *tensor.Generator, draw func(g *tensor.Generator) []int) *Sampler {
	from := own
	if from == nil {
		from = tensor.DefaultGenerator(device.CPU)
	}
	return &Sampler{samples: samples, draw: draw, own: own, source: func(int) *tensor.Generator { return from }}
}

// Len returns the number of samples in an epoch.
func (s *Sampler) Len() int { return s.samples }

// Indices draws the order of the next epoch.
func (s *Sampler) Indices() []int {
	o := s.begin()
	o.finish()
	return o.indices
}

// SetEpoch says which epoch is the next; each one that begins counts by itself. The order of a distributed sampler depends on it.
func (s *Sampler) SetEpoch(n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.epoch = n
}

// order is the sequence of one epoch. Drawing it, and finishing it, draws what PyTorch's sampler draws, no more and no less, so that
// whatever is drawn later from the same generator is PyTorch's too.
type order struct {
	indices   []int
	drawnFrom []byte // the state of the generator from which they follow, nil where nothing is random
	sampler   *Sampler
}

// begin draws the order of the next epoch.
func (s *Sampler) begin() *order {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.epoch++
	if s.source == nil {
		return &order{indices: s.shares.of(s.draw(nil), 0), sampler: s}
	}
	g := s.source(s.epoch - 1)
	state := g.State()
	return &order{s.shares.of(s.draw(g), 0), state, s}
}

// again returns the order whose drawnFrom is the state, without those that all processes together have had; it panics where no generator has such a state.
func (s *Sampler) again(state []byte, had int) *order {
	if state == nil {
		return &order{indices: s.shares.of(s.draw(nil), had), sampler: s}
	}
	g := tensor.NewGenerator(0)
	g.SetState(state)
	return &order{s.shares.of(s.draw(g), had), state, s}
}

// finish is called at the end of a whole epoch.
func (o *order) finish() {
	if s := o.sampler; s.unused != nil && s.own != nil {
		s.unused(s.own)
	}
}

func firstIndices(n int) []int {
	indices := make([]int, n)
	for i := range indices {
		indices[i] = i
	}
	return indices
}

func permutation(n int, g *tensor.Generator) []int { return ints(tensor.Place{}.With(g).RandPerm(n)) }

func ints(x *tensor.Tensor) []int {
	values := tensor.Values[int64](x)
	out := make([]int, len(values))
	for i, v := range values {
		out[i] = int(v)
	}
	return out
}

func (s *Sampler) set(o *options) { o.sampler = s }
func (*Sampler) loader()          {}
