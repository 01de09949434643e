package cuda

import (
	"cresset/dtype"
	"cresset/internal/backend/cuda/kernels"
)

// transposes are the kernels that copy matrices whose axes are swapped, element by element and by vectors.
type transposes struct{ elements, vectors kernelID }

// transposesOf are the transposes by the kernels that copy any layout.
var transposesOf = func() map[kernelID]transposes {
	t := map[kernelID]transposes{}
	for dt := dtype.Bool; dt < dtype.Count; dt++ {
		t[moves[dt]] = transposes{sized("transpose", dt), sized("transpose_vectors", dt)}
	}
	return t
}()

// transposed returns the kernel and the grid for a copy whose first two axes are swapped, where it is one.
func (s *strided) transposed() (k kernelID, g kernels.Grid, ok bool) {
	p := s.params
	t, ok := transposesOf[s.kernel]
	if !ok || s.loop.N != 2 || p.Rank < 2 || p.Rank > 3 || p.Strides[0][0] != 1 || p.Strides[1][0] == 1 || p.Strides[1][1] != 1 {
		return 0, g, false
	}
	matrices := uint64(1)
	if p.Rank == 3 {
		matrices = uint64(p.Extents[2])
	}
	columns, rows := uint64(p.Extents[0]), uint64(p.Extents[1])
	if s.vectorsOfBoth() {
		if g, ok := kernels.TransposeVectorsGrid(columns, rows, matrices, s.size[0]); ok {
			return t.vectors, g, true
		}
	}
	g, ok = kernels.TransposeGrid(columns, rows, matrices)
	return t.elements, g, ok
}

// vectorsOfBoth reports whether the rows of a result and of its transposed operand are whole vectors at aligned addresses.
func (s *strided) vectorsOfBoth() bool {
	p := s.params
	places := p.Out | p.In[0]
	steps := uint64(p.Extents[0]|p.Extents[1]) | uint64(p.Strides[0][1]|p.Strides[1][0])
	if p.Rank == 3 {
		steps |= uint64(p.Strides[0][2] | p.Strides[1][2])
	}
	return (places|steps*s.size[0])%vectorBytes == 0
}
