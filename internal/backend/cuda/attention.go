package cuda

import (
	"fmt"

	"cresset/dtype"
	"cresset/internal/backend"
	"cresset/internal/backend/cuda/kernels"
	"cresset/internal/op"
)

func (t *table) addAttention() {
	single, double := newAttention(dtype.Float32), newAttention(dtype.Float64)
	t[op.Attention][dtype.Float32], t[op.AttentionGrad][dtype.Float32] = row{launch: single.forward}, row{launch: single.grad}
	t[op.Attention][dtype.Float64], t[op.AttentionGrad][dtype.Float64] = row{launch: double.forward}, row{launch: double.grad}
	for _, dt := range halves {
		a := newTiledAttention(dt, single)
		t[op.Attention][dt] = row{launch: a.forward}
		t[op.AttentionGrad][dt] = row{launch: a.grad}
	}
}

// attention is the kernels of attention, for elements of a size.
type attention struct {
	out, few, join      kernelID
	keys, queries, mask kernelID
	size                int
}

func newAttention(dt dtype.DType) *attention {
	return &attention{
		out: typed("attention", dt), few: typed("attention_few", dt), join: typed("attention_join", dt),
		keys: typed("attention_keys", dt), queries: typed("attention_queries", dt), mask: typed("attention_mask", dt), size: dt.Size(),
	}
}

var attentionParams paramPool[kernels.Attention]

// forward writes the result and the logarithm of each row's sum, of queries, keys and values and, where given, a mask, the seed of
// dropout, and places for each of the batch that are added to First.
func (a *attention) forward(d *Device, c *backend.Call, _ kernelID) error {
	s, p := attentionParams.begin(d)
	defer s.free()
	*p = attentionOf(c, c.In()[:3], 3)
	p.Out, p.OutStrides, p.LogSum = address(&c.Out()[0]), strides4(&c.Out()[0]), address(&c.Out()[1])
	wide := p.Width > kernels.MostWidth || p.Outputs > kernels.MostWidth
	if (p.Queries <= fewQueries || p.Places != 0) && p.Keys > 0 && !wide {
		return a.ofFew(&s, p)
	}
	if p.Places != 0 && wide {
		return fmt.Errorf("attention of queries whose offsets lie in memory is for heads of up to %d elements, not of %d", kernels.MostWidth, max(p.Width, p.Outputs))
	}
	return a.issue(&s, a.out, p, p.Batch*p.Heads, p.Queries, p.Outputs)
}

// fewQueries is up to how many the tiles of attention would be empty for the most part.
const fewQueries = 8

// ofFew is forward for few queries, by parts of the keys.
func (a *attention) ofFew(s *scratch, p *kernels.Attention) error {
	rows := int(p.Batch * p.Heads * p.Queries)
	if rows == 0 {
		return s.err
	}
	g, parts, part := kernels.FewGrid(p.Batch*p.Groups, p.Heads/p.Groups*p.Queries, p.Keys, s.device.properties.Multiprocessors)
	p.Parts, p.Part, p.Partial = parts, part, s.take(rows*int(parts)*int(p.Outputs+2)*a.size).ptr
	if err := issue(s, a.few, g, p); err != nil {
		return err
	}
	return joinParts(s, a.join, p, a.size)
}

// joinParts launches the kernel that joins parts of the keys, a warp for each row of the result, of numbers of a size.
func joinParts(s *scratch, join kernelID, p *kernels.Attention, size int) error {
	rows := p.Batch * p.Heads * p.Queries
	s.device.trace.moves(rows * p.Parts * (p.Outputs + 2) * uint64(size))
	return issue(s, join, s.device.flat(int(rows)*32), p)
}

// grad writes the gradients for queries, keys, values and, where asked for, the mask, of dy, the operands, the result, the logarithms,
// the mask and the seed. The queries' kernel leaves delta to the others.
func (a *attention) grad(d *Device, c *backend.Call, _ kernelID) error {
	s, p := attentionParams.begin(d)
	defer s.free()
	describeAttentionGrad(p, c)
	p.Delta = s.take(int(p.Batch*p.Heads*p.Queries) * a.size).ptr
	if err := a.issue(&s, a.queries, p, p.Batch*p.Heads, p.Queries, p.Width); err != nil {
		return err
	}
	if err := a.issue(&s, a.keys, p, p.Batch*p.Groups, p.Keys, max(p.Width, p.Outputs)); err != nil {
		return err
	}
	if p.DMask == 0 {
		return nil
	}
	return a.issue(&s, a.mask, p, p.Batch*p.Heads, p.Queries, p.Keys)
}

// describeAttentionGrad fills what kernels must know of a call of grad; DMask is 0 where the mask has no gradient.
func describeAttentionGrad(p *kernels.Attention, c *backend.Call) {
	in, outs := c.In(), c.Out()
	*p = attentionOf(c, in[1:4], 6)
	p.DOut, p.DOutStrides, p.Out, p.OutStrides, p.LogSum = address(&in[0]), strides4(&in[0]), address(&in[4]), strides4(&in[4]), address(&in[5])
	p.DQ, p.DQStrides, p.DK, p.DKStrides, p.DV, p.DVStrides = address(&outs[0]), strides4(&outs[0]), address(&outs[1]), strides4(&outs[1]), address(&outs[2]), strides4(&outs[2])
	if len(outs) > 3 && outs[3].Layout.Size() > 0 {
		p.DMask, p.DMaskStrides = address(&outs[3]), strides4(&outs[3])
	}
}

// issue launches a kernel that computes rows and columns for each of some heads.
func (a *attention) issue(s *scratch, k kernelID, p *kernels.Attention, heads, rows, columns uint64) error {
	if heads*rows == 0 {
		return s.err
	}
	return issue(s, k, kernels.AttentionGrid(heads, rows, columns, a.size), p)
}

// attentionOf describes a call with queries, keys and values, and operands from mask on, a mask, a seed and places.
func attentionOf(c *backend.Call, qkv []backend.View, mask int) kernels.Attention {
	o := c.Params.(op.Attend)
	q, k, v := &qkv[0], &qkv[1], &qkv[2]
	qs, ks := q.Layout.Shape(), k.Layout.Shape()
	p := kernels.Attention{
		Batch: uint64(qs[0]), Heads: uint64(qs[1]), Groups: uint64(ks[1]), Queries: uint64(qs[2]), Keys: uint64(ks[2]),
		Width: uint64(qs[3]), Outputs: uint64(v.Layout.Shape()[3]),
		Q: address(q), K: address(k), V: address(v), QStrides: strides4(q), KStrides: strides4(k), VStrides: strides4(v),
		Scale: o.Scale, SoftCap: o.SoftCap, Keep: o.Keep, First: int64(o.First), Window: int64(o.Window), Causal: flag(o.Causal),
	}
	if c.Has(mask) && c.In()[mask].Layout.Size() > 0 {
		m := &c.In()[mask]
		p.Mask, p.MaskStrides, p.Bools = address(m), strides4(m), flag(m.DType == dtype.Bool)
	}
	if c.Has(mask + 1) {
		p.Seed = address(&c.In()[mask+1])
	}
	if c.Has(mask + 2) {
		places := &c.In()[mask+2]
		p.Places, p.PlaceStep = address(places), int64(places.Layout.Strides()[0])
	}
	return p
}

func strides4(v *backend.View) (s [4]int64) {
	for i, step := range v.Layout.Strides() {
		s[i] = int64(step)
	}
	return s
}
