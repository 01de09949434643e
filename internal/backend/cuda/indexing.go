package cuda

import (
	"math"

	"cresset/dtype"
	"cresset/internal/backend"
	"cresset/internal/backend/cuda/kernels"
	"cresset/internal/layout"
	"cresset/internal/op"
)

// Indexes are int64. Kernels check them and report: PyTorch's device-side assert.

func (t *table) addIndexing() {
	for dt := dtype.Bool; dt < dtype.Count; dt++ {
		t[op.IndexSelect][dt] = row{takeRows, sized("take", dt)}
		t[op.Embedding][dt] = t[op.IndexSelect][dt]
		t[op.Gather][dt] = row{gather, sized("gather", dt)}
		lines := &joiner{lines: sized("scatter", dt), sorted: sized("scatter_sorted", dt)}
		t[op.Scatter][dt] = row{launch: lines.scatter}
		rows := &joiner{rows: sized("put_rows", dt), sorted: sized("put_sorted", dt)}
		t[op.IndexCopy][dt] = row{launch: rows.indexAdd}
		t[op.Tril][dt] = row{triangle, sized("tril", dt)}
		t[op.Triu][dt] = row{triangle, sized("triu", dt)}
	}
	t[op.OneHot][dtype.Int64] = row{oneHot, sized("pick", dtype.Int64)}
	m := &maskSearch{typed("nonzero_count", dtype.Bool), typed("nonzero", dtype.Bool)}
	t[op.NonZero][dtype.Bool] = row{launch: m.launch}
	t[op.RavelIndex][dtype.Int64] = row{ravel, typed("ravel", dtype.Int64)}
	for _, dt := range numbers {
		t[op.SearchSorted][dt] = row{searchSorted, typed("search", dt)}
		for o, name := range map[op.Op]string{
			op.ScatterAdd: "add", op.ScatterProd: "prod", op.ScatterAMax: "amax", op.ScatterAMin: "amin",
		} {
			j := &joiner{lines: typed("scatter_"+name, dt), chunks: typed("scatter_"+name+"_chunks", dt), sorted: typed("scatter_"+name+"_sorted", dt), joins: true}
			t[o][dt] = row{launch: j.scatter}
		}
		rows := &joiner{rows: typed("add_rows", dt), chunks: typed("add_chunks", dt), sorted: typed("add_sorted", dt), joins: true}
		t[op.IndexAdd][dt] = row{launch: rows.indexAdd}
		t[op.EmbeddingGrad][dt] = row{launch: rows.embeddingGrad}
	}
}

var (
	rowsParams     paramPool[kernels.Rows]
	linesParams    paramPool[kernels.Lines]
	triangleParams paramPool[kernels.Triangle]
)

// report tells kernels where to report faults of a call.
func (d *Device) report(c *backend.Call) kernels.Report {
	return kernels.Report{Word: d.fault.ptr, Tag: uint32(c.Op)}
}

// takeRows is out[o][i][k] = x[o][index[i]][k].
func takeRows(d *Device, c *backend.Call, k kernelID) error {
	out, x, index := &c.Out()[0], &c.In()[0], &c.In()[1]
	if out.Layout.Size() == 0 {
		return nil
	}
	axis, _ := c.Params.(op.Axis)
	outer, n, inner := layout.Around(x.Layout.Shape(), axis.Axis)
	return moveRows(d, [2]*backend.View{x, index}, func(in, index uint64) error {
		p := rowsParams.take()
		defer rowsParams.give(p)
		*p = kernels.Rows{
			Outer: uint64(outer), Count: uint64(c.In()[1].Layout.Size()), Extent: uint64(n), Inner: uint64(inner),
			Out: address(out), In: in, Index: index, Report: d.report(c),
		}
		return launch(d, k, d.flat(out.Layout.Size()), p)
	})
}

// moveRows packs two operands for body.
func moveRows(d *Device, views [2]*backend.View, body func(in, index uint64) error) error {
	s := scratch{device: d}
	defer s.free()
	in, index := s.packed(views[0]), s.packed(views[1])
	if s.err != nil {
		return s.err
	}
	return body(in, index)
}

// ravel is out = out·Extent + index.
func ravel(d *Device, c *backend.Call, k kernelID) error {
	out := &c.Out()[0]
	if out.Layout.Size() == 0 {
		return nil
	}
	p := elementwiseParams.take()
	defer elementwiseParams.give(p)
	p.Scalars, p.Report = scalarsOf(c), d.report(c)
	return d.spread(k, p, out, []backend.View{*out, c.In()[0]})
}

