package checkpoint_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"cresset/checkpoint"
	"cresset/dtype"
	"cresset/tensor"
)

// everyDType returns a tensor of each dtype, one without axes, one without elements, and views.
func everyDType() map[string]*tensor.Tensor {
	all := map[string]*tensor.Tensor{
		"scalar": tensor.Of(2.5), "empty": tensor.Empty(0, 3), "transposed": tensor.Arange(0, 6, 1).Float().View(2, 3).Transpose(0, 1),
		"every.other": tensor.Arange(0, 9, 1).Slice(0, 1, 9, 2), "expanded": tensor.Of([]float32{1, 2}).Expand(3, 2),
	}
	for dt := dtype.Bool; dt < dtype.Count; dt++ {
		all["of."+dt.Name()] = tensor.Arange(0, 6, 1).View(2, 3).To(dt)
	}
	return all
}

// TestRoundTrip writes tensors in each format and reads the same back.
func TestRoundTrip(t *testing.T) {
	for _, file := range []string{"x.safetensors", "x.npz", "x.NPZ"} {
		t.Run(file, func(t *testing.T) {
			want := everyDType()
			if !strings.HasSuffix(file, ".safetensors") {
				delete(want, "of.bfloat16") // which NumPy lacks
			}
			path := filepath.Join(t.TempDir(), file)
			ways := [][]checkpoint.WriteOption{nil}
			if !strings.HasSuffix(file, ".safetensors") {
				ways = append(ways, []checkpoint.WriteOption{checkpoint.Compressed(true)})
			}
			for _, opts := range ways {
				if err := checkpoint.Write(path, want, opts...); err != nil {
					t.Fatal(err)
				}
				checkSame(t, path, want)
			}
		})
	}
}

// checkSame wants a file to hold tensors of the given names, dtypes, shapes and elements.
func checkSame(t *testing.T, path string, want map[string]*tensor.Tensor, opts ...checkpoint.ReadOption) {
	t.Helper()
	f, err := checkpoint.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	got, err := f.Tensors(opts...)
	if err != nil {
		t.Fatal(err)
	}
	if len(got) != len(want) {
		t.Errorf("%d tensors, want %d", len(got), len(want))
	}
	for name, want := range want {
		got := got[name]
		if got == nil || got.DType() != want.DType() || !slices.Equal(got.Shape(), want.Shape()) || !bytes.Equal(bytesOf(got), bytesOf(want)) {
			t.Errorf("%s is %v, want %v", name, got, want)
		}
	}
}

// TestOneArray writes the only tensor as NPY, and no other number of them.
func TestOneArray(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.npy")
	for _, x := range everyDType() {
		if x.DType() == dtype.BFloat16 {
			continue
		}
		if err := checkpoint.Write(path, map[string]*tensor.Tensor{"whatever": x}); err != nil {
			t.Fatal(err)
		}
		checkSame(t, path, map[string]*tensor.Tensor{"array": x})
	}
	for _, n := range []int{0, 2} {
		several := map[string]*tensor.Tensor{}
		for i := range n {
			several[fmt.Sprint(i)] = tensor.Of(i)
		}
		if err := checkpoint.Write(path, several); err == nil {
			t.Errorf("%d tensors were written as NPY", n)
		}
	}
}

// TestAs converts floating tensors as they are written, or as they are read.
func TestAs(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.safetensors")
	given, want := everyDType(), everyDType()
	for name, x := range want {
		if x.DType().IsFloat() {
			want[name] = x.To(dtype.Float16)
		}
	}
	if err := checkpoint.Write(path, given, checkpoint.As(dtype.Float16)); err != nil {
		t.Fatal(err)
	}
	checkSame(t, path, want)
	if err := checkpoint.Write(path, given); err != nil {
		t.Fatal(err)
	}
	checkSame(t, path, want, checkpoint.As(dtype.Float16))
	if err := checkpoint.Write(path, given, checkpoint.As(dtype.Int32)); err == nil {
		t.Error("floating tensors were written as integers")
	}
}

// TestNamesAndMetadata writes other names than those of the tensors, and texts.
func TestNamesAndMetadata(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.safetensors")
	x := tensor.Arange(0, 3, 1)
	given := map[string]*tensor.Tensor{"a": x, "b": x.Neg(), "c": x}
	rename := checkpoint.Rename(func(name string) string { return strings.TrimPrefix(name, "c") + strings.Repeat("'", len(name)-1) })
	texts := map[string]string{"épisode": "\"3\" <&>\n", "format": "np"}
	if err := checkpoint.Write(path, given, rename, checkpoint.Prefix("net."), checkpoint.Metadata(texts)); err != nil {
		t.Fatal(err)
	}
	checkSame(t, path, map[string]*tensor.Tensor{"net.a": x, "net.b": x.Neg()})
	f, err := checkpoint.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if got := f.Metadata(); got["épisode"] != texts["épisode"] || got["format"] != "np" || len(got) != 2 {
		t.Errorf("metadata %q, want %q", got, texts)
	}
	if err := checkpoint.Write(path, given, checkpoint.Rename(func(string) string { return "same" })); err == nil {
		t.Error("three tensors were written under one name")
	}
}

// TestShards writes a set of files and reads it by its index, by its folder, and after it was replaced by a single file.
func TestShards(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "model.safetensors")
	want := map[string]*tensor.Tensor{}
	for i := range 10 {
		want[fmt.Sprintf("layer.%d", i)] = tensor.Arange(0, 10+i, 1)
	}
	if err := checkpoint.Write(path, want); err != nil {
		t.Fatal(err)
	}
	if err := checkpoint.Write(path, want, checkpoint.ShardSize(250)); err != nil {
		t.Fatal(err)
	}
	checkSame(t, path+".index.json", want)
	checkSame(t, dir, want)
	if _, err := os.Stat(path); err == nil {
		t.Error("the single file is still there, which readers prefer")
	}
	files, err := filepath.Glob(filepath.Join(dir, "model-0000?-of-00007.safetensors"))
	if err != nil || len(files) != 7 {
		t.Errorf("got %q, %v", files, err)
	}
	for _, file := range files {
		if info, err := os.Stat(file); err != nil || info.Size() > 250+1000 {
			t.Errorf("%s: %v, %v", file, info.Size(), err)
		}
	}
	if err := checkpoint.Write(path, want, checkpoint.ShardSize(1<<20)); err != nil {
		t.Fatal(err)
	}
	checkSame(t, dir, want)
	if err := checkpoint.Write(filepath.Join(dir, "x.npz"), want, checkpoint.ShardSize(250)); err == nil {
		t.Error("NPZ was written in shards")
	}
}
