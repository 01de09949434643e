package cuda

import (
	"cresset/internal/backend/cuda/kernels"
	"cresset/internal/emit"
)

// split divides the rows of a region with sums as the kernels of reductions do, takes memory for what parts leave, and makes the grid one that has
// its blocks.
func (p *fusedRegion) split(s *scratch, g *kernels.Grid) emit.Split {
	columns := uint64(p.vectors.Columns)
	parts, part := kernels.Parts(columns, p.vectors.Vectors/columns, true, s.device.properties.Multiprocessors)
	split := emit.Split{Parts: parts, Part: part}
	if parts > 1 {
		split.Partials = s.take(8 * int(parts*columns) * len(p.region.Sums)).ptr
	}
	own, _ := kernels.ColumnGrid(columns, parts) // Sums has asked whether there are too many
	if g.Threads[0] == 0 {
		*g = own
	}
	for axis := range g.Blocks {
		g.Blocks[axis] = max(g.Blocks[axis], own.Blocks[axis])
	}
	return split
}

// counts is how many counters the regions need.
func (f *fusedKernel) counts() (n uint64) {
	for _, p := range f.pieces {
		n += kernels.ColumnBlocks(uint64(p.vectors.Columns))
	}
	return n
}
