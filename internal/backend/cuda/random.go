package cuda

import (
	"math"

	"cresset/dtype"
	"cresset/internal/backend"
	"cresset/internal/backend/cuda/kernels"
	"cresset/internal/op"
)

func (t *table) addRandom() {
	for _, dt := range append(floats[:2:2], dtype.Float16, dtype.BFloat16) {
		lanes := 4
		if dt == dtype.Float64 {
			lanes = 2
		}
		t[op.Uniform][dt] = row{draw(lanes), typed("uniform", dt)}
		t[op.Normal][dt] = row{draw(lanes), typed("normal", dt)}
		t[op.Exponential][dt] = row{draw(lanes), typed("exponential", dt)}
		t[op.Bernoulli][dt] = row{draw(lanes), typed("bernoulli", dt)}
		t[op.BernoulliTensor][dt] = row{bernoulliEach, typed("bernoulli_each", dt)}
		t[op.RandInt][dt] = row{draw(4), typed("randint", dt)}
		t[op.Dropout][dt] = row{dropout, typed("dropout", dt)}
		t[op.DropoutGrad][dt] = row{dropoutGrad, typed("dropout_grad", dt)}
	}
	p := &permuter{typed("randint", dtype.Int64), newSorter(dtype.Int64)}
	t[op.RandPerm][dtype.Int64] = row{launch: p.launch}
	for _, dt := range append(integers[:3:3], dtype.Int8, dtype.Int16, dtype.Bool) {
		t[op.Bernoulli][dt] = row{draw(4), typed("bernoulli", dt)}
		t[op.RandInt][dt] = row{draw(4), typed("randint", dt)}
	}
}

var drawParams paramPool[kernels.Draw]

// draw launches a distribution of which a thread draws so many elements (lanes) from the words of one Philox call. Which
// element gets which number depends on the grid, which is therefore PyTorch's.
func draw(lanes int) launcher {
	return func(d *Device, c *backend.Call, k kernelID) error {
		return d.draw(c, func(p *kernels.Draw, o op.Draw) error {
			lanes := lanes
			p.A, p.B = o.A, o.B
			if c.Op == op.RandInt {
				setRange(p, o, c.DType)
				if p.Wide != 0 {
					lanes = 2
				}
			}
			g, draws := kernels.DrawGrid(p.N, lanes, d.properties.Multiprocessors, d.properties.MaxThreadsPerSM)
			d.place(p, o, draws)
			return launch(d, k, g, p)
		})
	}
}

// place says where in its generator's stream the launch that follows begins. In a graph each replay takes its own place.
func (d *Device) place(p *kernels.Draw, o op.Draw, draws uint64) {
	g, c := o.Generator.(*Generator), d.captured()
	if c == nil {
		p.Seed, p.Offset = g.take(draws)
		return
	}
	before := g.State()
	seed, offset := g.take(draws)
	p.Seed, p.Offset = seed, offset
	c.renew = &hostStep{
		do: func() error {
			before = g.State()
			seed, offset = g.take(draws)
			return nil
		},
		undo: func() { _ = g.SetState(before) }, // which is a state
		fill: func(params []byte) { p := paramsOf[kernels.Draw](params); p.Seed, p.Offset = seed, offset },
	}
}

// setRange says which integers RandInt draws: from Low to High-1, or all non-negative ones that the dtype holds exactly.
func setRange(p *kernels.Draw, o op.Draw, dt dtype.DType) {
	p.Low, p.Range = o.Low, uint64(o.High)-uint64(o.Low)
	if o.Whole {
		p.Low, p.Range = 0, whole[dt]
	}
	p.Wide = flag(p.Range > math.MaxUint32)
}

// whole is how many non-negative integers a dtype holds exactly, from 0 on.
var whole = [dtype.Count]uint64{
	dtype.Bool: 2, dtype.Uint8: 1 << 8, dtype.Int8: 1 << 7, dtype.Int16: 1 << 15, dtype.Int32: 1 << 31, dtype.Int64: 1 << 63,
	dtype.Float16: 1<<11 + 1, dtype.BFloat16: 1<<8 + 1, dtype.Float32: 1<<24 + 1, dtype.Float64: 1<<53 + 1,
}

// bernoulliEach draws each element with its own probability, with a grid of its own.
func bernoulliEach(d *Device, c *backend.Call, k kernelID) error {
	s := scratch{device: d}
	defer s.free()
	in := s.packed(&c.In()[0])
	return d.draw(c, func(p *kernels.Draw, o op.Draw) error {
		g, draws := kernels.EachGrid(p.N, d.properties.Multiprocessors, d.properties.MaxThreadsPerSM)
		p.In = in
		d.place(p, o, draws)
		return issue(&s, k, g, p)
	})
}

// draw calls body, which launches, with the parameters of a result. Elements are numbered in memory order; a result with gaps
// is drawn contiguously and then copied.
func (d *Device) draw(c *backend.Call, body func(p *kernels.Draw, o op.Draw) error) error {
	out := &c.Out()[0]
	n := out.Layout.Size()
	if n == 0 {
		return nil
	}
	p := drawParams.take()
	defer drawParams.give(p)
	*p = kernels.Draw{N: uint64(n), Report: d.report(c)}
	if out.Layout.Span() == n {
		p.Out = address(out)
		return body(p, c.Params.(op.Draw))
	}
	s := scratch{device: d}
	defer s.free()
	p.Out = s.take(n * out.DType.Size()).ptr
	if s.err != nil {
		return s.err
	}
	to := p.Out
	if err := body(p, c.Params.(op.Draw)); err != nil {
		return err
	}
	return s.unpack(out, to)
}

// permuter makes random permutations: it draws a key for each number and sorts the numbers by their keys.
type permuter struct {
	keys kernelID
	*sorter
}

// launch writes a permutation. It is not PyTorch's, which depends on how many bits of a key its sort looks at.
func (o *permuter) launch(d *Device, c *backend.Call, _ kernelID) error {
	return d.draw(c, func(p *kernels.Draw, draw op.Draw) error {
		s := scratch{device: d}
		defer s.free()
		const size = 8
		keys, sorted := s.take(int(p.N)*size), s.take(int(p.N)*size)
		to := p.Out
		p.Out, p.Range, p.Wide = keys.ptr, 1<<63, 1
		g, draws := kernels.DrawGrid(p.N, 2, d.properties.Multiprocessors, d.properties.MaxThreadsPerSM)
		d.place(p, draw, draws)
		if err := issue(&s, o.keys, g, p); err != nil {
			return err
		}
		q := sortParams.take()
		defer sortParams.give(q)
		*q = kernels.Sort{Outer: 1, N: p.N, Inner: 1, K: p.N, In: keys.ptr}
		return o.sort(&s, q, sorted.ptr, to)
	})
}
