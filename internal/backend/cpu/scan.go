package cpu

import (
	"cresset/dtype"
	"cresset/internal/backend"
	"cresset/internal/layout"
	"cresset/internal/op"
	"cresset/internal/par"
)

// runningExtreme makes a kernel of a loop that writes the most extreme of the elements so far, and its place, of the columns
// lo … hi of one [n][inner].
//
//go:noinline
func runningExtreme[T dtype.Number](loop func(y []T, at []int64, x []T, inner, lo, hi int)) Kernel {
	return rowMajor(func(c *backend.Call) error {
		in := &c.In()[0]
		if in.Layout.Size() == 0 {
			return nil
		}
		outer, n, inner := layout.Around(in.Layout.Shape(), c.Params.(op.Axis).Axis)
		x, y, at := dense[T](in), dense[T](&c.Out()[0]), dense[int64](&c.Out()[1])
		par.For(outer*inner, columns(outer*inner, n), func(lo, hi int) {
			for lo < hi {
				o, k := lo/inner, lo%inner
				end := min(inner, k+hi-lo)
				from, to := o*n*inner, (o+1)*n*inner
				loop(y[from:to], at[from:to], x[from:to], inner, k, end)
				lo += end - k
			}
		})
		return nil
	})
}
