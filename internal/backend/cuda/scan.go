package cuda

import (
	"errors"

	"cresset/dtype"
	"cresset/internal/backend"
	"cresset/internal/backend/cuda/kernels"
	"cresset/internal/layout"
	"cresset/internal/op"
)

func (t *table) addScans() {
	for _, dt := range numbers {
		for _, o := range append([]op.Op{op.CumMax, op.CumMin}, scans...) {
			t[o][dt] = row{launch: newScanner(o.String(), dt).launch}
		}
	}
	for _, dt := range floats {
		t[op.CumSumGrad][dt] = row{launch: newScanner("cumsum_grad", dt).launch}
		t[op.LogCumSumExp][dt] = row{launch: newScanner("logcumsumexp", dt).launch}
		p := &productGradient{newScanner("prod_before", dt), newScanner("prod_behind", dt)}
		t[op.ProdGrad][dt] = row{launch: p.launch}
	}
}

// scanner is the kernels of a scan: a row of threads for each run of contiguous elements, or neighbouring runs side by side.
type scanner struct{ rows, columns kernelID }

func newScanner(name string, dt dtype.DType) *scanner {
	return &scanner{typed(name+"_rows", dt), typed(name+"_columns", dt)}
}

var scanParams paramPool[kernels.Scan]

// launch scans along one axis; the results, of which a second one is of places in their runs, are fresh.
func (o *scanner) launch(d *Device, c *backend.Call, _ kernelID) error {
	in := &c.In()[0]
	if in.Layout.Size() == 0 {
		return nil
	}
	s, p := scanParams.begin(d)
	defer s.free()
	outer, n, inner := layout.Around(in.Layout.Shape(), c.Params.(op.Axis).Axis)
	*p = kernels.Scan{Outer: uint64(outer), N: uint64(n), Inner: uint64(inner), In: s.packed(in), Out: address(&c.Out()[0])}
	if len(c.Out()) > 1 {
		p.Index = address(&c.Out()[1])
	}
	return o.issue(&s, p)
}

// issue launches the form for the shape. Where runs are long and few each is cut into parts, and a launch before leaves what the elements
// of each part come to.
func (o *scanner) issue(s *scratch, p *kernels.Scan) error {
	d, runs := s.device, p.Outer*p.Inner
	k := o.columns
	g, parts, part := kernels.ScanGrid(runs, p.N, d.properties.Multiprocessors)
	if p.Inner == 1 && p.N > 32 {
		k = o.rows
		parts, part = kernels.Parts(runs, p.N, false, d.properties.Multiprocessors)
		ok := false
		if g, ok = kernels.RowGrid(runs*parts, part); !ok {
			return errors.New("cuda: more runs than one launch takes")
		}
	}
	p.Parts, p.Part, p.To, p.From = parts, part, 0, 0
	if parts > 1 {
		p.To = s.take(int(runs*parts) * kernels.AccumulatorBytes).ptr
		if err := issue(s, k, g, p); err != nil {
			return err
		}
		p.To, p.From = 0, p.To
	}
	return issue(s, k, g, p)
}

// along scans packed operands.
func (o *scanner) along(d *Device, operands kernels.Scan) error {
	s, p := scanParams.begin(d)
	defer s.free()
	*p = operands
	return o.issue(&s, p)
}

// productGradient is the scans of the products before each element and of those behind it.
type productGradient struct{ before, behind *scanner }

// launch is the gradient of a product, of dy and the operand.
func (o *productGradient) launch(d *Device, c *backend.Call, _ kernelID) error {
	return d.spreadRuns(c, &c.In()[2], func(s *scratch, r *kernels.Runs) error {
		p := scanParams.take()
		defer scanParams.give(p)
		*p = kernels.Scan{Outer: r.Outer, N: r.N, Inner: r.Inner, In: r.In, Out: r.Out, Dy: s.packed(&c.In()[0])}
		before := s.take(int(r.Outer*r.N*r.Inner) * c.DType.Size()).ptr
		out := p.Out
		p.Out = before
		if err := o.before.issue(s, p); err != nil {
			return err
		}
		p.Out, p.Dy = out, before
		return o.behind.issue(s, p)
	})
}
