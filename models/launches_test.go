package models_test

import (
	"testing"

	"cresset/device"
	"cresset/dtype"
	"cresset/internal/backend/cuda"
	"cresset/internal/driver"
	"cresset/internal/driver/sim"
	"cresset/internal/hardware"
	"cresset/models/bert"
	"cresset/models/gpt2"
	"cresset/models/llama"
	"cresset/nn"
	"cresset/tensor"
)

// TestLaunchesOfABlock counts what a second layer adds to a model's launches on a GPU, forward and back.
func TestLaunchesOfABlock(t *testing.T) {
	m, err := hardware.Preset("a100", 1)
	if err != nil {
		t.Fatal(err)
	}
	d, launches := sim.New(m, sim.Options{LookupEnv: func(string) (string, bool) { return "", false }}), 0
	launch := d.API.LaunchKernel
	d.API.LaunchKernel = func(ctx driver.Context, f driver.Function, grid, block driver.Dim, shared uint32, s driver.Stream, params []byte) driver.Result {
		launches++
		return launch(ctx, f, grid, block, shared, s, params)
	}
	t.Cleanup(cuda.UseDriver(d.API))
	place := nn.On(device.CUDA(0))
	const width, hidden, heads, tokens = 64, 128, 4, 32
	models := map[string]func(layers int) (func(ids *tensor.Tensor) *tensor.Tensor, error){
		"gpt2": func(layers int) (func(ids *tensor.Tensor) *tensor.Tensor, error) {
			m, err := gpt2.New(gpt2.Config{Vocabulary: 40, Width: width, Hidden: hidden, Heads: heads, Positions: tokens, Layers: layers}, place)
			return m.Forward, err
		},
		"llama": func(layers int) (func(ids *tensor.Tensor) *tensor.Tensor, error) {
			m, err := llama.New(llama.Config{ModelType: "llama", Vocabulary: 40, Width: width, Hidden: hidden, Heads: heads, Positions: tokens, Layers: layers}, place)
			return m.Forward, err
		},
		"bert": func(layers int) (func(ids *tensor.Tensor) *tensor.Tensor, error) {
			m, err := bert.New(bert.Config{Vocabulary: 40, Width: width, Hidden: hidden, Heads: heads, Positions: tokens, Types: 2, Layers: layers}, place)
			return func(ids *tensor.Tensor) *tensor.Tensor { return m.Forward(bert.Input{IDs: ids}) }, err
		},
	}
	count := func(t *testing.T, name string, layers int, amp bool) (there, back int) {
		forward, err := models[name](layers)
		if err != nil {
			t.Fatal(err)
		}
		ids := tensor.RandInt(0, 40, 1, tokens).To(device.CUDA(0))
		if amp {
			scope := tensor.NewScope(tensor.Autocast(dtype.BFloat16))
			defer scope.Close()
			ids = scope.Enter(ids)
		}
		launches = 0
		y := forward(ids).Sum()
		there = launches
		y.Backward()
		return there, launches - there
	}
	for _, c := range []struct {
		name        string
		amp         bool
		there, back int
	}{
		{"gpt2", false, 7, 21},
		{"llama", false, 13, 23},
		{"bert", false, 9, 27},
		{"gpt2", true, 19, 33},
		{"llama", true, 29, 39},
		{"bert", true, 29, 45},
	} {
		there1, back1 := count(t, c.name, 1, c.amp)
		there2, back2 := count(t, c.name, 2, c.amp)
		if there, back := there2-there1, back2-back1; there != c.there || back != c.back {
			t.Errorf("%s, autocast %v: %d launches forward and %d back, want %d and %d", c.name, c.amp, there, back, c.there, c.back)
		}
	}
}
