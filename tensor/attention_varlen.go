package tensor

import (
	"fmt"
	"math"

	"cresset/dtype"
	"cresset/internal/backend"
	"cresset/internal/layout"
	"cresset/internal/op"
)

// varlenAttention is attention of sequences that lie behind each other, of queries q (T, H, E), keys (S, G, E) and values (S, G, V): each sequence's queries see its own
// keys. One node computes all of it, by the kernels of attention on views of each sequence, so that no scores and no mask are in memory.
func varlenAttention(q, k, v, cuSeqQ, cuSeqK *Tensor, maxQ, maxK int, opts ...AttentionOption) *Tensor {
	o := readAttention(opts)
	if a := autocastOf(q, k); a != nil {
		ts := a.operands("scaled_dot_product_attention", q, k, v)
		q, k, v = ts[0], ts[1], ts[2]
	}
	o.checkVarlen(q, k, v)
	p := packed{
		Attend:  op.Attend{Scale: 1, SoftCap: o.cap, Keep: 1, Causal: o.causal, Window: o.window},
		queries: bordersOf("cu_seq_q", 4, "max_q", cuSeqQ, maxQ, q), keys: bordersOf("cu_seq_k", 5, "max_k", cuSeqK, maxK, k),
	}
	if n, m := len(p.queries), len(p.keys); n != m {
		fail(varlen, ErrShape, fmt.Sprintf("cu_seq_q and cu_seq_k must tell of as many sequences, but got %d and %d", n-1, m-1), cuSeqQ, cuSeqK)
	}
	if width := q.layout.Shape()[2]; o.scale != nil {
		p.Scale = float64(*o.scale)
	} else if width > 0 {
		p.Scale = 1 / math.Sqrt(float64(width))
	}
	shape := q.layout.Shape()
	result := Shape{shape[0], shape[1], v.layout.Shape()[2]}
	out := newResult(op.Attention.String(), q.storage.device, q.dtype, layout.Fresh(result...), q, k, v)
	if p.lacks(p.keys) {
		out.fill(backend.Scalar{})
	}
	logSum := q.empty(op.Attention, statsType(q.dtype), Shape{shape[0] * shape[1]}, k, v)
	for i := range p.sequences() {
		if a := p.at(i); a.seen() {
			rows := []*Tensor{a.of(q, p.queries), a.of(k, p.keys), a.of(v, p.keys), nil, nil}
			launch(op.Attention, q.dtype, a.Attend, []*Tensor{a.of(out, p.queries), a.sums(logSum, shape[1])}, rows)
		}
	}
	n := record(out, op.Attention, varlenAttentionGrad, p, q, k, v)
	n.save(q, k, v, out)
	n.derive(logSum)
	return out
}

// varlenAttentionGrad computes the gradients of each sequence where they belong.
func varlenAttentionGrad(b *backprop, dy *Tensor) {
	p := b.params().(packed)
	q, k, v, out, logSum := b.saved(0), b.saved(1), b.saved(2), b.saved(3), b.saved(4)
	fresh := func(x *Tensor, empty bool) *Tensor {
		g := x.empty(op.AttentionGrad, x.dtype, x.layout.Shape())
		if empty {
			g.fill(backend.Scalar{})
		}
		return g
	}
	dq, dk, dv := fresh(q, p.lacks(p.keys)), fresh(k, p.lacks(p.queries)), fresh(v, p.lacks(p.queries))
	for i := range p.sequences() {
		if a := p.at(i); a.seen() {
			ins := []*Tensor{
				a.of(dy, p.queries), a.of(q, p.queries), a.of(k, p.keys), a.of(v, p.keys), a.of(out, p.queries), a.sums(logSum, q.layout.Shape()[1]), nil, nil,
			}
			launch(op.AttentionGrad, q.dtype, a.Attend, []*Tensor{a.of(dq, p.queries), a.of(dk, p.keys), a.of(dv, p.keys)}, ins)
		}
	}
	for i, g := range []*Tensor{dq, dk, dv} {
		b.give(i, b.byKernels(g, dy))
	}
}

// packed is attention of sequences, whose rows begin and end at borders.
type packed struct {
	op.Attend
	queries, keys []int
}

func (p *packed) sequences() int { return len(p.queries) - 1 }

// lacks reports whether a sequence has none of the rows between borders.
func (p *packed) lacks(borders []int) bool {
	for i := range p.sequences() {
		if borders[i] == borders[i+1] {
			return true
		}
	}
	return false
}

// sequence is one of those packed. Its last query stands beside its last key.
type sequence struct {
	*packed
	op.Attend
	i int
}

func (p *packed) at(i int) sequence {
	s := sequence{p, p.Attend, i}
	s.First = s.rows(p.keys) - s.rows(p.queries)
	return s
}

func (s *sequence) rows(borders []int) int { return borders[s.i+1] - borders[s.i] }

// seen reports whether the sequence has queries and keys.
func (s *sequence) seen() bool { return s.rows(s.queries) > 0 && s.rows(s.keys) > 0 }

