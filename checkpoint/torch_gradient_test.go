package checkpoint

import (
	"errors"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"cresset/dtype"
)

// gradients returns what a file says of its tensors' gradients.
func gradients(t *testing.T, path string) map[string]gradient {
	t.Helper()
	f, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	out := map[string]gradient{}
	for _, e := range f.Entries() {
		out[e.Name] = e.grad
	}
	return out
}

// TestConvertKeepsParameters takes a file of torch.save from one of PyTorch's formats to the other and back.
func TestConvertKeepsParameters(t *testing.T) {
	want := map[string]gradient{"weight": {true, true}, "tied": {true, true}, "frozen": {false, true}, "leaf": {true, false}, "plain": {}}
	recorded := filepath.Join("testdata", "parameters.pt")
	legacy, again, renamed := filepath.Join(t.TempDir(), "a.pt"), filepath.Join(t.TempDir(), "b.pt"), filepath.Join(t.TempDir(), "c.pt")
	same := Rename(func(name string) string { return name })
	if err := errors.Join(Convert(recorded, legacy, PyTorchLegacy), Convert(legacy, again, As(dtype.Float16)), Convert(again, renamed, same)); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{recorded, legacy, again, renamed} {
		if got := gradients(t, path); !maps.Equal(got, want) {
			t.Errorf("%s: got %v, want %v", path, got, want)
		}
	}
}

// TestTensorsWithMoreToDoAreListed reads the rest of a file with conjugated and negated tensors, as PyTorch leaves them, and of one
// with arrays of objects and records.
func TestTensorsWithMoreToDoAreListed(t *testing.T) {
	for file, want := range map[string]map[string]string{
		"conjugated.pt": {"plain": "float32", "conj": "conjugated complex64", "neg": "negated float32", "both": "negated conjugated complex64"},
		"objects.npz":   {"numbers": "<f4", "objects": "|O", "records": "[('x', '<f4'), ('y', '<i8', (2,))]"},
	} {
		f, err := Open(filepath.Join("testdata", file))
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		got := map[string]string{}
		for _, e := range f.Entries() {
			got[e.Name] = e.DType
			x, err := f.Tensor(e.Name)
			if e.Name == "plain" || e.Name == "numbers" {
				if err != nil || e.Type != dtype.Float32 || x.DType() != dtype.Float32 {
					t.Errorf("%s: %s: got %v, %v", file, e.Name, x, err)
				}
				continue
			}
			var unknown *DTypeError
			if !errors.As(err, &unknown) || unknown.Tensor != e.Name || unknown.DType != e.DType || e.Type != dtype.Undefined {
				t.Errorf("%s: %s: got %v", file, e.Name, err)
			}
			for _, to := range []string{"x.pt", "x.npz", "x.safetensors"} {
				only := Rename(func(name string) string { return strings.Repeat("x", strings.Count(name, e.Name)) })
				if err := Convert(filepath.Join("testdata", file), filepath.Join(t.TempDir(), to), only); !errors.As(err, &unknown) {
					t.Errorf("%s: %s to %s: got %v", file, e.Name, to, err)
				}
			}
		}
		if !maps.Equal(got, want) {
			t.Errorf("%s: got %v, want %v", file, got, want)
		}
	}
}

// TestPlainMetadata reads a tensor whose switches are all off.
func TestPlainMetadata(t *testing.T) {
	args := slices.Concat(six.Args, []any{dictOf("conj", false, "neg", false)})
	f, err := openBytes(zipOf(torchMembers(call("torch._utils._rebuild_tensor_v2", args...)), 0), Limits{})
	if err != nil || f.Entries()[0].Type != dtype.Float32 {
		t.Errorf("got %v", err)
	}
}
