package bench

import (
	"cresset/cuda"
	"cresset/device"
	"cresset/dtype"
	"cresset/models/gpt2"
	"cresset/tensor"
)

// A mode is a way to run a training step on a GPU.
type mode struct {
	name                   string
	bf16, compiled, graphs bool
}

// modes are beside the eager one in float32, which is a case of every device.
var modes = []mode{
	{name: "compiled", compiled: true},
	{name: "graph", graphs: true},
	{name: "bf16", bf16: true},
	{name: "bf16_compiled", bf16: true, compiled: true},
	{name: "bf16_compiled_graph", bf16: true, compiled: true, graphs: true},
}

// faster are training steps in each mode.
func faster() []Case {
	small := gpt2.Config{Vocabulary: 50257, Positions: 1024, Width: 768, Layers: 12, Heads: 12}
	gpt2Small := trainer{"train/gpt2_small", ofTexts(small, 4)}
	cases := []Case{{Name: gpt2Small.name, Make: func(dev device.Device) func() {
		train := gpt2Small.make(dev).step
		return func() { step(train) }
	}}}
	for _, t := range append(trainers(), gpt2Small) {
		for _, m := range modes {
			cases = append(cases, Case{Name: t.name + "_" + m.name, Make: func(dev device.Device) func() { return m.of(t.make(dev), dev) }})
		}
	}
	return cases
}

// of returns a step in the mode.
func (m mode) of(l lesson, dev device.Device) func() {
	if m.compiled {
		l.loss = tensor.Compile(l.loss)
	}
	var opts []tensor.ScopeOption
	if m.bf16 {
		opts = append(opts, tensor.Autocast(dtype.BFloat16))
	}
	run := func() {
		s := tensor.NewScope(opts...)
		defer s.Close()
		l.step(s)
	}
	if !m.graphs {
		return run
	}
	run() // states of the optimizer begin
	index, _ := dev.Index()
	g, err := cuda.Capture(func() error { run(); return nil }, index)
	refuse(err)
	return func() { refuse(g.Replay()) }
}

// refuse panics with an error as an op does, which whoever measures tells.
func refuse(err error) {
	if err != nil {
		panic(&tensor.Error{Op: "capture", Kind: tensor.ErrDevice, Err: err})
	}
}
