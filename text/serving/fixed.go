package serving

import (
	"fmt"
	"math/bits"
	"slices"

	"cresset/cuda"
	"cresset/device"
	"cresset/nn"
	"cresset/tensor"
)

// fixedSteps are steps in which each sequence gets its next token, of fixed sizes, so that they can be compiled, and a GPU can do them by one launch: one for each number of
// sequences and of keys, rounded up to powers of 2. The memory of graphs is common.
type fixedSteps struct {
	compile bool
	pool    *cuda.GraphPool // nil: none is a graph
	of      map[stepSize]*fixedStep
}

type stepSize struct{ sequences, keys int }

// fixedStep is a step of a size, and the nn.Past of it. What the host tells it lies in numbers and seen.
type fixedStep struct {
	size    stepSize
	pages   *pages
	room    int // above all positions
	windows []*fixedWindow
	numbers *tensor.Tensor // int64: tokens, positions, places of the pages, and for each window the places that are seen
	seen    *tensor.Tensor // bool: for each window which of them count
	compute func(numbers *tensor.Tensor) *tensor.Tensor
	ready   bool // to be captured: what is compiled has run
	scores  *tensor.Tensor
	replay  *cuda.Graph

	tokens, positions, slots *tensor.Tensor // parts of the numbers that are computed with
}

// fixedWindow is what layers with a window of a size see.
type fixedWindow struct {
	size, keys  int
	slots, mask *tensor.Tensor // [sequences·keys], [sequences, 1, 1, keys]
}

// decodes reports whether each of a batch reads one token.
func decodes(batch []*sequence) bool {
	return !slices.ContainsFunc(batch, func(q *sequence) bool { return q.n != 1 })
}

// roundUp returns the next power of 2.
func roundUp(n int) int { return 1 << bits.Len(uint(n-1)) }

// newFixedSteps returns what options ask for, nil where steps are issued op by op.
func newFixedSteps(o Options, dev device.Device) (*fixedSteps, error) {
	if !o.Compile && !o.Graph {
		return nil, nil
	}
	s := &fixedSteps{compile: o.Compile, of: make(map[stepSize]*fixedStep)}
	if !o.Graph {
		return s, nil
	}
	if !dev.IsCUDA() {
		return nil, fmt.Errorf("a graph is work of a GPU, and the model is on %s", dev)
	}
	index, _ := dev.Index()
	var err error
	s.pool, err = cuda.GraphPoolHandle(index)
	return s, err
}

// decode computes a step by the one of its size.
func (e *Engine) decode(batch []*sequence) map[*sequence][]float32 {
	longest := blockSize
	for _, q := range batch {
		longest = max(longest, q.read+1)
	}
	size := stepSize{roundUp(len(batch)), roundUp(longest)}
	f := e.fixed.of[size]
	if f == nil {
		f = e.newFixedStep(size)
		e.fixed.of[size] = f
	}
	f.tell(batch)
	scope := tensor.NewScope()
	defer scope.Close()
	return e.rows(batch, f.run(scope, e.fixed.pool))
}

// run computes what was told and returns the scores: by a graph, where there is a pool for it.
func (f *fixedStep) run(scope *tensor.Scope, pool *cuda.GraphPool) *tensor.Tensor {
	step := func(scope *tensor.Scope) *tensor.Tensor {
		return f.compute(scope.Enter(f.numbers))
	}
	if pool == nil || !f.ready {
		scores := step(scope)
		f.ready = true
		return scores
	}
	var err error
	if f.replay == nil {
		f.replay, err = pool.Capture(func() error {
			scope := tensor.NewScope()
			defer scope.Close()
			f.scores = scope.Keep(step(scope))
			return nil
		})
		if err != nil {
			panic(&tensor.Error{Op: "capture", Kind: tensor.ErrDevice, Err: err})
		}
	}
	if err := f.replay.Replay(); err != nil {
		panic(&tensor.Error{Op: "replay", Kind: tensor.ErrDevice, Err: err})
	}
	return f.scores
}

