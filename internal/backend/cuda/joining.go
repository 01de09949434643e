package cuda

import (
	"math"

	"cresset/dtype"
	"cresset/internal/backend"
	"cresset/internal/backend/cuda/kernels"
	"cresset/internal/layout"
	"cresset/internal/op"
)

// A joiner is the kernels that join elements with those of a result that an index names: of rows and of lines, a thread for what may
// meet, or by indexes that were sorted, a thread for what does meet. In each, elements that meet are joined in the order of the
// index.
type joiner struct{ rows, lines, sorted kernelID }

// sortedFrom is the number of indexes from which it is faster to sort them.
const sortedFrom = 1024

var indexSorter = newSorter(dtype.Int64)

// indexAdd is out[o][index[i]][k] += src[o][i][k], and for put_rows = src[o][i][k].
func (j *joiner) indexAdd(d *Device, c *backend.Call, _ kernelID) error {
	axis, _ := c.Params.(op.Axis)
	return j.addRows(d, c, axis.Axis, math.MinInt64)
}

// embeddingGrad is out[r] = Σ dy[i] over index[i] = r, and 0 for the padding row.
func (j *joiner) embeddingGrad(d *Device, c *backend.Call, _ kernelID) error {
	out := &c.Out()[0]
	if n := out.Layout.Size(); n > 0 {
		if err := d.zero(address(out), n*out.DType.Size()); err != nil {
			return err
		}
	}
	skip := int64(c.Params.(op.Lookup).Padding)
	if skip < 0 {
		skip = math.MinInt64
	}
	return j.addRows(d, c, 0, skip)
}

// addRows adds the rows of in[1] to those rows of the result that in[0] names; the result is contiguous.
func (j *joiner) addRows(d *Device, c *backend.Call, axis int, skip int64) error {
	out, index, src := &c.Out()[0], &c.In()[0], &c.In()[1]
	if src.Layout.Size() == 0 || out.Layout.Size() == 0 {
		return nil
	}
	s, p := rowsParams.begin(d)
	defer s.free()
	outer, n, inner := layout.Around(out.Layout.Shape(), axis)
	*p = kernels.Rows{
		Outer: uint64(outer), Count: uint64(index.Layout.Size()), Extent: uint64(n), Inner: uint64(inner),
		Out: address(out), In: s.packed(src), Index: s.packed(index), Skip: skip, Report: d.report(c),
	}
	if p.Count >= sortedFrom {
		return j.bySorted(&s, p)
	}
	return issue(&s, j.rows, kernels.AddRowsGrid(uint64(outer*inner), d.properties.Multiprocessors), p)
}

// bySorted sorts the indexes, and joins by them.
func (j *joiner) bySorted(s *scratch, p *kernels.Rows) error {
	p.Sorted, p.Places = s.take(int(p.Count)*8).ptr, s.take(int(p.Count)*8).ptr
	o := sortParams.take()
	defer sortParams.give(o)
	*o = kernels.Sort{Outer: 1, N: p.Count, Inner: 1, K: p.Count, In: p.Index}
	if err := indexSorter.sort(s, o, 8, p.Sorted, p.Places); err != nil {
		return err
	}
	return issue(s, j.sorted, s.device.flat(int(p.Count*p.Outer*p.Inner)), p)
}

// scatter is out[index[i]] = in[i] along lines, or what becomes of both.
func (j *joiner) scatter(d *Device, c *backend.Call, _ kernelID) error {
	out, index, src := &c.Out()[0], &c.In()[0], &c.In()[1]
	views := [3]*backend.View{out, src, index}
	if n := index.Layout.Size(); n >= sortedFrom && isLine(views, c.Params.(op.Axis).Axis) {
		s, p := rowsParams.begin(d)
		defer s.free()
		*p = kernels.Rows{
			Outer: 1, Count: uint64(n), Extent: uint64(out.Layout.Size()), Inner: 1,
			Out: address(out), In: address(src), Index: address(index), Skip: math.MinInt64, Report: d.report(c),
		}
		return j.bySorted(&s, p)
	}
	return alongLines(d, c, j.lines, views, out, false)
}

// isLine reports whether all that operands have along an axis is one line of neighbours.
func isLine(views [3]*backend.View, axis int) bool {
	for _, v := range views {
		if l := v.Layout; l.Size() != l.Shape()[axis] || l.Strides()[axis] != 1 {
			return false
		}
	}
	return true
}
