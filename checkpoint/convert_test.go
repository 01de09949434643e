package checkpoint_test

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"cresset/checkpoint"
	"cresset/dtype"
)

// TestTensorsWrittenAgain converts the files of others into other formats, and reads the same tensors there.
// scripts/check_written.py has safetensors and NumPy read them.
func TestTensorsWrittenAgain(t *testing.T) {
	for from, to := range map[string][]string{
		"cnn.safetensors": {".safetensors", ".npz", ".pt"}, "dtypes.safetensors": {".safetensors", ".pt"}, "empty.safetensors": {".safetensors", ".npz"},
		"transformer_bf16.safetensors": {".safetensors", ".pt"}, "dtypes_more.safetensors": {".safetensors"},
		"cnn.pt": {".safetensors", ".npz"}, "transformer.pt": {".safetensors"}, "big_endian.pt": {".safetensors", ".npz"}, "views.pt": {".safetensors", ".npz"},
		"arrays.npz": {".npz"}, "arrays_compressed.npz": {".npz"},
		"f16.npy": {".npy"}, "fortran.npy": {".npy"}, "big_f64_fortran.npy": {".npy"}, "scalar.npy": {".npy"}, "empty.npy": {".npy"}, "bool.npy": {".npy"},
	} {
		for _, format := range to {
			t.Run(from+" as "+format, func(t *testing.T) {
				original := filepath.Join("testdata", from)
				folder := os.Getenv("CRESSET_WRITTEN")
				if folder == "" {
					folder = t.TempDir()
				}
				path := filepath.Join(folder, from+" as x"+format)
				if err := checkpoint.Convert(original, path); err != nil {
					t.Fatal(err)
				}
				checkConverted(t, path, original)
			})
		}
	}
}

// checkConverted wants a file to hold the tensors of another.
func checkConverted(t *testing.T, path, original string) {
	t.Helper()
	var files [2]*checkpoint.File
	for i, name := range []string{path, original} {
		f, err := checkpoint.Open(name)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		files[i] = f
	}
	got, want := files[0], files[1]
	if len(got.Entries()) != len(want.Entries()) {
		t.Errorf("%d tensors, want %d", len(got.Entries()), len(want.Entries()))
	}
	for _, e := range want.Entries() {
		x, err := want.Tensor(e.Name)
		y, failed := got.Tensor(e.Name)
		var kind *checkpoint.DTypeError
		if errors.As(err, &kind) && errors.As(failed, &kind) {
			continue // cresset lacks the dtype
		}
		if err != nil || failed != nil || x.DType() != y.DType() || !slices.Equal(x.Shape(), y.Shape()) || !bytes.Equal(bytesOf(x), bytesOf(y)) {
			t.Errorf("%s is %v, %v, want %v, %v", e.Name, y, failed, x, err)
		}
	}
}

// TestConvertKeepsValues takes what is no tensor from one of PyTorch's formats to the other.
func TestConvertKeepsValues(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.pt")
	if err := checkpoint.Convert("testdata/training.pt", path, checkpoint.PyTorchLegacy); err != nil {
		t.Fatal(err)
	}
	f, err := checkpoint.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	v, err := f.Value()
	if err != nil {
		t.Fatal(err)
	}
	if epoch, ok := v.(*checkpoint.Dict).Lookup("epoch"); !ok || epoch != 3 {
		t.Errorf("epoch %v, want 3", epoch)
	}
	if f.Format() != checkpoint.PyTorchLegacy {
		t.Errorf("the format is %s", f.Format())
	}
}

// TestConvertTells says how far it is, and what it cannot write.
func TestConvertTells(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.npz")
	last, total := int64(0), int64(0)
	err := checkpoint.Convert("testdata/cnn.safetensors", path, checkpoint.As(dtype.Float64), checkpoint.Progress(func(done, all int64) error {
		if done < last || done > all {
			t.Errorf("%d of %d after %d", done, all, last)
		}
		last, total = done, all
		return nil
	}))
	if err != nil || last != total || total != 309*8+8 {
		t.Errorf("%v, %d of %d bytes", err, last, total)
	}
	var kind *checkpoint.DTypeError
	if err := checkpoint.Convert("testdata/transformer_bf16.safetensors", path); !errors.As(err, &kind) || kind.DType != "BF16" {
		t.Errorf("bfloat16 as NPZ: %v", err)
	}
	if err := checkpoint.Convert("testdata/dtypes_more.safetensors", path); !errors.As(err, &kind) || !strings.HasPrefix(kind.DType, "F8") && kind.DType[0] != 'U' {
		t.Errorf("other dtypes as NPZ: %v", err)
	}
}
