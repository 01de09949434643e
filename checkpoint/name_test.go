package checkpoint_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"cresset/checkpoint"
	"cresset/tensor"
)

// TestNamesOfEachFormat writes names at the edge of what a format can hold, which come back as they were, or refuses them by name
// and writes no file.
func TestNamesOfEachFormat(t *testing.T) {
	long := strings.Repeat("x", 1<<16)
	const all = ".safetensors .pt .npz"
	for _, c := range []struct{ what, name, formats string }{
		{"empty", "", all},
		{"white space", " \t\n", all},
		{"not ASCII", "größe.层", all},
		{"a suffix of NPY", "a.npy", all},
		{"an escape", "a\"'\\u0061", ".safetensors .pt"},
		{"a zero byte", "a\x00", ".safetensors .pt"},
		{"a way out", "../a", ".safetensors .pt"},
		{"a folder twice", "a//b", ".safetensors .pt"},
		{"a drive", "c:a", ".safetensors .pt"},
		{"longer than a zip's", long, ".safetensors .pt"},
		{"as long as a zip's", long[:1<<16-1-len(".npy")], all},
		{"PyTorch's own", "data.pkl", all},
		{"safetensors' own", "__metadata__", ".pt .npz"},
		{"not UTF-8", "\xff", ""},
	} {
		for _, format := range strings.Fields(all) {
			path := filepath.Join(t.TempDir(), "x"+format)
			want := map[string]*tensor.Tensor{c.name: tensor.Ones(2), "other": tensor.Zeros(2)}
			err := checkpoint.Write(path, want)
			if strings.Contains(c.formats, format) {
				if err != nil {
					t.Errorf("%s, %s: %v", c.what, format, err)
					continue
				}
				checkSame(t, path, want)
				continue
			}
			if err == nil || !strings.HasPrefix(err.Error(), "write "+path+": ") || len(err.Error()) > 1000 {
				t.Errorf("%s, %s: got %v", c.what, format, err)
			}
			if _, err := os.Stat(path); !os.IsNotExist(err) {
				t.Errorf("%s, %s: there is a file: %v", c.what, format, err)
			}
		}
	}
}

// TestMetadataThatSafetensorsCannotHold is refused: what is no text.
func TestMetadataThatSafetensorsCannotHold(t *testing.T) {
	for want, texts := range map[string]map[string]string{
		`the metadata "key" is not UTF-8`:  {"key": "\xff"},
		`the metadata "\xff" is not UTF-8`: {"\xff": ""},
	} {
		path := filepath.Join(t.TempDir(), "x.safetensors")
		if err := checkpoint.Write(path, nil, checkpoint.Metadata(texts)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}

// TestMoreAxesThanTensorsHave lists what PyTorch and NumPy can have and tensors here cannot; reading it is an error.
func TestMoreAxesThanTensorsHave(t *testing.T) {
	ones := "1" + strings.Repeat(", 1", 19)
	for name, content := range map[string][]byte{
		"x.safetensors": safetensors(`{"array":{"dtype":"F32","shape":[`+ones+`],"data_offsets":[0,4]}}`, 4),
		"x.npy":         npy(`{'descr': '<f4', 'fortran_order': True, 'shape': (`+ones+`)}`, 4),
	} {
		f, err := checkpoint.Open(written(t, name, content))
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		const want = `tensor "array": tensors with more than 16 dimensions are not supported`
		check(t, []attempt{
			{"Tensor", func() error { _, err := f.Tensor("array"); return err }, want},
			{"Tensors", func() error { _, err := f.Tensors(); return err }, want},
			{"Value", func() error { _, err := f.Value(); return err }, want},
		})
	}
}
