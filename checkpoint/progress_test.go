package checkpoint_test

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"cresset/checkpoint"
	"cresset/dtype"
	"cresset/tensor"
)

// TestProgressStops ends reading and writing at each part of a tensor larger than one, in every way that elements take, and
// wants nothing beside the file that was read.
func TestProgressStops(t *testing.T) {
	const n = 2_100_000 // two parts of 8 MiB and a bit
	dir := t.TempDir()
	in, out := filepath.Join(dir, "in.pt"), filepath.Join(dir, "out")
	x := tensor.Arange(0, n, 1)
	value := map[string]*tensor.Tensor{"whole": x, "across": x.View(2, n/2).Transpose(0, 1)}
	if err := checkpoint.Write(in, value); err != nil {
		t.Fatal(err)
	}
	f, err := checkpoint.Open(in)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	net := &struct{ Whole, Across *tensor.Tensor }{tensor.Zeros(n), tensor.Zeros(n/2, 2)}
	convert := func(opts ...checkpoint.ConvertOption) func(checkpoint.ProgressOption) error {
		return func(p checkpoint.ProgressOption) error { return checkpoint.Convert(in, out, append(opts, p)...) }
	}
	for name, do := range map[string]func(checkpoint.ProgressOption) error{
		"to safetensors":   convert(checkpoint.Safetensors),
		"in shards":        convert(checkpoint.Safetensors, checkpoint.ShardSize(4*n)),
		"to pytorch":       convert(checkpoint.PyTorch),
		"to legacy":        convert(checkpoint.PyTorchLegacy),
		"to npz":           convert(checkpoint.NPZ),
		"of another dtype": convert(checkpoint.PyTorch, checkpoint.As(dtype.Float16)),
		"written":          func(p checkpoint.ProgressOption) error { return checkpoint.Write(out, value, checkpoint.NPZ, p) },
		"a value": func(p checkpoint.ProgressOption) error {
			return checkpoint.WriteValue(out, value, checkpoint.PyTorch, p)
		},
		"a tensor":        func(p checkpoint.ProgressOption) error { _, err := f.Tensor("whole", p); return err },
		"a tensor across": func(p checkpoint.ProgressOption) error { _, err := f.Tensor("across", p); return err },
		"all tensors":     func(p checkpoint.ProgressOption) error { _, err := f.Tensors(p); return err },
		"the value":       func(p checkpoint.ProgressOption) error { _, err := f.Value(p); return err },
		"a model":         func(p checkpoint.ProgressOption) error { return checkpoint.Load(in, net, p) },
	} {
		enough, calls := errors.New("enough"), 0
		for left := 0; ; left++ {
			calls = 0
			err := do(checkpoint.Progress(func(done, total int64) error {
				if calls++; done < 0 || done > total {
					t.Errorf("%s: %d of %d bytes", name, done, total)
				}
				if calls > left {
					return enough
				}
				return nil
			}))
			if calls > left && !errors.Is(err, enough) || calls <= left && err != nil {
				t.Errorf("%s, call %d: %v", name, left, err)
			}
			if calls <= left {
				break
			}
			if files := filesIn(t, dir); !slices.Equal(files, []string{"in.pt"}) {
				t.Fatalf("%s, call %d: left: %q", name, left, files)
			}
		}
		if calls < 2 {
			t.Errorf("%s: told %d times", name, calls)
		}
		clean(t, dir, "in.pt")
	}
}

// clean removes all files of a folder but one.
func clean(t *testing.T, dir, but string) {
	t.Helper()
	for _, name := range filesIn(t, dir) {
		if name == but {
			continue
		}
		if err := os.Remove(filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
}
