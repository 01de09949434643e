package cpu

import (
	"slices"
	"sync/atomic"

	"cresset/dtype"
	"cresset/internal/backend"
	"cresset/internal/kern"
	"cresset/internal/layout"
	"cresset/internal/op"
	"cresset/internal/par"
)

// Gathers and scatters name a place along one axis for each element. Where operands are in row-major order and differ along that axis
// alone, they are seen as [outer][n][inner]; others are walked line by line.

func (t *table) addGathers() {
	lines := [4]Kernel{gather[uint8], gather[int16], gather[int32], gather[int64]}
	puts := [4]Kernel{scatter(kern.PutLine[uint8]), scatter(kern.PutLine[int16]), scatter(kern.PutLine[int32]), scatter(kern.PutLine[int64])}
	for dt := dtype.Bool; dt < dtype.Count; dt++ {
		t[op.Gather][dt] = lines[sizeClass(dt)]
		t[op.Scatter][dt] = puts[sizeClass(dt)]
	}
	addScatters[int32](t)
	addScatters[int64](t)
	addScatters[float32](t)
	addScatters[float64](t)
}

func addScatters[T dtype.Number](t *table) {
	dt := dtype.Of[T]()
	t[op.ScatterAdd][dt] = scatterAdd[T]
	t[op.ScatterProd][dt] = scatter(kern.MulLine[T])
	t[op.ScatterAMax][dt] = scatter(kern.MaxLine[T])
	t[op.ScatterAMin][dt] = scatter(kern.MinLine[T])
}

// outside returns the first index that is not in 0 … n-1, if there is one; several threads look.
func outside(index []int64, n int) (bad int64, found bool) {
	var any atomic.Bool
	par.For(len(index), grain, func(lo, hi int) {
		if _, found := kern.FindOutside(index[lo:hi], n); found {
			any.Store(true)
		}
	})
	if !any.Load() {
		return 0, false
	}
	return kern.FindOutside(index, n)
}

// checkIndex returns the error of the first index that is not in 0 … n-1.
func checkIndex(index *backend.View, axis, n int) error {
	var w workspace
	defer w.free()
	all := *index
	if err := w.pack(&all); err != nil {
		return err
	}
	if bad, found := outside(dense[int64](&all), n); found {
		return outOfBounds(bad, axis, n)
	}
	return nil
}

// inOrder reports whether all views are contiguous and of one shape but for an axis: gather/1024x1024 takes less than half the
// time so.
func inOrder(axis int, views ...*backend.View) bool {
	first := views[0].Layout.Shape()
	for _, v := range views {
		shape := v.Layout.Shape()
		if !v.Layout.IsContiguous() || !slices.Equal(shape[:axis], first[:axis]) || !slices.Equal(shape[axis+1:], first[axis+1:]) {
			return false
		}
	}
	return true
}

// gather is out[…, i, …] = x[…, index[…, i, …], …].
func gather[T dtype.Element](c *backend.Call) error {
	axis := axisOf(c)
	out, x, index := &c.Out()[0], &c.In()[0], &c.In()[1]
	if out.Layout.Size() > 0 && inOrder(axis, out, x, index) && gatherInOrder[T](axis, out, x, index) {
		return nil
	}
	if err := checkIndex(index, axis, x.Layout.Shape()[axis]); err != nil || out.Layout.Size() == 0 {
		return err
	}
	n := out.Layout.Shape()[axis]
	dst, src, from := data[T](out), data[T](x), data[int64](index)
	dstStep, srcStep, fromStep := out.Layout.Strides()[axis], x.Layout.Strides()[axis], index.Layout.Strides()[axis]
	var l lines
	l.init(axis, out, x, index)
	par.For(l.count, max(grain/n, 1), func(lo, hi int) {
		l.each(lo, hi, func(at *[layout.MaxOperands]int) {
			kern.TakeLine(dst[at[0]:], src[at[1]:], from[at[2]:], n, dstStep, srcStep, fromStep)
		})
	})
	return nil
}

