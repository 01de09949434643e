package cli

import (
	"bytes"
	"path/filepath"
	"strings"
	"testing"

	"cresset/checkpoint"
	"cresset/device"
	"cresset/tensor"
)

// TestSnapshotsThatAskForMoreThanTheyHold wants files refused before memory is taken: those that claim a model of terabytes, or tell no model.
func TestSnapshotsThatAskForMoreThanTheyHold(t *testing.T) {
	huge := map[string]any{"model": "gpt", "vocabulary": 1 << 24, "context": 64, "layers": 2, "heads": 4, "layer_width": 1 << 16, "dropout": 0.0}
	for name, c := range map[string]struct {
		config map[string]any
		want   string
	}{
		"huge":   {huge, "does not tell how its model is made"},
		"wide":   {map[string]any{"model": "gpt", "vocabulary": 62, "context": 64, "layers": 2, "heads": 4, "layer_width": 1 << 30, "dropout": 0.0}, "does not tell"},
		"uneven": {map[string]any{"model": "gpt", "vocabulary": 62, "context": 64, "layers": 2, "heads": 3, "layer_width": 16, "dropout": 0.0}, "3 heads do not divide"},
		"none":   {map[string]any{}, "does not tell"},
	} {
		path := filepath.Join(t.TempDir(), name+".pt")
		state := map[string]any{"config": c.config, "model": map[string]any{"x": tensor.Ones(3)}, "tokenizer": "{}"}
		if err := checkpoint.WriteValue(path, state); err != nil {
			t.Fatal(err)
		}
		var stderr bytes.Buffer
		if code := Run(t.Context(), []string{"generate", path, "a"}, new(bytes.Buffer), &stderr); code != exitFailed || !strings.Contains(stderr.String(), c.want) {
			t.Errorf("%s: exit code %d, %s", name, code, &stderr)
		}
	}
}

// TestFoldersWithoutATokenizer wants to hear that a model of pictures writes nothing, rather than of a file that such a folder never has.
func TestFoldersWithoutATokenizer(t *testing.T) {
	for folder, want := range map[string]string{"vit": "does not write text", "gpt2": "holds none of tokenizer.json"} {
		if _, err := hubModel(filepath.Join("..", "..", "models", "testdata", folder), device.CPU, nil, ""); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", folder, err, want)
		}
	}
}
