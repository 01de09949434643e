package models_test

import (
	"sync/atomic"
	"testing"

	"cresset/dtype"
	"cresset/internal/mem"
	"cresset/models"
	"cresset/models/llama"
	"cresset/nn"
	"cresset/nn/quant"
)

// TestQuantizeAsItIsRead: weights are quantized one after the other, so that at no time there is more memory in use than the quantized model has, the largest weight in float32 and
// what quantizing makes of that.
func TestQuantizeAsItIsRead(t *testing.T) {
	m, err := llama.New(llama.Config{ModelType: "llama", Vocabulary: 64, Width: 256, Hidden: 512, Layers: 12, Heads: 4, KeyValueHeads: 4, HeadSize: 64, Positions: 64,
		Activation: "silu", Eps: 1e-5, RoPE: llama.RoPE{Theta: 10000}, Architectures: []string{"LlamaForCausalLM"}})
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if err := models.Save(dir, m); err != nil {
		t.Fatal(err)
	}
	var floats int64
	for _, p := range nn.Parameters(m) {
		floats += int64(p.NumEl() * p.DType().Size())
		p.Release()
	}
	mem.Collect()
	before := mem.ReadStats().Allocated
	var most atomic.Int64
	mem.SetFault(func(int) error {
		most.Store(max(most.Load(), mem.ReadStats().Allocated-before))
		return nil
	})
	defer mem.SetFault(nil)
	q, err := models.Load(dir, models.Quantize(quant.Int8WeightOnly{}))
	mem.SetFault(nil)
	if err != nil {
		t.Fatal(err)
	}
	var numbers int64
	for _, x := range nn.State(q) {
		numbers += int64(x.NumEl() * x.DType().Size())
	}
	const largest = 512 * 256 * 4
	if bound := numbers + 8*largest; most.Load() > bound || bound > floats/2 {
		t.Errorf("%d bytes were in use at once, want at most %d for a model of %d, %d in float32", most.Load(), bound, numbers, floats)
	}
	if quantized, _ := quant.Layers(q); len(quantized) != 12*7+1 {
		t.Errorf("%d layers are quantized", len(quantized))
	}
	if _, err := models.Load(dir, models.Quantize(quant.Int4WeightOnly{GroupSize: 48}), models.As(dtype.BFloat16)); err == nil {
		t.Error("groups of 48 are no error")
	}
}
