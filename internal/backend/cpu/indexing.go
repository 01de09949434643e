package cpu

import (
	"fmt"

	"cresset/dtype"
	"cresset/internal/backend"
	"cresset/internal/kern"
	"cresset/internal/layout"
	"cresset/internal/op"
	"cresset/internal/par"
)

// Indexes are int64. They are checked before anything is written, so that a result is whole or was never touched.

func (t *table) addIndexing() {
	for dt := dtype.Bool; dt < dtype.Count; dt++ {
		class := sizeClass(dt)
		t[op.IndexSelect][dt], t[op.Embedding][dt] = indexSelect[class], indexSelect[class]
		t[op.IndexCopy][dt] = indexCopy[class]
		t[op.Tril][dt], t[op.Triu][dt] = tril[class], triu[class]
	}
	addIndexSums[int32](t)
	addIndexSums[int64](t)
	addIndexSums[float32](t)
	addIndexSums[float64](t)
	t[op.RavelIndex][dtype.Int64] = rowMajor(ravelIndex)
	t[op.OneHot][dtype.Int64] = rowMajor(oneHot)
	t[op.NonZero][dtype.Bool] = rowMajor(nonZero)
}

func addIndexSums[T dtype.Number](t *table) {
	dt := dtype.Of[T]()
	t[op.IndexAdd][dt] = rowMajor(indexAdd[T])
	t[op.EmbeddingGrad][dt] = rowMajor(embeddingGrad[T])
	t[op.Sort][dt], t[op.TopK][dt] = sortLines[T], sortLines[T]
	t[op.SearchSorted][dt] = rowMajor(searchSorted[T])
}

// The kernels that only move elements exist once for each element size.
var (
	indexSelect = [4]Kernel{rowMajor(takeRows[uint8]), rowMajor(takeRows[int16]), rowMajor(takeRows[int32]), rowMajor(takeRows[int64])}
	indexCopy   = [4]Kernel{rowMajor(putRows[uint8]), rowMajor(putRows[int16]), rowMajor(putRows[int32]), rowMajor(putRows[int64])}
	tril        = [4]Kernel{triangle(kern.Lower[uint8]), triangle(kern.Lower[int16]), triangle(kern.Lower[int32]), triangle(kern.Lower[int64])}
	triu        = [4]Kernel{triangle(kern.Upper[uint8]), triangle(kern.Upper[int16]), triangle(kern.Upper[int32]), triangle(kern.Upper[int64])}
)

// axisOf returns the axis of a call; without parameters it is the first.
func axisOf(c *backend.Call) int {
	p, _ := c.Params.(op.Axis)
	return p.Axis
}

var errOutside = &backend.IndexError{Text: "index out of range in self"}

// takeRows is out[o][i][k] = x[o][index[i]][k].
func takeRows[T dtype.Element](c *backend.Call) error {
	x, out := &c.In()[0], dense[T](&c.Out()[0])
	axis := axisOf(c)
	_, n, inner := layout.Around(x.Layout.Shape(), axis)
	index := dense[int64](&c.In()[1])
	if _, found := outside(index, n); found {
		return errOutside
	}
	if len(out) == 0 {
		return nil
	}
	src, count := dense[T](x), len(index)
	par.For(len(out)/inner, max(grain/inner, 1), func(lo, hi int) {
		for lo < hi {
			o, i := lo/count, lo%count
			end := min(count, i+hi-lo)
			kern.TakeRows(out[lo*inner:(lo+end-i)*inner], src[o*n*inner:(o+1)*n*inner], index[i:end], inner)
			lo += end - i
		}
	})
	return nil
}

// indexAdd is out[o][index[i]][k] += src[o][i][k].
func indexAdd[T dtype.Number](c *backend.Call) error {
	out, src := &c.Out()[0], &c.In()[1]
	axis := axisOf(c)
	index := dense[int64](&c.In()[0])
	outer, n, inner := layout.Around(out.Layout.Shape(), axis)
	if _, found := outside(index, n); found {
		return errOutside
	}
	if src.Layout.Size() == 0 {
		return nil
	}
	addRows(dense[T](out), dense[T](src), index, outer, n, inner)
	return nil
}

// addRows adds the rows of src to those rows of dst that the index names.
//
//go:noinline
func addRows[T dtype.Number](dst, src []T, index []int64, outer, n, inner int) {
	eachRows(len(index), outer, inner, func(o, lo, hi int) {
		kern.AddRows(dst[o*n*inner:(o+1)*n*inner], src[o*len(index)*inner:], index, inner, lo, hi)
	})
}

