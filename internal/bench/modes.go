package bench

import (
	"cresset/cuda"
	"cresset/device"
	"cresset/dtype"
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
	larger := []trainer{{"train/resnet18", residual}, {"train/gpt2_small", ofTexts(gpt2Small, 4)}}
	var cases []Case
	for _, t := range larger {
		cases = append(cases, t.eager())
	}
	for _, t := range append(trainers(), larger...) {
		for _, m := range modes {
			c := Case{Name: t.name + "_" + m.name, Make: func(dev device.Device) func() { return m.of(t.make(dev), dev) }}
			if m.graphs {
				captured := m
				captured.graphs = false
				c.Step = func(dev device.Device) func() { return captured.of(t.make(dev), dev) }
			}
			cases = append(cases, c)
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

// refuse panics with an error of a GPU as an op does, which whoever measures tells.
func refuse(err error) {
	if err != nil {
		panic(&tensor.Error{Op: "bench", Kind: tensor.ErrDevice, Err: err})
	}
}
