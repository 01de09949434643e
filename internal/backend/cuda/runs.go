package cuda

import (
	"cresset/dtype"
	"cresset/internal/backend"
	"cresset/internal/backend/cuda/kernels"
	"cresset/internal/layout"
	"cresset/internal/op"
)

// Variances, norms and their like, running sums, and the gradients of reductions: kernels over runs of packed operands.

func (t *table) addRuns() {
	for _, dt := range floats {
		for o, name := range map[op.Op]string{op.Var: "var", op.Std: "std", op.Norm: "norm", op.LogSumExp: "log_sum_exp"} {
			t[o][dt] = row{moment, typed(name, dt)}
		}
		for o, name := range map[op.Op]string{
			op.VarGrad: "var_grad", op.StdGrad: "std_grad", op.NormGrad: "norm_grad", op.LogSumExpGrad: "log_sum_exp_grad",
			op.ShareGrad: "share_grad",
		} {
			t[o][dt] = row{spreadGrad(inRows), typed(name, dt)}
		}
		t[op.ProdGrad][dt] = row{spreadGrad(inThreads), typed("prod_grad", dt)}
		t[op.CumSumGrad][dt] = row{launch: newScanner("cumsum_grad", dt).launch}
		t[op.LogCumSumExp][dt] = row{running, typed("logcumsumexp", dt)}
		t[op.PickGrad][dt] = row{pickGrad, sized("pick", dt)}
	}
	for _, dt := range []dtype.DType{dtype.Float16, dtype.BFloat16} { // moved, not computed with
		t[op.PickGrad][dt] = row{pickGrad, sized("pick", dt)}
	}
	for _, dt := range numbers {
		for _, o := range scans {
			t[o][dt] = row{launch: newScanner(o.String(), dt).launch}
		}
		for _, o := range []op.Op{op.CumMax, op.CumMin} {
			t[o][dt] = row{running, typed(o.String(), dt)}
		}
	}
}

var runsParams paramPool[kernels.Runs]

// runsLauncher shares runs among threads.
type runsLauncher func(d *Device, k kernelID, p *kernels.Runs) error

// inRows gives each run a row of threads.
func inRows(d *Device, k kernelID, p *kernels.Runs) error {
	return launchRows(d, k, p.Outer*p.Inner, p.N, p)
}

// inThreads gives each run a thread.
func inThreads(d *Device, k kernelID, p *kernels.Runs) error {
	return launch(d, k, d.flat(int(p.Outer*p.Inner)), p)
}

// runs fills in the extents and packs the operand v.
func (s *scratch) runs(p *kernels.Runs, c *backend.Call, v *backend.View, m layout.Middle) error {
	*p = kernels.Runs{Outer: uint64(m.Outer), N: uint64(m.N), Inner: uint64(m.Inner), Report: s.device.report(c)}
	if r, ok := c.Params.(op.Reduce); ok {
		switch c.Op {
		case op.Norm, op.NormGrad:
			p.X = r.P
		default:
			p.X = r.Correction
		}
	}
	p.In = s.packed(&backend.View{Buf: v.Buf, Layout: &m.Layout, DType: v.DType})
	return s.err
}

// moment makes one number of each run.
func moment(d *Device, c *backend.Call, k kernelID) error {
	s, p := runsParams.begin(d)
	defer s.free()
	in := &c.In()[0]
	if err := s.runs(p, c, in, layout.MiddleOf(*in.Layout, c.Axes())); err != nil {
		return err
	}
	if p.Outer*p.Inner == 0 {
		return nil
	}
	p.Out = address(&c.Out()[0])
	return inRows(d, k, p)
}

// scanner is the kernels of a scan: a thread for each run, or a row of them for each run of contiguous elements.
type scanner struct{ threads, rows kernelID }

func newScanner(name string, dt dtype.DType) *scanner {
	return &scanner{typed(name, dt), typed(name+"_rows", dt)}
}

func (o *scanner) launch(d *Device, c *backend.Call, _ kernelID) error {
	shape, axis := c.In()[0].Layout.Shape(), c.Params.(op.Axis).Axis
	if outer, n, inner := layout.Around(shape, axis); inner == 1 && n > 32 && outer > 0 {
		return scanRuns(d, c, o.rows, inRows)
	}
	return scanRuns(d, c, o.threads, inThreads)
}

// running maps runs along one axis to runs of the same length, a second one of places among them; the results are fresh.
func running(d *Device, c *backend.Call, k kernelID) error { return scanRuns(d, c, k, inThreads) }

func scanRuns(d *Device, c *backend.Call, k kernelID, share runsLauncher) error {
	s, p := runsParams.begin(d)
	defer s.free()
	in := &c.In()[0]
	outer, n, inner := layout.Around(in.Layout.Shape(), c.Params.(op.Axis).Axis)
	if err := s.runs(p, c, in, layout.Middle{Layout: *in.Layout, Outer: outer, N: n, Inner: inner}); err != nil {
		return err
	}
	if in.Layout.Size() == 0 {
		return nil
	}
	p.Out = address(&c.Out()[0])
	if len(c.Out()) > 1 {
		p.Index = address(&c.Out()[1])
	}
	return share(d, k, p)
}

// spreadGrad is the gradient of a reduction: of dy and a value y of the reduced shape, and the operand.
func spreadGrad(share runsLauncher) launcher {
	return func(d *Device, c *backend.Call, k kernelID) error {
		return d.spreadRuns(c, &c.In()[2], func(s *scratch, p *kernels.Runs) error {
			p.Dy, p.Y = s.packed(&c.In()[0]), s.packed(&c.In()[1])
			if s.err != nil {
				return s.err
			}
			return share(d, k, p)
		})
	}
}

// pickGrad puts dy where the index says, and zeros elsewhere.
func pickGrad(d *Device, c *backend.Call, k kernelID) error {
	return d.spreadRuns(c, &c.Out()[0], func(s *scratch, p *kernels.Runs) error {
		p.Dy, p.Index = s.packed(&c.In()[0]), s.packed(&c.In()[1])
		return issue(s, k, d.flat(c.Out()[0].Layout.Size()), p)
	})
}

// oneHot puts 1 where the index says, and zeros elsewhere along a new last axis.
func oneHot(d *Device, c *backend.Call, k kernelID) error {
	s, p := runsParams.begin(d)
	defer s.free()
	out, index := &c.Out()[0], &c.In()[0]
	if out.Layout.Size() == 0 {
		return nil
	}
	n := index.Layout.Size()
	*p = kernels.Runs{Outer: uint64(n), N: uint64(out.Layout.Size() / n), Inner: 1, Out: address(out), Index: s.packed(index), Report: d.report(c)}
	return issue(&s, k, d.flat(out.Layout.Size()), p)
}

// spreadRuns hands body the runs of an operand and the result, which passes through a copy where its axes were moved.
func (d *Device) spreadRuns(c *backend.Call, v *backend.View, body func(s *scratch, p *kernels.Runs) error) error {
	out := &c.Out()[0]
	if out.Layout.Size() == 0 {
		return nil
	}
	s, p := runsParams.begin(d)
	defer s.free()
	m := layout.MiddleOf(*v.Layout, c.Axes())
	if err := s.runs(p, c, v, m); err != nil {
		return err
	}
	p.Out = address(out)
	if m.Moved {
		p.Out = s.take(out.Layout.Size() * out.DType.Size()).ptr
	}
	if err := body(&s, p); err != nil || !m.Moved {
		return err
	}
	return s.unpack(&backend.View{Buf: out.Buf, Layout: new(layout.MiddleOf(*out.Layout, c.Axes()).Layout), DType: out.DType}, p.Out)
}
