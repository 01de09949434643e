package models_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"cresset/dtype"
	"cresset/models"
	"cresset/nn"
	"cresset/nn/quant"
	"cresset/tensor"
)

// quantizedForms are configs that fit the small models, and how far scores may be from those of float32, for each unit of the largest.
var quantizedForms = []struct {
	config quant.Config
	off    float64
}{
	{quant.Int8WeightOnly{}, 0.06},
	{quant.Int8DynamicActivation{}, 0.1},
	{quant.Int4WeightOnly{GroupSize: 32}, 0.4},
	{quant.Int4WeightOnly{GroupSize: 32, Symmetric: true}, 0.5},
}

// scoresOf returns the scores of a decoder's recorded prompt.
func scoresOf(t *testing.T, m models.Model, r recorded) *tensor.Tensor {
	t.Helper()
	return m.(models.Decoder).Forward(tensor.Of(r.In.IDs)).Detach()
}

// TestQuantizedModels: scores are near those of float32, the folder that Save writes gives the same bits, and a folder of another dtype the same numbers.
func TestQuantizedModels(t *testing.T) {
	for _, dir := range []string{"gpt2", "llama", "llama_tied", "qwen2", "gemma2"} {
		r, from := recordingOf(t, dir), filepath.Join("testdata", dir)
		plain, err := models.Load(from)
		if err != nil {
			t.Fatal(err)
		}
		want := scoresOf(t, plain, r)
		largest := float64(tensor.Data[float32](want.Abs().Max())[0])
		for _, form := range quantizedForms {
			m, err := models.Load(from, models.Quantize(form.config))
			if err != nil {
				if strings.Contains(err.Error(), "is not divisible by group_size") {
					continue
				}
				t.Fatalf("%s by %v: %v", dir, form.config, err)
			}
			got := scoresOf(t, m, r)
			if !got.AllClose(want, 0, form.off*largest) {
				t.Errorf("%s by %v: scores are off by %v of %v", dir, form.config, got.Sub(want).Abs().Max(), largest)
			}
			to := filepath.Join(t.TempDir(), dir)
			if err := models.Save(to, m); err != nil {
				t.Fatal(err)
			}
			again, err := models.Load(to)
			if err != nil {
				t.Fatalf("%s by %v: %v", dir, form.config, err)
			}
			if !scoresOf(t, again, r).Equal(got) {
				t.Errorf("%s by %v: the folder that was written computes something else", dir, form.config)
			}
			if quant.ConfigOf(again) != quant.ConfigOf(m) {
				t.Errorf("%s by %v: read again as %v", dir, form.config, quant.ConfigOf(again))
			}
			half, err := models.Load(to, models.As(dtype.BFloat16))
			if err != nil {
				t.Fatal(err)
			}
			if y := scoresOf(t, half, r); y.DType() != dtype.BFloat16 || !y.To(dtype.Float32).AllClose(got, 0, 0.1*largest) {
				t.Errorf("%s by %v in bfloat16: %v, want %v", dir, form.config, y, got)
			}
		}
	}
}

// TestQuantizedPictures quantizes a model that is no decoder.
func TestQuantizedPictures(t *testing.T) {
	m, err := models.Load(filepath.Join("testdata", "vit"), models.Quantize(quant.Int8WeightOnly{}))
	if err != nil {
		t.Fatal(err)
	}
	for name, p := range nn.Parameters(m) {
		if strings.HasSuffix(name, "dense.weight") {
			t.Errorf("%s is of %v", name, p.DType())
		}
	}
	if quantized, _ := quant.Layers(m); len(quantized) == 0 {
		t.Error("no layer is quantized")
	}
}

// TestQuantizedFoldersThatAreRefused are settings that cresset does not implement, and files that do not fit them.
func TestQuantizedFoldersThatAreRefused(t *testing.T) {
	dir := t.TempDir()
	m, err := models.Load(filepath.Join("testdata", "llama"), models.Quantize(quant.Int8WeightOnly{}))
	if err != nil {
		t.Fatal(err)
	}
	if err := models.Save(dir, m); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, "config.json")
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ old, now, want string }{
		{`"compressed-tensors"`, `"gptq"`, `quantization_config: quant_method "gptq" is not supported; known are compressed-tensors`},
		{`"int-quantized"`, `"marlin-24"`, `weights of 8 bits by channel in the format marlin-24 is not supported`},
		{`"num_bits": 8`, `"num_bits": 3`, `weights of 3 bits by channel`},
		{`"Linear"`, `"Embedding"`, `targets ["Embedding"] is not supported`},
		{`"symmetric": true`, `"symmetric": false`, `weights of 8 bits by channel in the format int-quantized`},
		{`"type": "int"`, `"type": "float"`, `weights of type int`},
		{`"input_activations": null`, `"input_activations": {"num_bits": 8, "type": "int", "strategy": "tensor", "symmetric": true}`, `input_activations other than`},
		{`"ignore": null`, `"ignore": ["re:("]`, `ignore: error parsing regexp`},
		{`"ignore": null`, `"ignore": ["re:.*mlp.*"]`, `Unexpected key(s) in state_dict: "model.layers.0.mlp.down_proj.weight_scale"`},
		{`"num_bits": 8`, `"num_bits": "8"`, `quantization_config: json`},
	} {
		if !strings.Contains(string(text), c.old) {
			t.Fatalf("%s lacks %s", text, c.old)
		}
		if err := os.WriteFile(path, []byte(strings.ReplaceAll(string(text), c.old, c.now)), 0o666); err != nil {
			t.Fatal(err)
		}
		if _, err := models.Load(dir); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v, want %q", c.now, err, c.want)
		}
	}
	if err := os.WriteFile(path, text, 0o666); err != nil {
		t.Fatal(err)
	}
	if _, err := models.Load(dir, models.Quantize(quant.Int8WeightOnly{})); err == nil || !strings.Contains(err.Error(), "quantized already, as Int8WeightOnly") {
		t.Errorf("quantized twice: %v", err)
	}
	if _, err := models.Load(filepath.Join("testdata", "llama"), models.Quantize(quant.Int4WeightOnly{})); err == nil || !strings.Contains(err.Error(), "is not divisible by group_size 128") {
		t.Errorf("groups that do not fit: %v", err)
	}
}
