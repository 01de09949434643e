package cuda

import (
	"cresset/dtype"
	"cresset/internal/backend"
	"cresset/internal/backend/cuda/kernels"
	"cresset/internal/layout"
	"cresset/internal/op"
)

// Variances, norms and their like, and the gradients of reductions: kernels over runs of packed operands.

func (t *table) addRuns() {
	for _, dt := range floats {
		for o, name := range map[op.Op]string{op.Var: "var", op.Std: "std", op.Norm: "norm", op.LogSumExp: "log_sum_exp"} {
			t[o][dt] = row{moment, typed(name, dt)}
		}
		for o, name := range map[op.Op]string{
			op.VarGrad: "var_grad", op.StdGrad: "std_grad", op.NormGrad: "norm_grad", op.LogSumExpGrad: "log_sum_exp_grad",
			op.ShareGrad: "share_grad",
		} {
			t[o][dt] = row{spreadGrad, typed(name, dt)}
		}
		t[op.PickGrad][dt] = row{pickGrad, sized("pick", dt)}
	}
	for _, dt := range []dtype.DType{dtype.Float16, dtype.BFloat16} { // moved, not computed with
		t[op.PickGrad][dt] = row{pickGrad, sized("pick", dt)}
	}
}

var runsParams paramPool[kernels.Runs]

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
	return issueRows(&s, k, p.Outer*p.Inner, p.N, p)
}

// spreadGrad is the gradient of a reduction: of dy and a value y of the reduced shape, and the operand.
func spreadGrad(d *Device, c *backend.Call, k kernelID) error {
	return d.spreadRuns(c, &c.In()[2], func(s *scratch, p *kernels.Runs) error {
		p.Dy, p.Y = s.packed(&c.In()[0]), s.packed(&c.In()[1])
		return issueRows(s, k, p.Outer*p.Inner, p.N, p)
	})
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