// putRows is out[o][index[i]][k] = src[o][i][k].
func putRows[T dtype.Element](c *backend.Call) error {
	out, src := &c.Out()[0], &c.In()[1]
	axis := axisOf(c)
	index := dense[int64](&c.In()[0])
	outer, n, inner := layout.Around(out.Layout.Shape(), axis)
	if bad, found := outside(index, n); found {
		return &backend.IndexError{Text: fmt.Sprintf("index_copy_(): index %d is out of bounds for dimension %d with size %d", bad, axis, n)}
	}
	if src.Layout.Size() == 0 {
		return nil
	}
	dst, from := dense[T](out), dense[T](src)
	eachRows(len(index), outer, inner, func(o, lo, hi int) {
		kern.PutRows(dst[o*n*inner:(o+1)*n*inner], from[o*len(index)*inner:], index, inner, lo, hi)
	})
	return nil
}

// eachRows calls visit for the columns lo … hi of each outer block, of so many rows that an index names: threads share the blocks
// or, where there is only one, its columns.
func eachRows(rows, outer, inner int, visit func(o, lo, hi int)) {
	if outer == 1 {
		par.For(inner, columns(inner, rows), func(lo, hi int) { visit(0, lo, hi) })
		return
	}
	par.For(outer, max(grain/(rows*inner), 1), func(lo, hi int) {
		for o := lo; o < hi; o++ {
			visit(o, 0, inner)
		}
	})
}

// embeddingGrad is out[r] = Σ dy[i] over index[i] = r, and 0 for the padding row.
func embeddingGrad[T dtype.Number](c *backend.Call) error {
	view := &c.Out()[0]
	out, inner := dense[T](view), view.Layout.Shape()[1]
	clear(out)
	index := dense[int64](&c.In()[0])
	if len(index) == 0 || inner == 0 {
		return nil
	}
	addRows(out, dense[T](&c.In()[1]), index, 1, view.Layout.Shape()[0], inner)
	if p := c.Params.(op.Lookup).Padding; p >= 0 {
		clear(out[p*inner : (p+1)*inner])
	}
	return nil
}

// ravelIndex is out = out·Extent + index.
func ravelIndex(c *backend.Call) error {
	p := c.Params.(op.Ravel)
	index := dense[int64](&c.In()[0])
	if bad, found := kern.FindBeyond(index, p.Extent); found {
		if p.Axis < 0 {
			return &backend.IndexError{Text: fmt.Sprintf("out of range: tried to access index %d on a tensor of %d elements.", bad, p.Extent)}
		}
		return outOfBounds(bad, p.Axis, p.Extent)
	}
	kern.Ravel(dense[int64](&c.Out()[0]), index, p.Extent)
	return nil
}

func oneHot(c *backend.Call) error {
	out, index := &c.Out()[0], dense[int64](&c.In()[0])
	classes := out.Layout.Shape()[out.Layout.Rank()-1]
	if bad, found := outside(index, classes); found {
		if bad < 0 {
			return &backend.IndexError{Text: "Class values must be non-negative."}
		}
		return &backend.IndexError{Text: "Class values must be smaller than num_classes."}
	}
	kern.OneHot(dense[int64](out), index, classes)
	return nil
}

func nonZero(c *backend.Call) error {
	in := &c.In()[0]
	kern.NonZero(dense[int64](&c.Out()[0]), dense[bool](in), in.Layout.Shape())
	return nil
}

// triangle makes a kernel over batches of matrices of a loop over the rows of one.
//
//go:noinline
func triangle[T dtype.Element](loop func(dst, src []T, cols, first, k int)) Kernel {
	return rowMajor(func(c *backend.Call) error {
		in := &c.In()[0]
		shape := in.Layout.Shape()
		rows, cols := shape[len(shape)-2], shape[len(shape)-1]
		out, k := dense[T](&c.Out()[0]), c.Params.(op.Triangle).Offset
		if len(out) == 0 {
			return nil
		}
		src := dense[T](in)
		par.For(len(out)/cols, max(grain/cols, 1), func(lo, hi int) {
			for lo < hi {
				first := lo % rows
				end := min(hi, lo+rows-first)
				loop(out[lo*cols:end*cols], src[lo*cols:end*cols], cols, first, k)
				lo = end
			}
		})
		return nil
	})
}
