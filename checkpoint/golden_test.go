package checkpoint_test

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"cresset/checkpoint"
	"cresset/dtype"
	"cresset/tensor"
)

// recording is testdata/expected.json: what PyTorch, safetensors and NumPy read in the files beside it.
type recording struct {
	Files map[string]recordedFile
}

type recordedFile struct {
	Format   string
	Refused  bool
	Metadata map[string]string
	Tensors  map[string]recordedTensor // safetensors
	Arrays   map[string]recordedTensor // NPZ
	Array    *recordedTensor           // NPY
}

type recordedTensor struct {
	DType   string
	Descr   string
	Fortran bool `json:"fortran_order"`
	Shape   []int
	SHA256  string
}

func readRecording(t *testing.T) (r recording) {
	t.Helper()
	text, err := os.ReadFile("testdata/expected.json")
	if err == nil {
		err = json.Unmarshal(text, &r)
	}
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// TestFilesOfOthers reads every safetensors, NPY and NPZ file as it was recorded.
func TestFilesOfOthers(t *testing.T) {
	files := 0
	for name, want := range readRecording(t).Files {
		switch want.Format {
		case "safetensors":
		case "npz":
			want.Tensors = want.Arrays
		case "npy":
			if want.Array != nil {
				want.Tensors = map[string]recordedTensor{"array": *want.Array}
			}
		default:
			continue
		}
		files++
		t.Run(name, func(t *testing.T) {
			if want.Refused {
				checkRefused(t, filepath.Join("testdata", name))
			} else {
				checkFile(t, filepath.Join("testdata", name), want)
			}
		})
	}
	if files < 15 {
		t.Errorf("%d files were read", files)
	}
}

// checkRefused wants a typed error from opening a file, or from reading what is in it.
func checkRefused(t *testing.T, path string) {
	t.Helper()
	f, err := checkpoint.Open(path)
	if err == nil {
		defer f.Close()
		_, err = f.Tensors()
	}
	var format *checkpoint.FormatError
	var kind *checkpoint.DTypeError
	if !errors.As(err, &format) && !errors.As(err, &kind) {
		t.Errorf("got %v, want a FormatError or a DTypeError", err)
	}
}

func checkFile(t *testing.T, path string, want recordedFile) {
	t.Helper()
	f, err := checkpoint.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if got := f.Metadata(); !maps.Equal(got, want.Metadata) {
		t.Errorf("metadata %q, want %q", got, want.Metadata)
	}
	if string(f.Format()) != want.Format || len(f.Entries()) != len(want.Tensors) {
		t.Errorf("%s with %d tensors, want %s with %d", f.Format(), len(f.Entries()), want.Format, len(want.Tensors))
	}
	for _, e := range f.Entries() {
		want, ok := want.Tensors[e.Name]
		if !ok {
			t.Errorf("tensor %q is not in the recording", e.Name)
			continue
		}
		checkTensor(t, f, e, want)
	}
}

func checkTensor(t *testing.T, f *checkpoint.File, e checkpoint.Entry, want recordedTensor) {
	t.Helper()
	if !slices.Equal(e.Shape, want.Shape) || want.Descr != "" && e.DType != want.Descr {
		t.Errorf("%s: %s%v, want %s%v", e.Name, e.DType, e.Shape, want.DType, want.Shape)
	}
	dt, err := dtype.Parse(want.DType)
	if err != nil { // cresset has no such dtype
		var kind *checkpoint.DTypeError
		if _, err := f.Tensor(e.Name); e.Type != dtype.Undefined || !errors.As(err, &kind) || kind.DType != e.DType {
			t.Errorf("%s: dtype %v and error %v, want none and a DTypeError about %s", e.Name, e.Type, err, e.DType)
		}
		return
	}
	x, err := f.Tensor(e.Name)
	if err != nil {
		t.Error(err)
		return
	}
	if x.DType() != dt || e.Type != dt || !slices.Equal(x.Shape(), want.Shape) || digest(x) != want.SHA256 {
		t.Errorf("%s: %s%s with hash %s, want %+v", e.Name, x.DType(), x.Shape(), digest(x), want)
	}
	if many := len(want.Shape) > 1 && x.NumEl() > 0; many && x.IsContiguous() == want.Fortran {
		t.Errorf("%s: strides %v, want Fortran order %t", e.Name, x.Stride(), want.Fortran)
	}
}

// digest returns the SHA-256 of the elements in row-major order, little-endian.
func digest(x *tensor.Tensor) string {
	sum := sha256.Sum256(bytesOf(x))
	return hex.EncodeToString(sum[:])
}
