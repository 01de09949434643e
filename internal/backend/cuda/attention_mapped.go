package cuda

import (
	"cresset/dtype"
	"cresset/internal/backend/cuda/kernels"
	"cresset/internal/driver"
)

var (
	mappedAttentionParams     paramPool[kernels.MappedAttention]
	mappedAttentionGradParams paramPool[kernels.MappedAttentionGrad]
)

// issueMapped launches the kernel whose tiles the TMA brings, unless the device has none, or the TMA cannot read the operands.
func (a *tiledAttention) issueMapped(s *scratch, p *kernels.Attention, tile int) (done bool, err error) {
	d, k, t := s.device, a.mapped[tile], &kernels.MappedAttentionTiles[tile]
	g, ok := t.MappedGrid(p.Batch, p.Heads, p.Queries)
	if s.err != nil || !ok || !d.has(k, &g) || p.Keep < 1 && !t.Drops() {
		return false, s.err
	}
	if d.lacks(k) {
		return false, nil
	}
	m := mappedAttentionParams.take()
	defer mappedAttentionParams.give(m)
	m.Attention = *p
	own, others := t.Boxes()
	keys, values := [4]uint64{p.Batch, p.Groups, p.Keys, p.Width}, [4]uint64{p.Batch, p.Groups, p.Keys, p.Outputs}
	if !d.mapRows(&m.MapQ, &m.HeadQ, &m.BatchQ, p.Q, p.QStrides, [4]uint64{p.Batch, p.Heads, p.Queries, p.Width}, own, a.dtype) ||
		!d.mapRows(&m.MapK, &m.HeadK, &m.BatchK, p.K, p.KStrides, keys, others, a.dtype) ||
		!d.mapRows(&m.MapV, &m.HeadV, &m.BatchV, p.V, p.VStrides, values, others, a.dtype) {
		return false, nil
	}
	if d.trace != nil {
		d.trace.plan(t.MappedClocks(p, d.properties.Multiprocessors))
	}
	return true, issue(s, k, g, m)
}

// issueMappedGrad launches the kernels of grad whose tiles the TMA brings, unless the device has none, or the TMA cannot read the operands.
func (a *tiledAttention) issueMappedGrad(s *scratch, p *kernels.Attention, tile int) (done bool, err error) {
	d, queriesTile, keysTile := s.device, &kernels.MappedQueriesTiles[tile], &kernels.MappedKeysTiles[tile]
	queries, ok := queriesTile.MappedQueriesGrid(p.Batch, p.Heads, p.Queries)
	keys, fits := keysTile.MappedKeysGrid(p.Batch, p.Groups, p.Keys)
	if s.err != nil || !ok || !fits || !d.has(a.mappedQueries[tile], &queries) || !d.has(a.mappedKeys[tile], &keys) ||
		d.lacks(a.mappedQueries[tile]) || d.lacks(a.mappedKeys[tile]) {
		return false, s.err
	}
	m := mappedAttentionGradParams.take()
	defer mappedAttentionGradParams.give(m)
	m.Attention = *p
	lines, columns := queriesTile.Boxes()
	if !a.mapGrad(d, m, lines, columns) {
		return false, nil
	}
	ofQueries, ofKeys := kernels.MappedGradClocks(queriesTile, keysTile, p, d.properties.Multiprocessors)
	if d.trace != nil {
		d.trace.plan(ofQueries)
	}
	if err := issue(s, a.mappedQueries[tile], queries, m); err != nil {
		return false, err
	}
	if lines, columns = keysTile.Boxes(); !a.mapGrad(d, m, columns, lines) {
		return false, nil
	}
	if d.trace != nil {
		d.trace.plan(ofKeys)
	}
	return true, issue(s, a.mappedKeys[tile], keys, m)
}

// mapGrad describes operands in boxes of so many rows: queries and dout, and keys and values.
func (a *tiledAttention) mapGrad(d *Device, m *kernels.MappedAttentionGrad, queries, keys uint32) bool {
	p := &m.Attention
	rows, columns := [3]uint64{p.Batch, p.Heads, p.Queries}, [3]uint64{p.Batch, p.Groups, p.Keys}
	of := func(n [3]uint64, width uint64) [4]uint64 { return [4]uint64{n[0], n[1], n[2], width} }
	return d.mapRows(&m.MapQ, &m.HeadQ, &m.BatchQ, p.Q, p.QStrides, of(rows, p.Width), queries, a.dtype) &&
		d.mapRows(&m.MapDOut, &m.HeadDOut, &m.BatchDOut, p.DOut, p.DOutStrides, of(rows, p.Outputs), queries, a.dtype) &&
		d.mapRows(&m.MapK, &m.HeadK, &m.BatchK, p.K, p.KStrides, of(columns, p.Width), keys, a.dtype) &&
		d.mapRows(&m.MapV, &m.HeadV, &m.BatchV, p.V, p.VStrides, of(columns, p.Outputs), keys, a.dtype)
}

// mapRows describes the rows of heads of a batch, in boxes of 64 elements of so many rows, and reports whether the TMA can read them. Of what is
// broadcast along heads or the batch, one is described, and its number is 0 for all of them.
func (d *Device) mapRows(m *kernels.TensorMap, head, batch *uint32, at uint64, strides [4]int64, extents [4]uint64, rows uint32, dt dtype.DType) bool {
	if strides[2] == 0 && extents[2] > 1 {
		return false // rows are broadcast
	}
	size := uint64(dt.Size())
	t := tile{dtype: dt, address: at, box: []uint32{64, rows, 1, 1}, swizzle: driver.Swizzle128}
	t.extents = []uint64{extents[3], extents[2], extents[1], extents[0]}
	t.strides = []uint64{uint64(strides[2]) * size, uint64(strides[1]) * size, uint64(strides[0]) * size}
	row := uint32(1)
	*head, *batch = 1, 1
	for i, number := range [...]*uint32{&row, head, batch} {
		if t.strides[i] == 0 || t.extents[i+1] == 1 { // the driver takes no stride of 0
			*number, t.extents[i+1], t.strides[i] = 0, 1, 16
		}
	}
	to, ok := d.encode(&t)
	*m = kernels.TensorMap(to)
	return ok
}
