package cuda

import (
	"errors"
	"slices"

	"cresset/dtype"
	"cresset/internal/backend"
	"cresset/internal/backend/cuda/kernels"
	"cresset/internal/layout"
	"cresset/internal/op"
)

// reducer is the two kernels of a reduction: a row of threads for each result, or neighbouring results side by side.
type reducer struct {
	rows, columns kernelID
	index         int // of the result that takes the extreme element's place, -1 for none
	value         int // of the result that takes the value, -1 for none
}

func (t *table) addReductions() {
	numbers, floats := append(numbers[:len(numbers):len(numbers)], halves...), append(floats[:2:2], halves...)
	for _, o := range reductions {
		t.addReduction(o, o.String(), numbers, reducer{index: -1})
	}
	for _, o := range floatReductions {
		t.addReduction(o, o.String(), floats, reducer{index: -1})
	}
	for _, best := range []struct {
		function                 string
		all, axes, pair, indices op.Op
	}{{"max", op.Max, op.AMax, op.MaxAxis, op.ArgMax}, {"min", op.Min, op.AMin, op.MinAxis, op.ArgMin}} {
		t.addReduction(best.all, best.function, numbers, reducer{index: -1})
		t.addReduction(best.axes, best.function, numbers, reducer{index: -1})
		t.addReduction(best.pair, best.function, numbers, reducer{index: 1})
		t.addReduction(best.indices, best.function, numbers, reducer{value: -1})
	}
}

// addReduction adds an op by the function that its kernels are named for.
func (t *table) addReduction(o op.Op, function string, dtypes []dtype.DType, r reducer) {
	for _, dt := range dtypes {
		r.rows, r.columns = typed(function, dt), typed(function+"_columns", dt)
		t[o][dt] = row{launch: new(r).launch}
		if o == op.SumAxes && slices.Contains(halves, dt) { // those of integers are of int64 by themselves
			t[o][dt].launch = cast(t[o][dt].launch)
		}
	}
}

var reductionParams paramPool[kernels.Reduction]

func (r *reducer) launch(d *Device, c *backend.Call, _ kernelID) error {
	s, p := reductionParams.begin(d)
	defer s.free()
	*p = kernels.Reduction{Parts: 1}
	if err := s.reduced(p, &c.In()[0], c.Axes()); err != nil {
		return err
	}
	if r.value >= 0 {
		p.Out = address(&c.Out()[r.value])
	}
	if r.index >= 0 {
		p.Index = address(&c.Out()[r.index])
	}
	return r.issue(&s, p)
}

// issue launches a form, in parts where results are few and runs long.
func (r *reducer) issue(s *scratch, p *kernels.Reduction) error {
	d := s.device
	p.Total = p.N
	results := p.Outer * p.Inner
	if results == 0 {
		return nil
	}
	columns := d.inColumns(results, p.N, p.Inner)
	p.Parts, p.Part = kernels.Parts(results, p.N, columns, d.properties.Multiprocessors)
	if p.Parts == 1 {
		return r.once(d, p, results, columns)
	}
	p.To = s.take(int(results*p.Parts) * kernels.AccumulatorBytes).ptr
	if s.err != nil {
		return s.err
	}
	if columns && kernels.ColumnBlocks(results) <= countersOfStream {
		p.Counter = d.firstCounter() + 1
		return r.once(d, p, results, columns)
	}
	if err := r.once(d, p, results, columns); err != nil {
		return err
	}
	p.From, p.To, p.N, p.Parts = p.To, 0, p.Parts, 1
	return r.once(d, p, results, columns || p.N < 32)
}

// inColumns reports whether neighbouring threads take neighbouring results of a reduction of [outer][n][inner].
func (d *Device) inColumns(results, n, inner uint64) bool {
	if inner >= 16 || !kernels.PrefersColumns(n, inner) {
		return kernels.PrefersColumns(n, inner)
	}
	parts, _ := kernels.Parts(results, n, false, d.properties.Multiprocessors) // in rows: there, neighbours would leave much of a sector to others
	return parts <= 1
}

// once launches the kernel of rows or that of columns for every part.
func (r *reducer) once(d *Device, p *kernels.Reduction, results uint64, columns bool) error {
	if columns {
		g, ok := kernels.ColumnGrid(results, p.Parts)
		return launchRuns(d, r.columns, g, ok, p)
	}
	return launchRows(d, r.rows, results*p.Parts, p.N/p.Parts, p)
}

// launchRows launches a row of threads for each of some runs of n elements.
func launchRows[P any](d *Device, k kernelID, runs, n uint64, p *P) error {
	g, ok := kernels.RowGrid(runs, n)
	return launchRuns(d, k, g, ok, p)
}

// launchHeld launches a row of threads for each of some runs of n elements of 4 bytes, which its registers hold.
func launchHeld[P any](d *Device, k kernelID, runs, n uint64, p *P) error {
	g, ok := kernels.HeldGrid(runs, n)
	return launchRuns(d, k, g, ok, p)
}

// launchRuns launches over runs, unless they are more than one launch takes.
func launchRuns[P any](d *Device, k kernelID, g kernels.Grid, ok bool, p *P) error {
	if !ok {
		return errors.New("cuda: more runs than one launch takes")
	}
	return launch(d, k, g, p)
}

// reduced describes the operand as [outer][n][inner], of which n is reduced; where its strides do not allow that it is
// packed.
func (s *scratch) reduced(p *kernels.Reduction, v *backend.View, axes uint32) error {
	l := *v.Layout
	first, last, count := layout.AxisRange(l.Rank(), axes)
	if count > 0 && last-first+1 != count {
		l = l.ReducedLast(axes)
		first, last = l.Rank()-count, l.Rank()-1
	}
	if count == 0 {
		first, last = l.Rank(), l.Rank()-1
	}
	groups := [3][2]int{{0, first}, {first, last + 1}, {last + 1, l.Rank()}}
	var extents [3]int
	for again := false; ; again = true {
		together := true
		for i, g := range groups {
			step, ok := 0, false
			extents[i], step, ok = merged(l, g[0], g[1])
			p.Strides[i] = int64(step)
			together = together && ok
		}
		if together || again {
			break
		}
		view := backend.View{Buf: v.Buf, Layout: &l, DType: v.DType}
		p.In, l = s.packed(&view), layout.Contiguous(l.Shape())
	}
	if p.In == 0 {
		p.In = address(v)
	}
	p.Outer, p.N, p.Inner = uint64(extents[0]), uint64(extents[1]), uint64(extents[2])
	return s.err
}

// merged sees the axes from first to last as one, if their strides allow it.
func merged(l layout.Layout, first, last int) (extent, step int, ok bool) {
	extent, step, ok = 1, 0, true
	for i := last - 1; i >= first; i-- {
		n := l.Shape()[i]
		switch {
		case n == 1:
		case extent == 1:
			step = l.Strides()[i]
		case l.Strides()[i] != step*extent:
			ok = false
		}
		extent *= n
	}
	return extent, step, ok
}
