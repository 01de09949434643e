package cuda

import (
	"cresset/internal/backend"
	"cresset/internal/backend/cuda/kernels"
	"cresset/internal/emit"
)

// Order returns how the kernel compiled ahead shares out the rows that a call reduces, for a region's to have its bits; zero of what that divides into
// parts, as it does few long rows.
func (d *Device) Order(c *backend.Call) (o backend.RowOrder) {
	in, out := &c.In()[0], &c.Out()[0]
	if !d.Has(c.Op, c.DType) || !c.DType.IsFloat() || out.DType != c.DType {
		return o
	}
	for i := range c.In() {
		if c.In()[i].DType != c.DType {
			return o
		}
	}
	if along, ok := softmaxNames[c.Op]; ok {
		return d.orderOfSoftmax(c, along)
	}
	rows := uint64(out.Layout.Size())
	n := uint64(in.Layout.Size()) / rows
	columns := d.inColumns(rows, n, 1)
	if parts, _ := kernels.Parts(rows, n, columns, d.properties.Multiprocessors); parts > 1 {
		return o
	}
	if columns {
		return backend.RowOrder{Threads: kernels.ColumnThreads, Group: 1, InTurn: true}
	}
	g, ok := kernels.RowGrid(rows, n)
	if !ok {
		return o
	}
	return backend.RowOrder{Threads: int(g.Threads[0]), Group: kernels.GroupBytes / c.DType.Size()}
}

// orderOfSoftmax is Order for a softmax along the last axis, or a gradient: zero where a row of threads does not hold a row whose softmax is asked for.
func (d *Device) orderOfSoftmax(c *backend.Call, name string) (o backend.RowOrder) {
	shape := c.Out()[0].Layout.Shape()
	n := uint64(shape[len(shape)-1])
	s := newSoftmaxer(name, c.DType, len(c.In()))
	g, ok := kernels.HeldGrid(uint64(c.Out()[0].Layout.Size())/n, n*s.held)
	if held := uint64(g.Threads[0]) * kernels.HeldBytes / uint64(max(c.DType.Size(), 4)); !ok || len(c.In()) == 1 && n > held {
		return o
	}
	return backend.RowOrder{Threads: int(g.Threads[0]), Group: kernels.GroupBytes / c.DType.Size()}
}

// rowGrid is the grid of a kernel of regions that reduce rows, of which there are so many in the largest.
func rowGrid(k *emit.Kernel, rows uint64, pieces int) kernels.Grid {
	g := kernels.GridOfRows(rows, uint64(k.Order().Threads))
	g.Blocks[1] = uint32(pieces)
	return g
}
