package cuda

import (
	"math"

	"cresset/dtype"
	"cresset/internal/backend"
	"cresset/internal/backend/cuda/kernels"
	"cresset/internal/layout"
	"cresset/internal/op"
)

// A joiner is the kernels that join elements with those of a result that an index names: rows or lines, by a thread for what may
// meet, or by indexes that were sorted, by a thread for what does meet, ahead of which chunks that meet in one place are joined, level by level. In each, elements
// that meet are joined in an order that the index tells.
type joiner struct {
	rows, lines, chunks, sorted kernelID
	joins                       bool // else the last of those that meet stays, and there is no kernel for chunks
}

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
		return j.bySorted(&s, p, out.DType.Size())
	}
	return issue(&s, j.rows, kernels.AddRowsGrid(uint64(outer*inner), d.properties.Multiprocessors), p)
}

// bySorted sorts the indexes, and joins by them elements of a size.
func (j *joiner) bySorted(s *scratch, p *kernels.Rows, size int) error {
	columns := int(p.Outer * p.Inner)
	p.Sorted, p.Places = s.take(int(p.Count)*8).ptr, s.take(int(p.Count)*8).ptr
	if j.joins {
		p.Joined = s.take(int(p.Count) / kernels.SortedChunk * columns * size).ptr
	}
	o := sortParams.take()
	defer sortParams.give(o)
	*o = kernels.Sort{Outer: 1, N: p.Count, Inner: 1, K: p.Count, In: p.Index, Most: p.Extent}
	if err := indexSorter.sort(s, o, p.Sorted, p.Places); err != nil {
		return err
	}
	if j.joins {
		err := kernels.ChunkLevels(int(p.Count), func(level uint32, chunks int) error {
			p.Level = level
			return issue(s, j.chunks, s.device.flat(chunks*columns), p)
		})
		if err != nil {
			return err
		}
	}
	return issue(s, j.sorted, s.device.flat(int(p.Count)*columns), p)
}

// scatter is out[index[i]] = in[i] along lines, or what becomes of both. Where lines are too few to fill the device, their long indexes are sorted.
func (j *joiner) scatter(d *Device, c *backend.Call, _ kernelID) error {
	out, index, src := &c.Out()[0], &c.In()[0], &c.In()[1]
	views := [3]*backend.View{out, src, index}
	axis := c.Params.(op.Axis).Axis
	n := index.Layout.Shape()[axis]
	if n < sortedFrom || index.Layout.Size()/n > d.properties.Multiprocessors*256 {
		return alongLines(d, c, j.lines, views, out, order{}, 1)
	}
	s, p := sortParams.begin(d)
	defer s.free()
	count, last := index.Layout.Size(), index.Layout.ReducedLast(1<<axis)
	keys := s.packed(&backend.View{Buf: index.Buf, Layout: &last, DType: index.DType})
	o := order{sorted: s.take(count * 8).ptr, places: s.take(count * 8).ptr}
	if j.joins {
		o.joined = s.take(count / n * (n / kernels.SortedChunk) * out.DType.Size()).ptr
	}
	*p = kernels.Sort{Outer: uint64(count / n), N: uint64(n), Inner: 1, K: uint64(n), In: keys, Most: uint64(out.Layout.Shape()[axis])}
	if err := indexSorter.sort(&s, p, o.sorted, o.places); err != nil {
		return err
	}
	if j.joins {
		err := kernels.ChunkLevels(n, func(level uint32, chunks int) error {
			o.level = level
			return alongLines(d, c, j.chunks, views, out, o, chunks)
		})
		if err != nil {
			return err
		}
	}
	return alongLines(d, c, j.sorted, views, out, o, n)
}
