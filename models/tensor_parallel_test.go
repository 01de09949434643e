package models_test

import (
	"context"
	"fmt"
	"testing"

	"cresset/dist"
	"cresset/dtype"
	"cresset/models"
	"cresset/models/bert"
	"cresset/models/gemma2"
	"cresset/models/gpt2"
	"cresset/models/llama"
	"cresset/models/vit"
	"cresset/nn"
	"cresset/nn/tp"
	"cresset/optim"
	"cresset/tensor"
)

// divisible is a model that ranks can hold parts of.
type divisible interface{ TensorParallelPlan() tp.Plan }

// TestTensorParallelModels compares losses of models that two ranks hold parts of with those of the whole, before and after steps that take norms of all gradients.
func TestTensorParallelModels(t *testing.T) {
	no := false
	for name, build := range map[string]func() (divisible, error){
		"gpt2": gptOf(nil), "gpt2, not tied": gptOf(&no), "llama": llamaOf(llama.Config{}), "qwen2, tied": llamaOf(llama.Config{ModelType: "qwen2", Tied: true}),
		"qwen3": llamaOf(llama.Config{ModelType: "qwen3"}), "mistral": llamaOf(llama.Config{ModelType: "mistral", Window: 3}),
		"gemma2": gemmaOf(nil), "gemma2, not tied": gemmaOf(&no),
		"bert": bertOf(bert.Embeddings), "bert of masked tokens": bertOf(bert.MaskedTokens), "bert of classes": bertOf(bert.Classification), "vit": vitOf,
	} {
		tensor.ManualSeed(2)
		alone, err := build()
		if err != nil {
			t.Fatal(err)
		}
		copied := func() divisible {
			return nn.Copy(alone, func(x *tensor.Tensor) *tensor.Tensor { return tensor.Parameter(x.Detach().Clone()) })
		}
		ranks := []divisible{copied(), copied()}
		want := learn(alone, func() float64 { return nn.ClipGradNorm(nn.Parameters(alone), 0.5) })
		err = dist.Spawn(2, func(g *dist.Group) error {
			m := ranks[g.Rank()]
			sharding, err := tp.ParallelizeModule(context.Background(), m, g, m.TensorParallelPlan())
			if err != nil {
				return err
			}
			if got := learn(m, func() float64 { return sharding.ClipGradNorm(0.5) }); !got.AllClose(want, 1e-9, 1e-9) {
				return fmt.Errorf("losses and norms\n%v, of the whole model\n%v", got, want)
			}
			return nil
		})
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func gptOf(tied *bool) func() (divisible, error) {
	return func() (divisible, error) {
		return gpt2.New(gpt2.Config{Vocabulary: 13, Positions: 8, Width: 16, Layers: 2, Heads: 4, Hidden: 23, Tied: tied}, nn.As(dtype.Float64))
	}
}

func llamaOf(c llama.Config) func() (divisible, error) {
	c.Vocabulary, c.Width, c.Hidden, c.Layers, c.Heads, c.KeyValueHeads, c.Positions = 13, 16, 23, 2, 4, 2, 8
	return func() (divisible, error) { return llama.New(c, nn.As(dtype.Float64)) }
}

func gemmaOf(tied *bool) func() (divisible, error) {
	return func() (divisible, error) {
		return gemma2.New(gemma2.Config{Vocabulary: 13, Positions: 8, Width: 16, Layers: 2, Heads: 4, KeyValueHeads: 2, HeadSize: 6, Hidden: 23, Window: 3, Tied: tied}, nn.As(dtype.Float64))
	}
}

func bertOf(architecture string) func() (divisible, error) {
	return func() (divisible, error) {
		return bert.New(bert.Config{Architectures: []string{architecture}, Vocabulary: 13, Positions: 8, Width: 16, Layers: 2, Heads: 4, Hidden: 23}, nn.As(dtype.Float64))
	}
}

func vitOf() (divisible, error) {
	return vit.New(vit.Config{ImageSize: 6, PatchSize: 3, Channels: 1, Width: 16, Layers: 2, Heads: 4, Hidden: 23, Labels: map[string]string{"0": "a", "1": "b", "2": "c"}}, nn.As(dtype.Float64))
}

// forward returns what a model makes of two texts, or of pictures.
func forward(m divisible, ids *tensor.Tensor) *tensor.Tensor {
	switch m := m.(type) {
	case *bert.Model:
		return m.Forward(bert.Input{IDs: ids})
	case *vit.Model:
		return m.Forward(tensor.Arange(0, 2*36, 1).Double().Sin().View(2, 1, 6, 6))
	}
	return m.(models.Decoder).Forward(ids)
}

// learn trains a model, and returns losses and norms of gradients.
func learn(m divisible, clip func() float64) *tensor.Tensor {
	ids := tensor.Of([][]int{{0, 3, 9, 12, 1}, {10, 9, 5, 5, 2}})
	opt := optim.NewAdamW(nn.Parameters(nn.Eval(m)), optim.LR(0.01))
	var seen []float64
	for range 3 {
		opt.ZeroGrad()
		loss := forward(m, ids).LogSoftmax(-1).Select(-1, 1).Neg().Mean()
		loss.Backward()
		seen = append(seen, loss.Float64(), clip())
		opt.Step()
	}
	return tensor.FromSlice(seen)
}
