package checkpoint_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"cresset/checkpoint"
	"cresset/tensor"
)

// TestIndexRefused has an index for each rule, beside two shards.
func TestIndexRefused(t *testing.T) {
	dir := t.TempDir()
	for file, name := range map[string]string{"1.safetensors": "a", "2.safetensors": "b", "3.npy": "c"} {
		if err := checkpoint.Write(filepath.Join(dir, file), map[string]*tensor.Tensor{name: tensor.Of(1.5)}); err != nil {
			t.Fatal(err)
		}
	}
	for name, tc := range map[string]struct{ index, want string }{
		"cut off":            {`{"weight_map":{"a":"1.safetensors"}`, `expected '}'`},
		"no map":             {`{"metadata":{}}`, "one weight_map"},
		"two maps":           {`{"weight_map":{},"weight_map":{}}`, "one weight_map"},
		"name twice":         {`{"weight_map":{"a":"1.safetensors","a":"1.safetensors"}}`, `"a" twice`},
		"a number":           {`{"weight_map":{"a":1}}`, "a string"},
		"no file":            {`{"weight_map":{"a":""}}`, "in the same folder"},
		"parent folder":      {`{"weight_map":{"a":"../1.safetensors"}}`, "in the same folder"},
		"folder":             {`{"weight_map":{"a":"x/1.safetensors"}}`, "in the same folder"},
		"backslash":          {`{"weight_map":{"a":"x\\1.safetensors"}}`, "in the same folder"},
		"absolute":           {`{"weight_map":{"a":"/etc/passwd"}}`, "in the same folder"},
		"dots":               {`{"weight_map":{"a":".."}}`, "in the same folder"},
		"not in the file":    {`{"weight_map":{"a":"1.safetensors","b":"1.safetensors"}}`, `the tensor "b"`},
		"an index in itself": {`{"weight_map":{"a":"index.json"}}`, "a file in the format of"},
		"two formats":        {`{"weight_map":{"a":"1.safetensors","array":"3.npy"}}`, "of the format safetensors"},
		"text behind":        {`{"weight_map":{}} {}`, "the end of the text"},
		"deep":               {`{"metadata":` + strings.Repeat(`[`, 2000) + `}`, "values in one another"},
		"no value":           {`{"metadata":maybe,"weight_map":{}}`, "a value"},
		"not UTF-8":          {"{\"\xff\":1}", "UTF-8"},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(dir, "index.json")
			if err := os.WriteFile(path, []byte(tc.index), 0o666); err != nil {
				t.Fatal(err)
			}
			_, err := checkpoint.Open(path)
			var format *checkpoint.FormatError
			if !errors.As(err, &format) || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("got %v, want a FormatError with %q", err, tc.want)
			}
		})
	}
	t.Run("missing file", func(t *testing.T) {
		path := filepath.Join(dir, "index.json")
		if err := os.WriteFile(path, []byte(`{"weight_map":{"a":"4.safetensors"}}`), 0o666); err != nil {
			t.Fatal(err)
		}
		if _, err := checkpoint.Open(path); !errors.Is(err, os.ErrNotExist) || !strings.Contains(err.Error(), "index.json: 4.safetensors: ") {
			t.Errorf("got %v", err)
		}
	})
	t.Run("others", func(t *testing.T) {
		path := filepath.Join(dir, "index.json")
		if err := os.WriteFile(path, []byte(` {"metadata":{"total_size":8,"x":[null,true,-1.5e3,"y"]},"weight_map":{"a":"1.safetensors","b":"2.safetensors"}}`), 0o666); err != nil {
			t.Fatal(err)
		}
		checkSame(t, path, map[string]*tensor.Tensor{"a": tensor.Of(1.5), "b": tensor.Of(1.5)})
	})
}

// TestFolders finds the file of a folder, where there is one.
func TestFolders(t *testing.T) {
	dir := t.TempDir()
	if _, err := checkpoint.Open(dir); err == nil || !strings.Contains(err.Error(), "a folder with a .safetensors") {
		t.Errorf("an empty folder: %v", err)
	}
	want := map[string]*tensor.Tensor{"a": tensor.Of(1.5)}
	if err := checkpoint.Write(filepath.Join(dir, "model.safetensors"), want); err != nil {
		t.Fatal(err)
	}
	checkSame(t, dir, want)
	if err := checkpoint.Write(filepath.Join(dir, "other.safetensors"), want); err != nil {
		t.Fatal(err)
	}
	if _, err := checkpoint.Open(dir); err == nil || !strings.Contains(err.Error(), "model.safetensors and other.safetensors") {
		t.Errorf("two models: %v", err)
	}
}

// TestShardsWithoutIndex reads no other model in their place, unless readers prefer that.
func TestShardsWithoutIndex(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "model.safetensors")
	want := map[string]*tensor.Tensor{"a": tensor.Ones(10), "b": tensor.Ones(10)}
	if err := checkpoint.Write(filepath.Join(dir, "model.bin"), map[string]*tensor.Tensor{"c": tensor.Of(1.5)}); err != nil {
		t.Fatal(err)
	}
	if err := checkpoint.Write(path, want, checkpoint.ShardSize(40)); err != nil {
		t.Fatal(err)
	}
	checkSame(t, dir, want)
	if err := os.Remove(path + ".index.json"); err != nil {
		t.Fatal(err)
	}
	if _, err := checkpoint.Open(dir); err == nil || err.Error() != dir+": expected the index of model-00001-of-00002.safetensors, but found none" {
		t.Errorf("got %v", err)
	}
	if err := checkpoint.Write(path, want); err != nil {
		t.Fatal(err)
	}
	checkSame(t, dir, want)
}
