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
// texts of 1024 tokens on a modelled H100, of which nothing is computed.
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
	on := device.CUDA(0)
	m, err := New(Config{Vocabulary: 8, Positions: 1024, Width: 768, Layers: 1, Heads: 12}, nn.On(on))
	if err != nil {
		t.Fatal(err)
	}
	layer := m.Body.Layers[0]
	for _, c := range []struct {
		name string
		opts []tensor.ScopeOption
		most int
	}{
		{"float32", nil, 22},
		{"autocast to bfloat16", []tensor.ScopeOption{tensor.Autocast(dtype.BFloat16)}, 27},
	} {
		compiled := tensor.Compile(func(x *tensor.Tensor) *tensor.Tensor { return layer.read(x, nn.NoPast, 0) })
		x, dy := tensor.On(on).Zeros(8, 1024, 768), tensor.On(on).Zeros(8, 1024, 768)
		step := func() {
			scope := tensor.NewScope(c.opts...)
			defer scope.Close()
			for _, p := range nn.ParameterList(layer) {
				p.ZeroGrad()
			}
			compiled(scope.Enter(x.Detach().SetRequiresGrad(true))).Backward(tensor.Gradient(dy))
		}
		step()
		began := time.Now()
		r := profile.Start(profile.Settings{Limit: 1000, Now: func() time.Duration { return time.Since(began) }})
		step()
		r.Stop()
		var names []string
		events, _ := r.Events()
		for _, e := range events {
			if e.Kind == profile.Kernel {
				names = append(names, e.Name)
			}
		}
		if len(names) != c.most {
			t.Errorf("%s: %d launches, want %d: %v", c.name, len(names), c.most, names)
		}
	}
}
