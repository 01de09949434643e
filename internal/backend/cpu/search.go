package cpu

import (
	"math/bits"

	"cresset/dtype"
	"cresset/internal/backend"
	"cresset/internal/kern"
	"cresset/internal/op"
	"cresset/internal/par"
)

// searchSorted writes for each value how many elements of a sorted line stand before it.
func searchSorted[T dtype.Number](c *backend.Call) error {
	shape, search := c.In()[0].Layout.Shape(), kern.SearchLeft[T]
	if c.Params.(op.Search).Right {
		search = kern.SearchRight[T]
	}
	out, sorted, values := dense[int64](&c.Out()[0]), dense[T](&c.In()[0]), dense[T](&c.In()[1])
	if len(out) == 0 {
		return nil
	}
	n, each := shape[len(shape)-1], len(out) // values of a line
	if len(shape) > 1 {
		each = c.Out()[0].Layout.Shape()[len(shape)-1]
	}
	par.For(len(out), max(grain/bits.Len(uint(n)+1), 1), func(lo, hi int) {
		for lo < hi {
			line := lo / each
			end := min(hi, (line+1)*each)
			search(out[lo:end], sorted[line*n:(line+1)*n], values[lo:end])
			lo = end
		}
	})
	return nil
}
