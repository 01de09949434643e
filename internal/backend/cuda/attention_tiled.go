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
	mappedKeys              [len(kernels.AttentionTiles)]kernelID
	mappedQueries           [len(kernels.AttentionTiles)]kernelID
	mask                    [len(kernels.AttentionMaskTiles)]kernelID
	join                    kernelID
	wide, wideGrad          launcher
}

func newTiledAttention(dt dtype.DType, single *attention) *tiledAttention {
	a := &tiledAttention{
		dtype: dt, join: typed("attention_join", dt), wide: widened(row{launch: single.forward}, dt, dtype.Float32), wideGrad: widened(row{launch: single.grad}, dt, dtype.Float32),
	}
	for i := range kernels.AttentionTiles {
		t := &kernels.AttentionTiles[i]
		a.out[i], a.few[i] = typed(t.Kernel("attention_mma"), dt), typed(t.Kernel("attention_few_mma"), dt)
		a.mapped[i] = typed(t.Kernel("attention_wgmma"), dt)
		a.mappedKeys[i], a.mappedQueries[i] = typed(t.Kernel("attention_keys_wgmma"), dt), typed(t.Kernel("attention_queries_wgmma"), dt)
		a.keys[i], a.queries[i] = typed(t.Kernel("attention_keys_mma"), dt), typed(t.Kernel("attention_queries_mma"), dt)
	}
	for i := range kernels.AttentionMaskTiles {
		a.mask[i] = typed(kernels.AttentionMaskTiles[i].Kernel("attention_mask_mma"), dt)
	}
	return a
}

// tileFor returns the number of the tiles for heads of so many elements, and whether the kernels count so many queries and keys.
func tileFor(p *kernels.Attention) (tile int, ok bool) {
	tile = widthOf(kernels.AttentionTiles[:], p)
	return tile, tile < len(kernels.AttentionTiles) && max(p.Queries, p.Keys) < kernels.FarthestKey
}

// widthOf returns the number of the first tiles, of some that become wider, for heads of so many elements.
func widthOf(tiles []kernels.AttentionTile, p *kernels.Attention) (i int) {
	for i < len(tiles) && tiles[i].Width < max(p.Width, p.Outputs) {
		i++
	}
	return i
}

// has reports whether the device takes a kernel and gives its blocks so much shared memory.
func (d *Device) has(k kernelID, g *kernels.Grid) bool {
	return d.takes(k) && d.sharedFits(int64(g.Shared))
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