// gatherInOrder returns false where it met an index outside.
func gatherInOrder[T dtype.Element](axis int, out, x, index *backend.View) bool {
	outer, n, inner := layout.Around(out.Layout.Shape(), axis)
	extent := x.Layout.Shape()[axis]
	dst, src, from := dense[T](out), dense[T](x), dense[int64](index)
	var failed atomic.Bool
	take := func(lo, hi int, src []T, step, skip int) {
		if !kern.TakeAt(dst[lo:hi], src, from[lo:hi], extent, step, skip) {
			failed.Store(true)
		}
	}
	if n*inner == 1 { // one element of each line
		par.For(outer, grain, func(lo, hi int) { take(lo, hi, src[lo*extent:], 1, extent) })
		return !failed.Load()
	}
	row, skip := inner, 1
	if inner == 1 {
		row, skip = n, 0
	}
	par.For(len(dst)/row, max(grain/row, 1), func(lo, hi int) {
		for i := lo; i < hi; i++ {
			o := i * row / (n * inner)
			take(i*row, (i+1)*row, src[o*extent*inner:(o+1)*extent*inner], inner, skip)
		}
	})
	return !failed.Load()
}

// scatterAdd is out[…, index[…, i, …], …] += src[…, i, …].
func scatterAdd[T dtype.Number](c *backend.Call) error {
	axis := axisOf(c)
	out, index, src := &c.Out()[0], &c.In()[0], &c.In()[1]
	if err := checkIndex(index, axis, out.Layout.Shape()[axis]); err != nil {
		return err
	}
	if index.Layout.Size() == 0 {
		return nil
	}
	if inOrder(axis, index, out) && inOrder(axis, index, src) && src.Layout.Shape()[axis] == index.Layout.Shape()[axis] {
		scatterInOrder[T](axis, out, index, src)
		return nil
	}
	scatterLines(c, kern.AddLine[T])
	return nil
}

// scatter makes a kernel of what becomes of out[…, index[…, i, …], …] and src[…, i, …].
//
//go:noinline
func scatter[T dtype.Element](join kern.ScatterLine[T]) Kernel {
	return func(c *backend.Call) error {
		axis := axisOf(c)
		if err := checkIndex(&c.In()[0], axis, c.Out()[0].Layout.Shape()[axis]); err != nil {
			return err
		}
		if c.In()[0].Layout.Size() > 0 {
			scatterLines(c, join)
		}
		return nil
	}
}

// scatterLines shares lines among threads, so that elements that meet do so in the order of the index.
func scatterLines[T dtype.Element](c *backend.Call, join kern.ScatterLine[T]) {
	axis := axisOf(c)
	out, index, src := &c.Out()[0], &c.In()[0], &c.In()[1]
	n := index.Layout.Shape()[axis]
	dst, to, from := data[T](out), data[int64](index), data[T](src)
	dstStep, toStep, fromStep := out.Layout.Strides()[axis], index.Layout.Strides()[axis], src.Layout.Strides()[axis]
	var l lines
	l.init(axis, index, out, src)
	par.For(l.count, max(grain/n, 1), func(lo, hi int) {
		l.each(lo, hi, func(at *[layout.MaxOperands]int) {
			join(dst[at[1]:], from[at[2]:], to[at[0]:], n, dstStep, fromStep, toStep)
		})
	})
}

// scatterInOrder shares lines among threads, so that the sums that meet in one element are added in order.
func scatterInOrder[T dtype.Number](axis int, out, index, src *backend.View) {
	outer, n, inner := layout.Around(index.Layout.Shape(), axis)
	extent := out.Layout.Shape()[axis]
	dst, to, from := dense[T](out), dense[int64](index), dense[T](src)
	switch {
	case n*inner == 1:
		par.For(outer, grain, func(lo, hi int) { kern.AddAt(dst[lo*extent:], from[lo:hi], to[lo:hi], 1, extent) })
	case inner == 1:
		par.For(outer, max(grain/n, 1), func(lo, hi int) {
			for o := lo; o < hi; o++ {
				kern.AddAt(dst[o*extent:(o+1)*extent], from[o*n:(o+1)*n], to[o*n:(o+1)*n], 1, 0)
			}
		})
	default:
		par.For(outer*inner, columns(outer*inner, n), func(lo, hi int) {
			for lo < hi {
				o, k := lo/inner, lo%inner
				cols := min(inner-k, hi-lo)
				for i := range n {
					at := (o*n+i)*inner + k
					kern.AddAt(dst[o*extent*inner+k:], from[at:at+cols], to[at:at+cols], inner, 1)
				}
				lo += cols
			}
		})
	}
}

// columns returns how many of n columns of so many elements each a thread takes: no fewer than keep lines of memory whole.
func columns(n, elems int) int {
	const fewest = 32
	threads := par.NumThreads()
	return max((n+threads-1)/threads, grain/elems, fewest)
}