// of returns the sequence's rows of x, (rows, heads, width), as heads.
func (s *sequence) of(x *Tensor, borders []int) *Tensor {
	shape, step, n := x.layout.Shape(), x.layout.Strides(), s.rows(borders)
	return x.alias(layout.Of(Shape{1, shape[1], n, shape[2]}, []int{n * step[0], step[1], step[0], step[2]}, x.layout.Offset+borders[s.i]*step[0]))
}

// sums returns the sequence's part of what is kept of each row of some heads.
func (s *sequence) sums(x *Tensor, heads int) *Tensor {
	n := s.rows(s.queries)
	return x.alias(layout.Of(Shape{1, heads, n}, []int{heads * n, n, 1}, x.layout.Offset+heads*s.queries[s.i]))
}

const varlen = "varlen_attn"

// checkVarlen panics where operands or options do not fit.
func (o *attentionOptions) checkVarlen(q, k, v *Tensor) {
	operands := []argument{{"query", q}, {"key", k}, {"value", v}}
	for i, a := range operands {
		refuseNil(varlen, a.name, i+1, a.t)
		if n := a.t.layout.Rank(); n != 3 {
			fail(varlen, ErrShape, fmt.Sprintf("Expected %s of the shape (tokens, heads, width), but got %d axes", a.name, n), a.t)
		}
	}
	if q.dtype != k.dtype || q.dtype != v.dtype || !q.dtype.IsFloat() {
		fail(varlen, ErrDType, fmt.Sprintf("Expected query, key and value to have the same floating dtype, but got %s, %s and %s", q.dtype.CppName(), k.dtype.CppName(), v.dtype.CppName()), q, k, v)
	}
	for _, x := range []*Tensor{k, v} {
		if x.storage.device != q.storage.device {
			failDevices(varlen, q.storage.device, x.storage.device, operands...)
		}
	}
	qs, ks, vs := q.layout.Shape(), k.layout.Shape(), v.layout.Shape()
	switch heads, shared := qs[1], ks[1]; {
	case ks[0] != vs[0] || shared != vs[1]:
		fail(varlen, ErrShape, fmt.Sprintf("Expected as many tokens and heads of values as of keys, but got %s and %s", vs.List(), ks.List()), k, v)
	case qs[2] != ks[2]:
		fail(varlen, ErrShape, fmt.Sprintf("Expected queries and keys of the same width, but got %d and %d", qs[2], ks[2]), q, k)
	case !o.grouped && heads != shared:
		fail(varlen, ErrValue, fmt.Sprintf("Expect query and key/value to have the same number of heads but got Hq=%d and Hkv=%d. Try setting enable_gqa=True for GQA.", heads, shared), q, k)
	case o.grouped && (shared == 0 || heads%shared != 0):
		fail(varlen, ErrValue, fmt.Sprintf("Expect number of query heads to be a multiple of kv heads for GQA but got Hq=%d and Hkv=%d.", heads, shared), q, k)
	case o.scale != nil && !(*o.scale > 0):
		fail(varlen, ErrValue, fmt.Sprintf("scale must be greater than 0, got %v", float64(*o.scale)), q)
	case o.mask != nil || o.bias != nil || o.places != nil || o.p != 0 || o.offset != 0 || o.generator != nil:
		fail(varlen, ErrValue, "packed sequences are attended to without masks, biases, dropout and offsets of queries", q)
	}
	o.checkOptions(q, v)
}

// bordersOf reads where sequences begin and end among x's rows, of which each has most at most.
func bordersOf(name string, position int, limit string, at *Tensor, most int, x *Tensor) []int {
	refuseNil(varlen, name, position, at)
	if at.dtype != dtype.Int32 && at.dtype != dtype.Int64 || at.layout.Rank() != 1 || at.NumEl() == 0 {
		fail(varlen, ErrDType, fmt.Sprintf("%s must have one axis of at least one int32 or int64, but got %s of %s", name, at.layout.Shape().List(), at.dtype.CppName()), at)
	}
	numbers := hostSlice[int64](at)
	borders := make([]int, len(numbers))
	for i, n := range numbers {
		borders[i] = int(n)
		switch {
		case i == 0 && n != 0:
			fail(varlen, ErrValue, fmt.Sprintf("%s must begin with 0, but got %d", name, n), at)
		case i > 0 && n < numbers[i-1]:
			fail(varlen, ErrValue, fmt.Sprintf("%s must not fall, but goes from %d to %d", name, numbers[i-1], n), at)
		case i > 0 && n-numbers[i-1] > int64(most):
			fail(varlen, ErrValue, fmt.Sprintf("%s is %d, but %s tells of a sequence of %d", limit, most, name, n-numbers[i-1]), at)
		}
	}
	if last, rows := borders[len(borders)-1], x.layout.Shape()[0]; last != rows {
		fail(varlen, ErrValue, fmt.Sprintf("%s ends at %d, but there are %d tokens", name, last, rows), at, x)
	}
	return borders
}
