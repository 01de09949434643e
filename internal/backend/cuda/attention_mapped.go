package cuda

import (
	"cresset/dtype"
	"cresset/internal/backend/cuda/kernels"
	"cresset/internal/driver"
)

var mappedAttentionParams paramPool[kernels.MappedAttention]

// issueMapped launches the kernel whose tiles the TMA brings, unless the device has none, or the TMA cannot read the operands.
func (a *tiledAttention) issueMapped(s *scratch, p *kernels.Attention, tile int) (done bool, err error) {
	d, k, t := s.device, a.mapped[tile], &kernels.MappedAttentionTiles[tile]
	g, ok := t.MappedGrid(p.Batch, p.Heads, p.Queries)
	if s.err != nil || !ok || !d.has(k, &g) || p.Keep < 1 && !t.Drops() {
		return false, s.err
	}
	if _, err := d.function(k); err != nil && d.refuse(err) {
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
