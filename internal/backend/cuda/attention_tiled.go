package cuda

import (
	"cresset/dtype"
	"cresset/internal/backend"
	"cresset/internal/backend/cuda/kernels"
	"cresset/internal/layout"
)

// tiledAttention is the kernels of attention of a half type: those on tensor cores, by the width of heads, and what computes others.
type tiledAttention struct {
	dtype                   dtype.DType
	out, few, keys, queries [len(kernels.AttentionTiles)]kernelID
	mapped                  [len(kernels.AttentionTiles)]kernelID // those that the TMA feeds
	join, delta             kernelID
	wide, wideGrad          launcher
	mask                    *attention // the kernels of float32, of which one computes a mask's gradient
}

func newTiledAttention(dt dtype.DType, single *attention) *tiledAttention {
	a := &tiledAttention{
		dtype: dt, join: typed("attention_join", dt), delta: typed("attention_delta", dt),
		wide: widened(row{launch: single.forward}, dt, dtype.Float32), wideGrad: widened(row{launch: single.grad}, dt, dtype.Float32), mask: single,
	}
	for i := range kernels.AttentionTiles {
		t := &kernels.AttentionTiles[i]
		a.out[i], a.few[i] = typed(t.Kernel("attention_mma"), dt), typed(t.Kernel("attention_few_mma"), dt)
		a.mapped[i] = typed(t.Kernel("attention_wgmma"), dt)
		a.keys[i], a.queries[i] = typed(t.Kernel("attention_keys_mma"), dt), typed(t.Kernel("attention_queries_mma"), dt)
	}
	return a
}

// tileFor returns the number of the tiles for heads of so many elements, and whether the kernels count so many queries and keys.
func tileFor(p *kernels.Attention) (tile int, ok bool) {
	for tile < len(kernels.AttentionTiles) && kernels.AttentionTiles[tile].Width < max(p.Width, p.Outputs) {
		tile++
	}
	return tile, tile < len(kernels.AttentionTiles) && max(p.Queries, p.Keys) < kernels.FarthestKey
}

// has reports whether the device takes a kernel and gives its blocks so much shared memory.
func (d *Device) has(k kernelID, g *kernels.Grid) bool {
	return d.takes(k) && int64(g.Shared) <= max(d.properties.SharedOptIn, 48<<10)
}

// forward is that of attention.
func (a *tiledAttention) forward(d *Device, c *backend.Call, k kernelID) error {
	s, p := attentionParams.begin(d)
	defer s.free()
	*p = attentionOf(c, c.In()[:3], 3)
	p.Out, p.OutStrides, p.LogSum = address(&c.Out()[0]), strides4(&c.Out()[0]), address(&c.Out()[1])
	tile, ok := tileFor(p)
	if !ok || p.Batch*p.Heads*p.Queries == 0 {
		return a.wide(d, c, k)
	}
	if (p.Queries <= fewQueries || p.Places != 0) && p.Keys > 0 {
		return a.ofFew(&s, p, tile, func() error { return a.wide(d, c, k) })
	}
	g, ok := kernels.AttentionTiles[tile].Grid(p.Batch*p.Heads, p.Queries)
	if !ok || !d.has(a.out[tile], &g) {
		return a.wide(d, c, k)
	}
	a.lineUp(&s, p)
	if done, err := a.issueMapped(&s, p, tile); done || err != nil {
		return err
	}
	d.plan(&kernels.AttentionTiles[tile], p, &g, 2, false)
	return issue(&s, a.out[tile], g, p)
}

// plan tells a trace how many clocks the next launch takes, which makes so many products with each tile of columns.
func (d *Device) plan(t *kernels.AttentionTile, p *kernels.Attention, g *kernels.Grid, products int, byKeys bool) {
	if d.trace != nil {
		d.trace.plan(t.Clocks(p, g, products, byKeys, d.properties.Multiprocessors))
	}
}

// ofFew is forward for few queries, by parts of the keys, or what other does where the device has no kernel for them.
func (a *tiledAttention) ofFew(s *scratch, p *kernels.Attention, tile int, other func() error) error {
	d, rows := s.device, int(p.Batch*p.Heads*p.Queries)
	g, parts, part := kernels.AttentionTiles[tile].FewGrid(p.Batch*p.Groups, p.Heads/p.Groups*p.Queries, p.Keys, d.properties.Multiprocessors)
	if !d.has(a.few[tile], &g) {
		return other()
	}
	s.alignRows(&p.K, &p.KStrides, [4]uint64{p.Batch, p.Groups, p.Keys, p.Width}, a.dtype)
	s.alignRows(&p.V, &p.VStrides, [4]uint64{p.Batch, p.Groups, p.Keys, p.Outputs}, a.dtype)
	p.Parts, p.Part, p.Partial = parts, part, s.take(rows*int(parts)*int(p.Outputs+2)*4).ptr
	if err := issue(s, a.few[tile], g, p); err != nil {
		return err
	}
	return joinParts(s, a.join, p, 4)
}