// newFixedStep returns a step of a size.
func (e *Engine) newFixedStep(size stepSize) *fixedStep {
	f := &fixedStep{ready: !e.fixed.compile, size: size, pages: e.pages, room: e.positions}
	n, seen := 3*size.sequences, 0
	for _, l := range e.shape.layers {
		if !slices.ContainsFunc(f.windows, func(w *fixedWindow) bool { return w.size == l.window }) {
			w := &fixedWindow{size: l.window, keys: size.keys}
			if l.window > 0 {
				w.keys = min(w.keys, roundUp(l.window))
			}
			f.windows = append(f.windows, w)
			n, seen = n+size.sequences*w.keys, seen+size.sequences*w.keys
		}
	}
	place := tensor.On(e.shape.device)
	f.numbers, f.seen = place.Zeros(n).Long(), place.Zeros(seen).Bool()
	from := 0
	for _, w := range f.windows {
		w.mask = f.seen.Narrow(0, from, size.sequences*w.keys).View(size.sequences, 1, 1, w.keys)
		from += size.sequences * w.keys
	}
	f.compute = func(numbers *tensor.Tensor) *tensor.Tensor {
		f.divide(numbers)
		return e.model.Read(f.tokens.View(1, size.sequences), f).Float()
	}
	if e.fixed.compile {
		f.compute = tensor.Compile(f.compute)
	}
	return f
}

// divide finds what numbers tell.
func (f *fixedStep) divide(numbers *tensor.Tensor) {
	at := 0
	take := func(n int) *tensor.Tensor {
		at += n
		return numbers.Narrow(0, at-n, n)
	}
	rows := f.size.sequences
	f.tokens, f.positions, f.slots = take(rows), take(rows), take(rows)
	for _, w := range f.windows {
		w.slots = take(rows * w.keys)
	}
}

// tell copies to the device what a batch reads and sees. Rows without a sequence write and see a block that is nobody's.
func (f *fixedStep) tell(batch []*sequence) {
	rows := f.size.sequences
	numbers, seen := make([]int64, f.numbers.NumEl()), make([]bool, f.seen.NumEl())
	idle := int64(f.pages.idle())
	for i := range rows {
		numbers[2*rows+i] = idle
	}
	for i, q := range batch {
		numbers[i], numbers[rows+i], numbers[2*rows+i] = int64(q.tokens[q.read]), int64(q.read), int64(q.slot(q.read))
	}
	at, from := 3*rows, 0
	for _, w := range f.windows {
		for i := range rows {
			for k := range w.keys { // what is hidden is a number all the same, as the place that was just written holds one
				numbers[at+i*w.keys+k] = numbers[2*rows+i]
			}
			if i >= len(batch) {
				seen[from+i*w.keys] = true
				continue
			}
			q := batch[i]
			first := q.oldest(w.size)
			for p := first; p <= q.read; p++ {
				k := i*w.keys + p - first
				numbers[at+k], seen[from+k] = int64(q.slot(p)), true
			}
		}
		at, from = at+rows*w.keys, from+rows*w.keys
	}
	f.numbers.CopyInPlace(tensor.FromSlice(numbers, len(numbers)))
	f.seen.CopyInPlace(tensor.FromSlice(seen, len(seen)))
}

// Positions implements nn.Past, of which PositionIDs is asked instead.
func (f *fixedStep) Positions(int) [][]int { panic("positions lie on the device") }

// PositionIDs implements nn.DevicePast.
func (f *fixedStep) PositionIDs(int) *tensor.Tensor { return f.positions.View(1, -1) }

// Room implements nn.DevicePast.
func (f *fixedStep) Room() int { return f.room }

// Wanted implements nn.Past: each sequence has one token.
func (f *fixedStep) Wanted(x *tensor.Tensor) *tensor.Tensor { return x }

// Attend implements nn.Past.
func (f *fixedStep) Attend(layer int, q, k, v *tensor.Tensor, how nn.Attention) *tensor.Tensor {
	page := f.pages.layers[layer]
	page.keep(f.slots, k, v)
	w := f.windows[slices.IndexFunc(f.windows, func(w *fixedWindow) bool { return w.size == how.Window })]
	all := &group{tokens: 1, sequences: make([]*sequence, f.size.sequences)}
	y := all.attend(q.Select(0, 0).Transpose(0, 1), page, &window{slots: w.slots, keys: w.keys, mask: w.mask}, how)
	return y.Transpose(0, 1).Unsqueeze(0)
}

// close gives up the graphs.
func (s *fixedSteps) close() {
	if s == nil {
		return
	}
	for _, f := range s.of {
		if f.replay != nil {
			_ = f.replay.Close() // what failed on the GPU was told to requests
		}
	}
}
