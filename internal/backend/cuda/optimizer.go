package cuda

import (
	"math"

	"cresset/dtype"
	"cresset/internal/backend"
	"cresset/internal/backend/cuda/kernels"
	"cresset/internal/op"
)

func (t *table) addOptimizers() {
	for _, dt := range floats {
		t[op.SGDStep][dt] = row{sgdStep, typed("sgd", dt)}
		t[op.AdamStep][dt] = row{adamStep, typed("adam", dt)}
	}
	for _, o := range op.All() {
		for _, dt := range [...]dtype.DType{dtype.Float16, dtype.BFloat16, dtype.Float32, dtype.Float64} {
			switch {
			case o.IsUpdate():
				t[o][dt] = row{updateStep, typed(o.String(), dt)}
			case o == op.UnscaleGrad:
				t[o][dt] = row{unscale, typed("unscale", dt)}
			}
		}
	}
}

var (
	sgdParams  paramPool[kernels.SGD]
	adamParams paramPool[kernels.Adam]

	updateParams paramPool[kernels.Update]

	unscaleParams paramPool[kernels.Unscale]
)

// sgdStep updates out[0], the parameter, and out[1], the momentum where there is one, by in[0], the gradient.
func sgdStep(d *Device, c *backend.Call, k kernelID) error {
	n := c.Out()[0].Layout.Size()
	return inPlace(d, c, func(state *[maxScratch]uint64, grad uint64) error {
		skip := skipOf(c)
		return launchStep(d, c, k, d.flat(n), &sgdParams, func(p *kernels.SGD, o op.SGD) {
			*p = sgdOf(o)
			p.N, p.P, p.Buffer, p.Grad, p.Skip = uint64(n), state[0], state[1], grad, skip
		})
	})
}

// sgdOf returns the settings of a step, without addresses.
func sgdOf(o op.SGD) kernels.SGD {
	return kernels.SGD{
		Rate: -o.LR, Decay: o.WeightDecay, Momentum: o.Momentum, Keep: 1 - o.Dampening,
		Nesterov: flag(o.Nesterov), First: flag(o.First), Maximize: flag(o.Maximize),
	}
}

// adamStep updates out[0], the parameter, and out[1] and out[2], its means, by in[0], the gradient.
func adamStep(d *Device, c *backend.Call, k kernelID) error {
	n := c.Out()[0].Layout.Size()
	return inPlace(d, c, func(state *[maxScratch]uint64, grad uint64) error {
		skip := skipOf(c)
		return launchStep(d, c, k, d.flat(n), &adamParams, func(p *kernels.Adam, o op.Adam) {
			*p = adamOf(o)
			p.N, p.P, p.M, p.V, p.Grad, p.Skip = uint64(n), state[0], state[1], state[2], grad, skip
		})
	})
}

// adamOf returns the settings of a step, without addresses.
func adamOf(o op.Adam) kernels.Adam {
	step := float64(o.Step)
	return kernels.Adam{
		Step: -o.LR / (1 - math.Pow(o.Beta1, step)), Root: math.Sqrt(1 - math.Pow(o.Beta2, step)), Eps: o.Eps,
		Weight1: 1 - o.Beta1, Beta2: o.Beta2, Weight2: 1 - o.Beta2, Decay: o.WeightDecay,
		Shrink: 1 - float64(o.LR*o.WeightDecay), Decoupled: flag(o.Decoupled), Maximize: flag(o.Maximize),
	}
}

// updateStep updates out[0], the parameter, and what is kept of it by in[0], the gradient.
func updateStep(d *Device, c *backend.Call, k kernelID) error {
	n := c.Out()[0].Layout.Size()
	return inPlace(d, c, func(state *[maxScratch]uint64, grad uint64) error {
		skip := skipOf(c)
		return launchStep(d, c, k, d.flat(n), &updateParams, func(p *kernels.Update, o op.Update) {
			*p = updateOf(o)
			p.One = kernels.Chunk{N: uint64(n), P: state[0], State: [3]uint64(state[1:4]), Grad: grad}
			p.Skip = skip
		})
	})
}

// updateOf returns the numbers of a step, without addresses.
func updateOf(o op.Update) kernels.Update {
	return kernels.Update{
		Rate: o.Rate, Sign: o.Sign, Decay: o.Decay, Shrink: o.Shrink,
		Part: o.Part, Share: o.Share, Rest: o.Rest, Root: o.Root, Eps: o.Eps,
		Ahead: o.Ahead, Momentum: o.Momentum, Rectified: o.Rectified,
		Minus: o.Minus, Plus: o.Plus, Low: o.Low, High: o.High,
	}
}

// launchStep launches a kernel whose parameters fill makes of those of a call. In a graph they are made anew for each replay.
func launchStep[P, O any](d *Device, c *backend.Call, k kernelID, g kernels.Grid, pool *paramPool[P], fill func(p *P, o O)) error {
	if graph := d.captured(); graph != nil && c.Stepper != nil {
		next, stepper := c.Params.(O), c.Stepper
		graph.renew = &hostStep{
			do: func() error {
				params, err := stepper.Redo()
				if err == nil {
					next = params.(O)
				}
				return err
			},
			undo: stepper.Undo,
			fill: func(params []byte) { fill(paramsOf[P](params), next) },
		}
	}
	p := pool.take()
	defer pool.give(p)
	fill(p, c.Params.(O))
	return launch(d, k, g, p)
}

// skipOf returns the address of the flag by which a step is skipped, which stands behind the gradient; 0 where there is none.
func skipOf(c *backend.Call) uint64 {
	if len(c.In()) < 2 {
		return 0
	}
	return address(&c.In()[1])
}

// unscale divides out[0], a gradient, by the scale in[1], and sets the flag in[2], as op.Unscale says.
func unscale(d *Device, c *backend.Call, k kernelID) error {
	n := c.Out()[0].Layout.Size()
	return inPlace(d, c, func(state *[maxScratch]uint64, _ uint64) error {
		p := unscaleParams.take()
		defer unscaleParams.give(p)
		*p = unscaleOf(c)
		p.One = kernels.Chunk{N: uint64(n), P: state[0]}
		return launch(d, k, d.flat(n), p)
	})
}

// unscaleOf returns where the scale and the flag lie.
func unscaleOf(c *backend.Call) kernels.Unscale {
	return kernels.Unscale{Scale: address(&c.In()[1]), Found: address(&c.In()[2])}
}

func flag(on bool) uint32 {
	if on {
		return 1
	}
	return 0
}

// inPlace hands the addresses of all results and of the gradient to body; a result of another layout passes through a copy.
func inPlace(d *Device, c *backend.Call, body func(state *[maxScratch]uint64, grad uint64) error) error {
	if c.Out()[0].Layout.Size() == 0 {
		return nil
	}
	s := scratch{device: d}
	defer s.free()
	var state [maxScratch]uint64
	for i := range c.Out() {
		state[i] = s.packed(&c.Out()[i])
	}
	grad := s.packed(&c.In()[0])
	if s.err != nil {
		return s.err
	}
	if err := body(&state, grad); err != nil {
		return err
	}
	for i := range c.Out() {
		if out := &c.Out()[i]; !out.Layout.IsContiguous() {
			if err := s.unpack(out, state[i]); err != nil {
				return err
			}
		}
	}
	return nil
}
