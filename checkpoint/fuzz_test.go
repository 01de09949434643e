package checkpoint

import (
	"archive/zip"
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"cresset/device"
	"cresset/tensor"
)

// fuzz reads files and their tensors, beginning with those in testdata of the given names: they are read, or refused with a
// FormatError or a DTypeError, and never panic.
func fuzz(f *testing.F, formats []format, seeds ...string) {
	for _, pattern := range seeds {
		files, err := filepath.Glob(filepath.Join("testdata", pattern))
		if err != nil || len(files) == 0 {
			f.Fatalf("%s: %v, %v", pattern, files, err)
		}
		for _, file := range files {
			content, err := os.ReadFile(file)
			if err != nil {
				f.Fatal(err)
			}
			f.Add(content)
		}
	}
	path := filepath.Join(f.TempDir(), "x")
	for _, beside := range []string{"cnn.safetensors", "f32.npy"} { // which an index may name
		content, err := os.ReadFile(filepath.Join("testdata", beside))
		if err == nil {
			err = os.WriteFile(filepath.Join(filepath.Dir(path), beside), content, 0o666)
		}
		if err != nil {
			f.Fatal(err)
		}
	}
	f.Fuzz(func(t *testing.T, content []byte) {
		s := &source{path: path, file: memoryFile{bytes.NewReader(content)}, size: int64(len(content)), limits: Limits{Bytes: 1 << 24}.orDefault()}
		opened, err := s.open(formats)
		if err != nil {
			refusal(t, err)
			return
		}
		for _, e := range opened.Entries() {
			if _, err := opened.Tensor(e.Name); err != nil {
				refusal(t, err)
			}
		}
		if _, err := opened.Tensors(); err != nil {
			refusal(t, err)
		}
		if _, err := opened.Value(); err != nil {
			refusal(t, err)
		}
	})
}

// memoryFile is a file that is not on a disk.
type memoryFile struct{ *bytes.Reader }

func (memoryFile) Close() error { return nil }

// refusal fails where an error is not one of those that a file may cause.
func refusal(t *testing.T, err error) {
	t.Helper()
	var format *FormatError
	var kind *DTypeError
	var path *fs.PathError // an index may name what is not there
	if !errors.As(err, &format) && !errors.As(err, &kind) && !errors.As(err, &path) && !errors.Is(err, tensor.ErrShape) {
		t.Errorf("%T: %v", err, err)
	}
}

// FuzzSafetensors reads files in the format of safetensors.
func FuzzSafetensors(f *testing.F) {
	fuzz(f, []format{{startsWith(""), openSafetensors}}, "*.safetensors")
}

// FuzzNPY reads arrays.
func FuzzNPY(f *testing.F) { fuzz(f, []format{{startsWith(""), openNPY}}, "*.npy") }

// FuzzZip reads the layout of zip files, and NPZ.
func FuzzZip(f *testing.F) { fuzz(f, []format{{startsWith(""), openZip}}, "*.npz", "protocol3.pt") }

// FuzzIndex reads indexes of shards, of which two files are there.
func FuzzIndex(f *testing.F) {
	f.Add([]byte(`{"weight_map":{"array":"f32.npy"}}`))
	f.Add([]byte(`{"metadata":{"total_size":1e3},"weight_map":{"features.0.weight":"cnn.safetensors","features.1.bias":"cnn.safetensors"}}`))
	fuzz(f, []format{{startsWith(""), openIndex}}, "*.index.json")
}

// FuzzTorchLegacy reads the legacy form of PyTorch's files.
func FuzzTorchLegacy(f *testing.F) {
	fuzz(f, []format{{startsWith(""), openTorchLegacy}}, "*_legacy.pt")
}

// FuzzTorchPickle reads what PyTorch's files pickle, beside the storages of one file.
func FuzzTorchPickle(f *testing.F) {
	files, err := filepath.Glob("testdata/*.pt")
	if err != nil {
		f.Fatal(err)
	}
	for _, file := range files {
		z, err := zip.OpenReader(file)
		if err != nil {
			continue // the legacy form
		}
		for _, m := range z.File {
			if filepath.Base(m.Name) == torchPickle {
				in, err := m.Open()
				if err != nil {
					f.Fatal(err)
				}
				text, err := io.ReadAll(in)
				if err != nil {
					f.Fatal(err)
				}
				f.Add(text)
			}
		}
		z.Close()
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		s := &source{path: "x", size: int64(len(text)), limits: Limits{}.orDefault()}
		r := newTorchFile(s, PyTorch, torchPickle, bytes.NewReader(text), 0)
		tree, err := r.decode()
		if err == nil {
			err = r.setTree(tree)
		}
		if err == nil {
			_, err = (&File{within: r.contents}).Value(On(device.Meta))
		}
		if err != nil {
			refusal(t, err)
		}
	})
}

// FuzzOpen reads files of any format.
func FuzzOpen(f *testing.F) { fuzz(f, readers, "*.safetensors", "*.np[yz]", "*.pt") }
