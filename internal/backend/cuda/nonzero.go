package cuda

import (
	"cresset/internal/backend"
	"cresset/internal/backend/cuda/kernels"
)

// maskSearch is the kernels that find the true elements of a mask: how many are in each chunk, and which.
type maskSearch struct{ count, indexes kernelID }

var nonZeroParams paramPool[kernels.NonZero]

// launch writes a row of indexes for each true element; the result has as many rows as there are.
func (m *maskSearch) launch(d *Device, c *backend.Call, _ kernelID) error {
	out, mask := &c.Out()[0], &c.In()[0]
	if out.Layout.Size() == 0 {
		return nil
	}
	g, chunk := kernels.NonZeroGrid(uint64(mask.Layout.Size()))
	s, p := nonZeroParams.begin(d)
	defer s.free()
	shape := mask.Layout.Shape()
	*p = kernels.NonZero{
		N: uint64(mask.Layout.Size()), Chunk: chunk, In: s.packed(mask), Counts: s.take(int(g.Blocks[0]) * 8).ptr, Out: address(out), Rank: uint32(len(shape)),
	}
	for i, n := range shape {
		p.Extents[i] = uint64(n)
	}
	if err := issue(&s, m.count, g, p); err != nil {
		return err
	}
	return launch(d, m.indexes, g, p)
}