// gather is out[i] = in[index[i]] along lines.
func gather(d *Device, c *backend.Call, k kernelID) error {
	out, src, index := &c.Out()[0], &c.In()[0], &c.In()[1]
	return alongLines(d, c, k, [3]*backend.View{out, src, index}, src, order{}, index.Layout.Shape()[c.Params.(op.Axis).Axis])
}

// An order is where an index's elements lie sorted, line by line, the places that they had, and what chunks of them are joined to, level by level.
type order struct {
	sorted, places, joined uint64
	level                  uint32
}

// alongLines launches over the lines of the index, with so many threads for each; indexed is the operand that the index looks into.
func alongLines(d *Device, c *backend.Call, k kernelID, views [3]*backend.View, indexed *backend.View, o order, threads int) error {
	index := views[2].Layout
	if index.Size() == 0 {
		return nil
	}
	axis := c.Params.(op.Axis).Axis
	p := linesParams.take()
	defer linesParams.give(p)
	*p = kernels.Lines{
		N: uint64(index.Shape()[axis]), Extent: uint64(indexed.Layout.Shape()[axis]),
		Out: address(views[0]), In: address(views[1]), Index: address(views[2]),
		Sorted: o.sorted, Places: o.places, Joined: o.joined, Level: o.level, Report: d.report(c),
	}
	for i, v := range views {
		p.Steps[i] = int64(v.Layout.Strides()[axis])
	}
	l := lineLoop{device: d, kernel: k, params: p, views: views, threads: uint64(threads)}
	if !l.addAxes(index.Shape(), axis) {
		return &backend.MissingKernelError{Op: c.Op, DType: c.DType, GPU: true} // of so many axes
	}
	return l.launch(int(p.Rank))
}

// lineLoop launches a kernel over lines, of which one launch takes fewer than 2**32.
type lineLoop struct {
	device  *Device
	kernel  kernelID
	params  *kernels.Lines
	views   [3]*backend.View
	extents [kernels.MaxRank]int // of the axes beside the one that is indexed, innermost first
	threads uint64               // that a line wants
}

// addAxes fills in the axes beside the one that is indexed. It returns false where there are too many.
func (l *lineLoop) addAxes(shape layout.Shape, axis int) bool {
	p := l.params
	for i := len(shape) - 1; i >= 0; i-- {
		if i == axis || shape[i] == 1 {
			continue
		}
		if p.Rank == kernels.MaxRank {
			return false
		}
		l.extents[p.Rank] = shape[i]
		for j, v := range l.views {
			p.Strides[j][p.Rank] = int64(v.Layout.Strides()[i])
		}
		p.Rank++
	}
	return true
}

// launch covers the first rank axes, the outermost of them in pieces where the lines are too many.
func (l *lineLoop) launch(rank int) error {
	p := l.params
	p.Rank, p.Lines = uint32(rank), 1
	if rank == 0 {
		return launch(l.device, l.kernel, l.device.flat(int(l.threads)), p)
	}
	inner := uint64(1) // lines of an index of the outermost axis
	for i, n := range l.extents[:rank-1] {
		inner *= uint64(n)
		p.Extents[i] = uint32(n)
	}
	extent, step := l.extents[rank-1], 1
	if inner <= math.MaxUint32 {
		step = int(min(uint64(extent), math.MaxUint32/inner))
	}
	from := [3]uint64{p.Out, p.In, p.Index}
	for i := 0; i < extent; i += step {
		for j, at := range [3]*uint64{&p.Out, &p.In, &p.Index} {
			*at = from[j] + uint64(i)*uint64(p.Strides[j][rank-1])*uint64(l.views[j].DType.Size())
		}
		err := error(nil)
		if inner <= math.MaxUint32 {
			n := uint64(min(step, extent-i))
			p.Rank, p.Extents[rank-1], p.Lines = uint32(rank), uint32(n), n*inner
			err = launch(l.device, l.kernel, l.device.flat(int(p.Lines*l.threads)), p)
		} else {
			err = l.launch(rank - 1)
		}
		if err != nil {
			return err
		}
	}
	p.Out, p.In, p.Index = from[0], from[1], from[2]
	return nil
}

// triangle keeps one side of a diagonal.
func triangle(d *Device, c *backend.Call, k kernelID) error {
	out, in := &c.Out()[0], &c.In()[0]
	n, shape := out.Layout.Size(), out.Layout.Shape()
	if n == 0 {
		return nil
	}
	s, p := triangleParams.begin(d)
	defer s.free()
	*p = kernels.Triangle{
		N: uint64(n), Rows: uint64(shape[len(shape)-2]), Cols: uint64(shape[len(shape)-1]),
		Out: address(out), In: s.packed(in), Diagonal: int64(c.Params.(op.Triangle).Offset),
	}
	return issue(&s, k, d.flat(n), p)
}
