package models_test

import (
	"testing"

	"cresset/models/gpt2"
	"cresset/models/vit"
	"cresset/nn"
	"cresset/tensor"
)

// TestGradientCheckpointingChangesNoGradient compares the gradients of models that keep what they need for them with those of models that compute it again.
func TestGradientCheckpointingChangesNoGradient(t *testing.T) {
	tensor.ManualSeed(3)
	g, err := gpt2.New(gpt2.Config{Vocabulary: 20, Width: 16, Layers: 2, Heads: 2, Positions: 8, EmbedDropout: 0.1, ResidualDropout: 0.1, AttentionDropout: 0.1})
	if err != nil {
		t.Fatal(err)
	}
	v, err := vit.New(vit.Config{ImageSize: 8, PatchSize: 4, Channels: 1, Width: 16, Hidden: 32, Layers: 2, Heads: 2, HiddenDropout: 0.1,
		Labels: map[string]string{"0": "a", "1": "b"}})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name  string
		model nn.Module
		on    *bool
		input *tensor.Tensor
	}{
		{"gpt2", g, &g.Body.GradientCheckpointing, tensor.RandInt(0, 20, 3, 8)},
		{"vit", v, &v.Body.GradientCheckpointing, tensor.Randn(3, 1, 8, 8)},
	} {
		gradients := func(on bool) *tensor.Tensor {
			*c.on = on
			tensor.ManualSeed(5)
			nn.ZeroGrad(nn.Train(c.model))
			c.model.Forward(c.input).Square().Sum().Backward()
			var all []*tensor.Tensor
			for _, p := range nn.Parameters(c.model) {
				all = append(all, p.Grad().Flatten(0, -1))
			}
			return tensor.Cat(all, 0)
		}
		if want, got := gradients(false), gradients(true); !got.Equal(want) {
			t.Errorf("%s: got %v, want %v", c.name, got, want)
		}
	}
}
