package cuda

import (
	"cresset/internal/backend"
	"cresset/internal/backend/cuda/kernels"
)

// grad is that of attention. The queries' kernel comes first, since it leaves delta to the others.
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
	shared := p.DMask
	if !p.SharesMask() {
		shared = 0 // the queries' kernel stores it
	}
	ofMask := widthOf(kernels.AttentionMaskTiles[:], p)
	maskTile := &kernels.AttentionMaskTiles[ofMask]
	mask, fits := maskTile.MaskGrid(p)
	if shared != 0 && (!fits || !d.has(a.mask[ofMask], &mask)) {
		return a.wideGrad(d, c, k)
	}
	p.DeltaRows = kernels.DeltaRows(p.Queries)
	p.Delta = s.take(int(p.Batch*p.Heads*p.DeltaRows) * 8).ptr
	a.lineUp(&s, p)
	s.alignRows(&p.Out, &p.OutStrides, [4]uint64{p.Batch, p.Heads, p.Queries, p.Outputs}, a.dtype)
	s.alignRows(&p.DOut, &p.DOutStrides, [4]uint64{p.Batch, p.Heads, p.Queries, p.Outputs}, a.dtype)
	p.DMask -= shared
	if done, err := a.issueMappedGrad(&s, p, tile); err != nil || !done {
		if err == nil {
			err = a.issueGrad(&s, p, tile, &queries, &keys)
		}
		if err != nil {
			return err
		}
	}
	if shared == 0 {
		return nil
	}
	p.DMask = shared
	if d.trace != nil {
		d.trace.plan(maskTile.MaskClocks(p, &mask, d.properties.Multiprocessors))
	}
	return issue(&s, a.mask[ofMask], mask, p)
}

// issueGrad launches the kernels of grad that load tiles themselves.
func (a *tiledAttention) issueGrad(s *scratch, p *kernels.Attention, tile int, queries, keys *kernels.Grid) error {
	d, t := s.device, &kernels.AttentionGradTiles[tile]
	d.plan(t, p, queries, 3, false)
	if err := issue(s, a.queries[tile], *queries, p); err != nil {
		return err
	}
	products := 4
	if t.Width > 128 { // in two pieces, whose scores are computed for each
		products = 6
	}
	d.plan(t, p, keys, products, true)
	return issue(s, a.keys[tile], *keys, p)
}