// grad is that of attention.
func (a *tiledAttention) grad(d *Device, c *backend.Call, k kernelID) error {
	s, p := attentionParams.begin(d)
	defer s.free()
	describeAttentionGrad(p, c)
	tile, ok := tileFor(p)
	if !ok || p.Batch*p.Heads*p.Queries*p.Keys == 0 {
		return a.wideGrad(d, c, k)
	}
	t := &kernels.AttentionGradTiles[tile]
	queries, ok := t.QueriesGrid(p.Batch*p.Heads, p.Queries)
	keys, fits := t.KeysGrid(p.Batch*p.Groups, p.Keys)
	if !ok || !fits || !d.has(a.queries[tile], &queries) || !d.has(a.keys[tile], &keys) {
		return a.wideGrad(d, c, k)
	}
	rows := p.Batch * p.Heads * p.Queries
	p.Delta = s.take(int(rows) * 8).ptr
	a.lineUp(&s, p)
	s.alignRows(&p.Out, &p.OutStrides, [4]uint64{p.Batch, p.Heads, p.Queries, p.Outputs}, a.dtype)
	s.alignRows(&p.DOut, &p.DOutStrides, [4]uint64{p.Batch, p.Heads, p.Queries, p.Outputs}, a.dtype)
	if err := issue(&s, a.delta, d.flat(int(rows)*8), p); err != nil {
		return err
	}
	products := 4
	if t.Width > 128 { // in two pieces, whose scores are computed for each
		products = 6
	}
	d.plan(t, p, &keys, products, true)
	if err := issue(&s, a.keys[tile], keys, p); err != nil {
		return err
	}
	d.plan(t, p, &queries, 3, false)
	if err := issue(&s, a.queries[tile], queries, p); err != nil || p.DMask == 0 {
		return err
	}
	return a.maskGrad(&s, p, c)
}

// maskGrad is what is left of grad, a mask's gradient, by the kernels of float32 on copies.
func (a *tiledAttention) maskGrad(s *scratch, p *kernels.Attention, c *backend.Call) error {
	in := c.In()
	for i, of := range [...]struct {
		at      *uint64
		strides *[4]int64
	}{{&p.DOut, &p.DOutStrides}, {&p.Q, &p.QStrides}, {&p.K, &p.KStrides}, {&p.V, &p.VStrides}, {&p.Out, &p.OutStrides}} {
		var wide backend.View
		if err := s.widen(&wide, &in[i], a.dtype, dtype.Float32, true); err != nil {
			return err
		}
		*of.at, *of.strides = address(&wide), strides4(&wide)
	}
	rows := int(p.Batch * p.Heads * p.Queries)
	p.Delta = s.take(rows * 4).ptr
	if err := issue(s, a.mask.delta, s.device.flat(rows), p); err != nil {
		return err
	}
	return a.mask.issue(s, a.mask.mask, p, p.Batch*p.Heads, p.Queries, p.Keys)
}

// lineUp makes queries, keys and values lie in lines that are aligned for 16 bytes.
func (a *tiledAttention) lineUp(s *scratch, p *kernels.Attention) {
	s.alignRows(&p.Q, &p.QStrides, [4]uint64{p.Batch, p.Heads, p.Queries, p.Width}, a.dtype)
	s.alignRows(&p.K, &p.KStrides, [4]uint64{p.Batch, p.Groups, p.Keys, p.Width}, a.dtype)
	s.alignRows(&p.V, &p.VStrides, [4]uint64{p.Batch, p.Groups, p.Keys, p.Outputs}, a.dtype)
}

// alignRows makes rows of a half type start at multiples of 16 bytes, their elements side by side: a copy of those that do not.
func (s *scratch) alignRows(at *uint64, strides *[4]int64, extents [4]uint64, dt dtype.DType) {
	aligned := *at%16 == 0 && (strides[3] == 1 || extents[3] <= 1)
	shape, steps := make(layout.Shape, 4), make([]int, 4)
	for i, step := range strides {
		if i < 3 && step == 0 {
			extents[i] = 1
		}
		aligned = aligned && (i == 3 || step%8 == 0 || extents[i] <= 1)
		shape[i], steps[i] = int(extents[i]), int(step)
	}
	if aligned || extents[0]*extents[1]*extents[2]*extents[3] == 0 {
		return
	}
	to, pitch := [4]int64{3: 1}, int64(extents[3]+7)&^7
	for i := 2; i >= 0; i-- {
		to[i] = pitch
		pitch *= int64(extents[i])
	}
	b := s.take(int(pitch) * dt.Size())
	if s.err == nil {
		from, lines := layout.Of(shape, steps, 0), layout.Of(shape, []int{int(to[0]), int(to[1]), int(to[2]), 1}, 0)
		s.err = s.device.copyView(&backend.View{Buf: b, Layout: &lines, DType: dt}, &backend.View{Buf: &Buffer{ptr: *at}, Layout: &from, DType: dt})
	}
	for i := range strides {
		if i < 3 && strides[i] == 0 {
			to[i] = 0
		}
	}
	*at, *strides = b.ptr, to
}
