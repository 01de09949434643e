package cuda

import (
	"cresset/internal/backend"
	"cresset/internal/backend/cuda/kernels"
	"cresset/internal/op"
)

var searchParams paramPool[kernels.Search]

// searchSorted writes for each value how many elements of a sorted line stand before it.
func searchSorted(d *Device, c *backend.Call, k kernelID) error {
	out, sorted, values := &c.Out()[0], &c.In()[0], &c.In()[1]
	n := out.Layout.Size()
	if n == 0 {
		return nil
	}
	s, p := searchParams.begin(d)
	defer s.free()
	lines := sorted.Layout.Shape()
	*p = kernels.Search{
		N: uint64(n), Extent: uint64(lines[len(lines)-1]), Out: address(out), In: s.packed(values), Sorted: s.packed(sorted),
		Right: flag(c.Params.(op.Search).Right),
	}
	if len(lines) > 1 {
		shape := values.Layout.Shape()
		p.Count = uint64(shape[len(shape)-1])
	}
	return issue(&s, k, d.flat(n), p)
}
