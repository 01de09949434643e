package conformance

import (
	"errors"
	"slices"
	"testing"

	"cresset/device"
	"cresset/dtype"
	"cresset/internal/devicetest"
	"cresset/internal/pyexpr"
	"cresset/nn"
	"cresset/tensor"
)

// layer is a recorded module: how it is made and printed, what it draws, and what a call of it computes.
type layer struct {
	operation
	Ctor, Repr string
	Seed       int64
	State      []*entry

	Parameters, Buffers []string
	Training            bool
	RandomAfter         numbers  `json:"random_after"`
	GradParameters      []*entry `json:"grad_parameters"`
	StateAfter          []*entry `json:"state_after"`
}

// entry is a recorded tensor of a state; its shape is null where there is none.
type entry struct {
	Name string
	recorded
}

// TestModules makes, prints and calls the modules that PyTorch made.
func TestModules(t *testing.T) {
	var file struct{ Modules []layer }
	read(t, "modules", "modules.json", &file)
	met := make(map[string]bool)
	devicetest.Run(t, func(t *testing.T, dev device.Device) {
		for _, c := range file.Modules {
			t.Run(c.Name, func(t *testing.T) { c.check(t, dev, met) })
		}
	})
	refuseStale(t, absentModules, met)
}

func (c *layer) check(t *testing.T, dev device.Device, met map[string]bool) {
	tensor.ManualSeed(c.Seed)
	m, err := environment(device.CPU, nil).Eval(c.Ctor)
	if unknown, ok := errors.AsType[*pyexpr.UnknownError](err); ok && absentModules[unknown.Name] != "" {
		met[unknown.Name] = true
		return
	}
	if err != nil {
		t.Fatal(err)
	}
	after := recorded{[]int{2}, "float32", c.RandomAfter}
	after.compare(t, "the draw that follows", tensor.Rand(2), 0)
	if got := nn.Describe(m); got != c.Repr {
		t.Errorf("prints\n%s\nwant\n%s", got, c.Repr)
	}
	c.checkState(t, m)
	exact := make(map[string]*tensor.Tensor)
	for _, want := range c.State {
		exact[want.Name] = want.on(device.CPU)
	}
	if err := nn.LoadState(m, exact); err != nil {
		t.Fatal(err)
	}
	c.call(t, dev, nn.To(m, dev, dtype.Float64))
}

// checkState compares names in their order, and what was drawn.
func (c *layer) checkState(t *testing.T, m any) {
	var parameters, buffers []string
	for name := range nn.Parameters(m) {
		parameters = append(parameters, name)
	}
	for name := range nn.Buffers(m) {
		buffers = append(buffers, name)
	}
	if !slices.Equal(parameters, c.Parameters) || !slices.Equal(buffers, c.Buffers) {
		t.Errorf("the names are %v and %v, want %v and %v", parameters, buffers, c.Parameters, c.Buffers)
	}
	state := nn.State(m)
	for _, want := range c.State {
		want.compare(t, want.Name, state[want.Name], 1e-6)
	}
	if len(state) != len(c.State) {
		t.Errorf("a state of %d tensors, want %d", len(state), len(c.State))
	}
}

// call compares a call's results in float64, the gradients of inputs and parameters, and the buffers that it leaves.
func (c *layer) call(t *testing.T, dev device.Device, m any) {
	in := make([]*tensor.Tensor, len(c.In))
	for i, r := range c.In {
		in[i] = r.on(dev).SetRequiresGrad(i < len(c.Grad) && c.Grad[i] != nil)
	}
	e := environment(dev, in)
	e.Vars["m"] = m
	value, err := e.Eval(c.Call)
	if err != nil {
		t.Fatal(err)
	}
	c.compareResults(t, slices.DeleteFunc(results(value), func(x *tensor.Tensor) bool { return x == nil }), 1e-9).Backward()
	c.compareGradients(t, in, 1e-9)
	parameters := make(map[string]*tensor.Tensor)
	for name, p := range nn.Parameters(m) {
		parameters[name] = p
	}
	for _, want := range c.GradParameters {
		if want.Shape != nil {
			want.compare(t, "gradient of "+want.Name, parameters[want.Name].Grad(), 1e-9)
		} else if g := parameters[want.Name].Grad(); g != nil {
			t.Errorf("%s has a gradient %v", want.Name, g)
		}
	}
	state := nn.State(m)
	for _, want := range c.StateAfter {
		want.compare(t, want.Name, state[want.Name], 1e-9)
	}
}

// TestModuleErrors makes the recorded mistakes with modules.
func TestModuleErrors(t *testing.T) { checkErrors(t, "modules", "", otherwiseModules) }

// absentModules lists the modules that cresset lacks, with the reason.
var absentModules = map[string]string{}

// otherwiseModules lists the recorded mistakes with modules that are not answered in PyTorch's words, with the reason.
var otherwiseModules = map[string]string{
	"register_buffer": "a buffer is a field of a struct: its name has no dot",
	"get_submodule":   "a module is a field of a struct: another name does not compile",
}
