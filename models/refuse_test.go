package models_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"cresset/checkpoint"
	"cresset/models"
	"cresset/nn"
	"cresset/tensor"
)

// TestLoadRefusesByName changes a folder's config.json, and looks for what the error names.
func TestLoadRefusesByName(t *testing.T) {
	for _, c := range []struct{ dir, old, now, names string }{
		{"llama", `"LlamaForCausalLM"`, `"LlamaForTokenClassification"`, `architectures: "LlamaForTokenClassification" is not supported; known are `},
		{"llama", `"architectures"`, `"architecture"`, `architectures: "" is not supported`},
		{"llama", `"rope_type": "default"`, `"rope_type": "longrope"`, `rope_type: "longrope" is not supported; known are default, linear, dynamic, llama3, yarn`},
		{"llama", `"rope_type": "default"`, `"rope_type": "linear"`, `rope_type "linear" needs a positive factor`},
		{"llama", `"rope_theta": 10000.0`, `"rope_theta": 0.5`, `rope_theta is 0.5`},
		{"llama", `"silu"`, `"quick_gelu"`, `hidden_act: "quick_gelu" is not supported`},
		{"llama", `"model_type": "llama"`, `"model_type": "mixtral"`, `model_type: "mixtral"`},
		{"llama", `"use_cache"`, `"quantization_config": {}, "use_cache"`, `quantization_config: quant_method "" is not supported`},
		{"llama", `"num_key_value_heads": 2`, `"num_key_value_heads": 3`, `num_key_value_heads: 3 do not divide the 4 heads`},
		{"llama", `"num_hidden_layers": 2`, `"num_hidden_layers": 2000000000`, `num_hidden_layers: 2000000000 is not between 1 and 16384`},
		{"llama", `"vocab_size": 96`, `"vocab_size": "96"`, `vocab_size: `},
		{"llama", `"vocab_size": 96`, `"vocab_size": 97`, `model.embed_tokens.weight`},
		{"llama", `"num_hidden_layers": 2`, `"num_hidden_layers": 3`, `model.layers.2.`},
		{"llama", `"dtype": "float32"`, `"dtype": "int8"`, `dtype: "int8" is not supported`},
		{"llama", `{`, `[`, `config.json: `},
		{"qwen2", `"full_attention",`, `"linear_attention",`, `layer_types: "linear_attention" is not supported`},
		{"gpt2", `"add_cross_attention": false`, `"add_cross_attention": true`, `add_cross_attention: true is not supported`},
		{"gpt2", `"n_head": 4`, `"n_head": 5`, `n_head: 5 heads do not divide a width of 32`},
		{"gpt2", `"attn_pdrop": 0.1`, `"attn_pdrop": 1.5`, `dropout probability has to be between 0 and 1`},
		{"gemma2", `"use_bidirectional_attention": null`, `"use_bidirectional_attention": true`, `use_bidirectional_attention: true`},
		{"bert", `"is_decoder": false`, `"is_decoder": true`, `is_decoder: true`},
		{"bert", `"BertForSequenceClassification"`, `"BertForQuestionAnswering"`, `"BertForQuestionAnswering" is not supported`},
		{"vit", `"patch_size": 4`, `"patch_size": 99`, `patch_size: 99 in pictures of 16`},
		{"resnet18_tiny", `BasicBlock`, `WideBlock`, `"torchvision ResNet of WideBlock" is not supported`},
	} {
		dir := copyOf(t, c.dir)
		path := filepath.Join(dir, "config.json")
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		changed := strings.Replace(string(text), c.old, c.now, 1)
		if changed == string(text) {
			t.Fatalf("%s has no %s", c.dir, c.old)
		}
		if err := os.WriteFile(path, []byte(changed), 0o666); err != nil {
			t.Fatal(err)
		}
		m, err := models.Load(dir)
		var refused *models.Error
		if m != nil || !errors.As(err, &refused) || refused.Dir != dir || !strings.Contains(err.Error(), c.names) {
			t.Errorf("%s in place of %s: %v does not name %q", c.now, c.old, err, c.names)
		}
	}
}

// copyOf copies a folder of testdata.
func copyOf(t *testing.T, name string) string {
	t.Helper()
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS(filepath.Join("testdata", name))); err != nil {
		t.Fatal(err)
	}
	return dir
}

// TestLoadNamesMissingFiles takes files away.
func TestLoadNamesMissingFiles(t *testing.T) {
	dir := copyOf(t, "llama")
	if err := os.Remove(filepath.Join(dir, "model.safetensors")); err != nil {
		t.Fatal(err)
	}
	if _, err := models.Load(dir); err == nil || !strings.Contains(err.Error(), "safetensors") {
		t.Errorf("without weights: %v", err)
	}
	if err := os.Remove(filepath.Join(dir, "config.json")); err != nil {
		t.Fatal(err)
	}
	if _, err := models.Load(dir); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("without settings: %v", err)
	}
}

// TestOldNames reads weights under the names that older files have: without the body's prefix, with masks among them, norms of gamma and beta.
func TestOldNames(t *testing.T) {
	for name, rename := range map[string]func(string) string{
		"gpt2": func(s string) string { return strings.TrimPrefix(s, "transformer.") },
		"bert": func(s string) string {
			return strings.NewReplacer("LayerNorm.weight", "LayerNorm.gamma", "LayerNorm.bias", "LayerNorm.beta").Replace(s)
		},
	} {
		want, dir := load(t, name), copyOf(t, name)
		state := nn.State(want)
		old := make(map[string]*tensor.Tensor)
		for key, x := range state {
			if key != "lm_head.weight" {
				old[rename(key)] = x
			}
		}
		extra := map[string]string{"gpt2": "h.0.attn.bias", "bert": "bert.embeddings.position_ids"}[name]
		old[extra] = tensor.Ones(2)
		weights := filepath.Join(dir, "model.safetensors")
		if err := checkpoint.Write(weights, old); err != nil {
			t.Fatal(err)
		}
		got, err := models.Load(dir)
		if err != nil {
			t.Fatal(err)
		}
		for key, x := range nn.State(got) {
			if !x.Equal(state[key]) {
				t.Errorf("%s: %s differs", name, key)
			}
		}
	}
}
