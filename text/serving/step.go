package serving

import (
	"cmp"
	"math/bits"
	"slices"

	"cresset/nn"
	"cresset/tensor"
)

// step is the next tokens of several sequences, one behind the other as if they were one sequence, so that all layers but attention compute them at once. It is
// the nn.Past of that one call of the model.
type step struct {
	pages     *pages
	scope     *tensor.Scope
	sequences []*sequence
	tokens    []int
	positions []int
	slots     *tensor.Tensor // where the pages hold the tokens
	last      *tensor.Tensor // where the last token of each sequence stands among the tokens
	groups    []*group
}

// group are sequences that attend by one call: all read the same number of tokens, and their lengths differ less than twofold.
type group struct {
	first     int // where its tokens begin
	tokens    int // of each sequence
	sequences []*sequence
	windows   map[int]*window // by their sizes
}

// window tells which positions of the pages the queries of a group see in the layers with a window of a size.
type window struct {
	slots *tensor.Tensor // [sequences·keys]
	keys  int
	past  int            // where the first query stands among the keys of a single sequence
	mask  *tensor.Tensor // [sequences, 1, tokens, keys] of several
}

// newStep returns the step of sequences whose n tells how many tokens they read. What it makes belongs to a scope.
func newStep(pages *pages, scope *tensor.Scope, sequences []*sequence) *step {
	s := &step{pages: pages, scope: scope, sequences: slices.Clone(sequences)}
	slices.SortStableFunc(s.sequences, func(a, b *sequence) int {
		return cmp.Or(cmp.Compare(a.n, b.n), cmp.Compare(bits.Len(uint(a.read)), bits.Len(uint(b.read))))
	})
	var slots, last []int
	var g *group
	for _, q := range s.sequences {
		if g == nil || g.tokens != q.n || bits.Len(uint(g.sequences[0].read)) != bits.Len(uint(q.read)) {
			g = &group{first: len(s.tokens), tokens: q.n, windows: make(map[int]*window)}
			s.groups = append(s.groups, g)
		}
		g.sequences = append(g.sequences, q)
		for p := q.read; p < q.read+q.n; p++ {
			s.tokens = append(s.tokens, q.tokens[p])
			s.positions = append(s.positions, p)
			slots = append(slots, q.slot(p))
		}
		last = append(last, len(s.tokens)-1)
	}
	s.last = s.enter(tensor.FromSlice(last, len(last)))
	s.slots = s.enter(tensor.FromSlice(slots, len(slots)))
	return s
}

// enter moves x to the device of the pages, for as long as the step lasts.
func (s *step) enter(x *tensor.Tensor) *tensor.Tensor {
	return s.scope.Enter(x).To(s.pages.device)
}

// Positions implements nn.Past.
func (s *step) Positions(int) [][]int { return [][]int{s.positions} }

// Wanted implements nn.Past: of each sequence the last token.
func (s *step) Wanted(x *tensor.Tensor) *tensor.Tensor { return x.IndexSelect(1, s.last) }

// Attend implements nn.Past: it keeps the keys and values, then lets each group of sequences see its own.
func (s *step) Attend(layer int, q, k, v *tensor.Tensor, how nn.Attention) *tensor.Tensor {
	page := s.pages.layers[layer]
	page.keep(s.slots, k, v)
	rows := q.Select(0, 0).Transpose(0, 1) // [tokens, heads, size]
	outs := make([]*tensor.Tensor, len(s.groups))
	for i, g := range s.groups {
		outs[i] = g.attend(rows, page, s.window(g, how.Window), how)
	}
	return tensor.Cat(outs, 0).Transpose(0, 1).Unsqueeze(0)
}

// attend returns what the rows of a group see, [tokens, heads, size].
func (g *group) attend(rows *tensor.Tensor, p page, w *window, how nn.Attention) *tensor.Tensor {
	n := len(g.sequences)
	q := rows.Narrow(0, g.first, n*g.tokens).Unflatten(0, n, g.tokens).Transpose(1, 2)
	k := p.keys.IndexSelect(0, w.slots).Unflatten(0, n, w.keys).Transpose(1, 2)
	v := p.values.IndexSelect(0, w.slots).Unflatten(0, n, w.keys).Transpose(1, 2)
	return how.Attend(q, k, v, w.mask, w.past).Transpose(1, 2).Flatten(0, 1)
}

// window returns what a group sees in the layers with a window of a size, 0 for none.
func (s *step) window(g *group, size int) *window {
	if w, ok := g.windows[size]; ok {
		return w
	}
	w := &window{}
	for _, q := range g.sequences {
		w.keys = max(w.keys, q.read+q.n-q.oldest(size))
	}
	slots, mask := make([]int, 0, len(g.sequences)*w.keys), []bool(nil)
	for _, q := range g.sequences {
		first, end := q.oldest(size), q.read+q.n
		for p := first; p < first+w.keys; p++ {
			slots = append(slots, q.slot(min(p, end-1))) // behind the end any of its own will do, as the mask hides them
		}
		for at := q.read; at < end && len(g.sequences) > 1; at++ {
			for p := first; p < first+w.keys; p++ {
				mask = append(mask, p <= at && (size == 0 || p > at-size))
			}
		}
		w.past = q.read - first
	}
	w.slots = s.enter(tensor.FromSlice(slots, len(slots)))
	if mask != nil {
		w.mask = s.enter(tensor.FromSlice(mask, len(g.sequences), 1, g.tokens, w.keys))
	}
	g.windows[size] = w
	return w
}
