package gpt2

import (
	"testing"
	"time"

	"cresset/device"
	"cresset/dtype"
	"cresset/internal/backend/cuda"
	"cresset/internal/hardware"
	"cresset/internal/profile"
	"cresset/nn"
	"cresset/tensor"
)

// TestLaunchesOfACompiledBlock holds what a layer of GPT-2 launches for its results and gradients at the sizes of the small model, eight
// texts of 1024 tokens on a modelled H100, of which nothing is computed, and what a second layer adds to that.
func TestLaunchesOfACompiledBlock(t *testing.T) {
	machine, err := hardware.Preset("h100", 1)
	if err != nil {
		t.Fatal(err)
	}
	_, giveBack, err := cuda.UseModel(machine)
	if err != nil {
		t.Fatal(err)
	}
	defer giveBack()
	m, err := New(Config{Vocabulary: 8, Positions: 1024, Width: 768, Layers: 2, Heads: 12}, nn.On(device.CUDA(0)))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name          string
		opts          []tensor.ScopeOption
		first, second int
	}{
		{"float32", nil, 22, 21},
		{"autocast to bfloat16", []tensor.ScopeOption{tensor.Autocast(dtype.BFloat16)}, 24, 23},
	} {
		one, two := launchesOf(m.Body.Layers[:1], c.opts), launchesOf(m.Body.Layers, c.opts)
		if second := len(two) - len(one); len(one) != c.first || second != c.second {
			t.Errorf("%s: %d launches and %d for a second layer, want %d and %d: %v, %v", c.name, len(one), second, c.first, c.second, one, two)
		}
	}
}

// launchesOf names the kernels of a step of compiled layers.
func launchesOf(layers []*Layer, opts []tensor.ScopeOption) (names []string) {
	compiled := tensor.Compile(func(x *tensor.Tensor) *tensor.Tensor {
		for _, l := range layers {
			x = l.read(x, nn.NoPast, 0)
		}
		return x
	})
	on := tensor.On(device.CUDA(0))
	x, dy := on.Zeros(8, 1024, 768), on.Zeros(8, 1024, 768)
	step := func() {
		scope := tensor.NewScope(opts...)
		defer scope.Close()
		for _, l := range layers {
			for _, p := range nn.ParameterList(l) {
				p.ZeroGrad()
			}
		}
		compiled(scope.Enter(x.Detach().SetRequiresGrad(true))).Backward(tensor.Gradient(dy))
	}
	step()
	began := time.Now()
	r := profile.Start(profile.Settings{Limit: 1000, Now: func() time.Duration { return time.Since(began) }})
	step()
	r.Stop()
	events, _ := r.Events()
	for _, e := range events {
		if e.Kind == profile.Kernel {
			names = append(names, e.Name)
		}
	}
	return names
}
