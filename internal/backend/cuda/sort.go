package cuda

import (
	"fmt"
	"math"

	"cresset/dtype"
	"cresset/internal/backend"
	"cresset/internal/backend/cuda/kernels"
	"cresset/internal/layout"
	"cresset/internal/op"
)

// sorter is the kernels of a sort: of tiles, and of pairs of runs to one.
type sorter struct{ tiles, merge kernelID }

func (t *table) addSorts() {
	for _, dt := range numbers {
		s := newSorter(dt)
		t[op.Sort][dt] = row{launch: s.lines}
		t[op.TopK][dt] = row{launch: s.lines}
	}
}

// newSorter returns the kernels for a dtype.
func newSorter(dt dtype.DType) *sorter {
	return &sorter{typed("sort_tiles", dt), typed("sort_merge", dt)}
}

var sortParams paramPool[kernels.Sort]

// lines writes the first elements of each sorted line to out[0] and where they were to out[1]; the results are fresh.
func (o *sorter) lines(d *Device, c *backend.Call, _ kernelID) error {
	values, indices, x := &c.Out()[0], &c.Out()[1], &c.In()[0]
	if values.Layout.Size() == 0 {
		return nil
	}
	s, p := sortParams.begin(d)
	defer s.free()
	order := c.Params.(op.Order)
	outer, n, inner := layout.Around(x.Layout.Shape(), order.Axis)
	*p = kernels.Sort{
		Outer: uint64(outer), N: uint64(n), Inner: uint64(inner), K: uint64(values.Layout.Shape()[order.Axis]), In: s.packed(x),
		Descending: flag(order.Descending),
	}
	return o.sort(&s, p, x.DType.Size(), address(values), address(indices))
}

// sort issues the kernels. Longer lines than a tile go back and forth between two buffers, until the last merge.
func (o *sorter) sort(s *scratch, p *kernels.Sort, size int, out, index uint64) error {
	if p.N > math.MaxInt32 {
		return fmt.Errorf("cuda: lines of %d elements are too long to sort", p.N)
	}
	d, lines := s.device, p.Outer*p.Inner
	all := int(lines * p.N)
	p.Width = kernels.SortWidth(p.N)
	var buffers [2][2]uint64 // of values and places
	if p.Width < p.N {
		for i := range buffers {
			for j, size := range [2]int{size, 4} {
				buffers[i][j] = s.take(all * size).ptr
			}
		}
	}
	for pass := 0; ; pass++ {
		sorted := p.Width // when this pass is done
		if pass > 0 {
			sorted *= 2
		}
		to := buffers[pass%2]
		p.Out, p.OutFrom, p.Index = to[0], to[1], 0
		if sorted >= p.N {
			p.Out, p.OutFrom, p.Index = out, 0, index
		}
		k, g := o.merge, d.flat(all)
		if pass == 0 {
			k, g = o.tiles, kernels.SortTilesGrid(lines, p.N)
		}
		if err := issue(s, k, g, p); err != nil || sorted >= p.N {
			return err
		}
		p.In, p.InFrom, p.Width = to[0], to[1], sorted
	}
}
