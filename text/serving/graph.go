package serving

import (
	"math/bits"
	"slices"

	"cresset/cuda"
	"cresset/nn"
	"cresset/tensor"
)

// graphs are steps in which each sequence gets its next token, as a GPU does them by one launch: one for each number of sequences and of keys, rounded up to powers of 2.
// Their memory is common.
type graphs struct {
	pool *cuda.GraphPool
	of   map[graphSize]*graph
}

type graphSize struct{ sequences, keys int }

// graph is a step of a size, and the nn.Past of it. What the host tells it lies in numbers and seen.
type graph struct {
	size    graphSize
	pages   *pages
	room    int // above all positions
	windows []*graphSight
	numbers *tensor.Tensor // int64: tokens, positions, places of the pages, and for each window the places that are seen
	seen    *tensor.Tensor // bool: for each window which of them count
	rows    [3]*tensor.Tensor
	scores  *tensor.Tensor
	replay  *cuda.Graph
}

// graphSight is what layers of a window see.
type graphSight struct {
	window, keys int
	slots, mask  *tensor.Tensor // [sequences·keys], [sequences, 1, 1, keys]
}

// decodes reports whether each of a batch reads one token.
func decodes(batch []*sequence) bool {
	return !slices.ContainsFunc(batch, func(q *sequence) bool { return q.n != 1 })
}

// roundUp returns the next power of 2.
func roundUp(n int) int { return 1 << bits.Len(uint(n-1)) }

// decode computes a step by the graph of its size, which it captures first where there is none yet.
func (e *Engine) decode(batch []*sequence) map[*sequence][]float32 {
	longest := blockSize
	for _, q := range batch {
		longest = max(longest, q.read+1)
	}
	size := graphSize{roundUp(len(batch)), roundUp(longest)}
	g := e.graphs.of[size]
	if g == nil {
		g = e.newGraph(size)
	}
	g.tell(batch)
	if err := g.replay.Replay(); err != nil {
		panic(&tensor.Error{Op: "replay", Kind: tensor.ErrDevice, Err: err})
	}
	return e.rows(batch, g.scores)
}

// newGraph captures a step.
func (e *Engine) newGraph(size graphSize) *graph {
	g := &graph{size: size, pages: e.pages, room: e.positions}
	n, seen := 3*size.sequences, 0
	for _, l := range e.shape.layers {
		if !slices.ContainsFunc(g.windows, func(s *graphSight) bool { return s.window == l.window }) {
			s := &graphSight{window: l.window, keys: size.keys}
			if l.window > 0 {
				s.keys = min(s.keys, roundUp(l.window))
			}
			g.windows = append(g.windows, s)
			n, seen = n+size.sequences*s.keys, seen+size.sequences*s.keys
		}
	}
	place := tensor.On(e.shape.device)
	g.numbers, g.seen = place.Zeros(n).Long(), place.Zeros(seen).Bool()
	at, from := 0, 0
	take := func(n int) *tensor.Tensor {
		at += n
		return g.numbers.Narrow(0, at-n, n)
	}
	for i := range g.rows {
		g.rows[i] = take(size.sequences)
	}
	for _, s := range g.windows {
		s.slots = take(size.sequences * s.keys)
		s.mask = g.seen.Narrow(0, from, size.sequences*s.keys).View(size.sequences, 1, 1, s.keys)
		from += size.sequences * s.keys
	}
	var err error
	g.replay, err = e.graphs.pool.Capture(func() error {
		scope := tensor.NewScope()
		defer scope.Close()
		g.scores = scope.Keep(e.model.Read(scope.Enter(g.rows[0].View(1, size.sequences)), g).Float())
		return nil
	})
	if err != nil {
		panic(&tensor.Error{Op: "capture", Kind: tensor.ErrDevice, Err: err})
	}
	e.graphs.of[size] = g
	return g
}

// tell copies to the device what a batch reads and sees. Rows without a sequence write and see a block that is nobody's.
func (g *graph) tell(batch []*sequence) {
	rows := g.size.sequences
	numbers, seen := make([]int64, g.numbers.NumEl()), make([]bool, g.seen.NumEl())
	idle := int64(g.pages.idle())
	for i := range rows {
		numbers[2*rows+i] = idle
	}
	for i, q := range batch {
		numbers[i], numbers[rows+i], numbers[2*rows+i] = int64(q.tokens[q.read]), int64(q.read), int64(q.slot(q.read))
	}
	at, from := 3*rows, 0
	for _, s := range g.windows {
		for i := range rows {
			for k := range s.keys { // what is hidden is a number all the same, as the place that was just written holds one
				numbers[at+i*s.keys+k] = numbers[2*rows+i]
			}
			if i >= len(batch) {
				seen[from+i*s.keys] = true
				continue
			}
			q := batch[i]
			first := q.oldest(s.window)
			for p := first; p <= q.read; p++ {
				k := i*s.keys + p - first
				numbers[at+k], seen[from+k] = int64(q.slot(p)), true
			}
		}
		at, from = at+rows*s.keys, from+rows*s.keys
	}
	g.numbers.CopyInPlace(tensor.FromSlice(numbers, len(numbers)))
	g.seen.CopyInPlace(tensor.FromSlice(seen, len(seen)))
}

// Positions implements nn.Past, of which PositionIDs is asked instead.
func (g *graph) Positions(int) [][]int { panic("positions lie on the device") }

// PositionIDs implements nn.DevicePast.
func (g *graph) PositionIDs(int) *tensor.Tensor { return g.rows[1].View(1, -1) }

// Room implements nn.DevicePast.
func (g *graph) Room() int { return g.room }

// Wanted implements nn.Past: each sequence has one token.
func (g *graph) Wanted(x *tensor.Tensor) *tensor.Tensor { return x }

// Attend implements nn.Past.
func (g *graph) Attend(layer int, q, k, v *tensor.Tensor, how nn.Attention) *tensor.Tensor {
	page := g.pages.layers[layer]
	page.keep(g.rows[2], k, v)
	s := g.windows[slices.IndexFunc(g.windows, func(s *graphSight) bool { return s.window == how.Window })]
	all := &group{tokens: 1, sequences: make([]*sequence, g.size.sequences)}
	y := all.attend(q.Select(0, 0).Transpose(0, 1), page, &sight{slots: s.slots, keys: s.keys, mask: s.mask}, how)
	return y.Transpose(0, 1).Unsqueeze(0)
}

// close gives up the graphs.
func (s *graphs) close() {
	if s == nil {
		return
	}
	for _, g := range s.of {
		_ = g.replay.Close() // what failed on the GPU was told to requests
	}
}
