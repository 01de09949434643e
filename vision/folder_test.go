package vision

import (
	"errors"
	"image"
	"image/color"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"cresset/data"
	"cresset/tensor"
)

// pictures makes a folder of gray pictures by their paths; a brightness of -1 is a folder.
func pictures(t *testing.T, files map[string]int) string {
	t.Helper()
	dir := t.TempDir()
	for name, brightness := range files {
		path := filepath.Join(dir, filepath.FromSlash(name))
		folder := filepath.Dir(path)
		if brightness < 0 {
			folder = path
		}
		if err := os.MkdirAll(folder, 0o700); err != nil {
			t.Fatal(err)
		}
		if brightness < 0 {
			continue
		}
		m := image.NewGray(image.Rect(0, 0, 4, 3))
		for i := range m.Pix {
			m.Set(i%4, i/4, color.Gray{uint8(brightness)})
		}
		if err := os.WriteFile(path, encodedPNG(t, m), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func TestReadFolder(t *testing.T) {
	dir := pictures(t, map[string]int{"dog/b.png": 2, "dog/a.PNG": 1, "cat/deep/z.png": 4, "cat/y.png": 3, "cat/notes.txt": 0, "top.png": 9})
	set, err := ReadFolder(dir, Compose(CenterCrop(2, 2), ToFloat()))
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, p := range set.Pictures {
		names = append(names, filepath.Base(p.Path))
	}
	if !slices.Equal(set.Classes, []string{"cat", "dog"}) || set.ClassToIndex()["dog"] != 1 || !slices.Equal(names, []string{"y.png", "z.png", "a.PNG", "b.png"}) {
		t.Errorf("got classes %v, pictures %v", set.Classes, set.Pictures)
	}
	for b, err := range data.NewLoader(set, data.BatchSize(4), data.Workers(2)).All(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		if got := tensor.Values[float32](b.Inputs.Select(1, 0).Select(1, 0).Select(1, 0).MulScalar(255).Round()); !slices.Equal(got, []float32{3, 4, 1, 2}) ||
			!slices.Equal(b.Inputs.Shape(), []int{4, 3, 2, 2}) || !slices.Equal(tensor.Values[int64](b.Targets), []int64{0, 0, 1, 1}) {
			t.Errorf("got %v of %v, classes %v", got, b.Inputs.Shape(), b.Targets)
		}
	}
	if set, err = ReadFolder(dir, Gray); err != nil {
		t.Fatal(err)
	}
	if x, err := set.At(3, nil); err != nil || !slices.Equal(x.Shape(), []int{1, 3, 4}) {
		t.Errorf("gray: got %v, %v", x, err)
	}
}

func TestReadFolderRefuses(t *testing.T) {
	for _, c := range []struct {
		files map[string]int
		want  string
	}{
		{map[string]int{"a.png": 1}, "couldn't find any class folder in DIR: file does not exist"},
		{map[string]int{"cat/a.png": 1, "dog": -1, "eel": -1},
			"found no valid file for the classes dog, eel. Supported extensions are: .jpg, .jpeg, .png, .gif: file does not exist"},
	} {
		dir := pictures(t, c.files)
		_, err := ReadFolder(dir)
		if err == nil || !errors.Is(err, fs.ErrNotExist) || strings.ReplaceAll(err.Error(), dir, "DIR") != c.want {
			t.Errorf("got %v, want %s", err, c.want)
		}
	}
	dir := pictures(t, map[string]int{"cat/a.png": 1, "dog": -1})
	if set, err := ReadFolder(dir, AllowEmpty(true)); err != nil || len(set.Classes) != 2 {
		t.Errorf("an empty class: got %v", err)
	}
	if _, err := ReadFolder(filepath.Join(dir, "none")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("no folder: got %v", err)
	}
	broken := filepath.Join(dir, "cat", "b.jpg")
	if err := os.WriteFile(broken, []byte("\xff\xd8"), 0o600); err != nil {
		t.Fatal(err)
	}
	set, err := ReadFolder(dir, RandomCrop(9, 9), AllowEmpty(true))
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []string{
		"sample 0: DIR/cat/a.png: Required crop size (9, 9) is larger than input image size (3, 4)",
		"sample 1: DIR/cat/b.jpg: the file ends before the picture does",
	} {
		if _, err := set.Batch([]int{i}); err == nil || filepath.ToSlash(strings.ReplaceAll(err.Error(), dir, "DIR")) != want {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}

// TestTransformed: pictures are transformed one by one, alike for any number of workers.
func TestTransformed(t *testing.T) {
	set := NewTransformed(data.Glyphs(data.Count(40)), Compose(RandomCrop(20, 24), RandomHorizontalFlip(0.5)))
	var want []float32
	for _, workers := range []int{0, 1, 3} {
		tensor.ManualSeed(1)
		var got []float32
		for b, err := range data.NewLoader(set, data.BatchSize(7), data.Workers(workers)).All(t.Context()) {
			if err != nil || !slices.Equal(b.Inputs.Shape()[1:], []int{1, 20, 24}) {
				t.Fatal(b.Inputs.Shape(), err)
			}
			got = append(got, tensor.Values[float32](b.Inputs)...)
		}
		if want == nil {
			want = got
		}
		if !slices.Equal(got, want) {
			t.Errorf("%d workers give other pictures", workers)
		}
	}
	if b, err := set.Batch([]int{3, 3, 3, 3, 3, 3, 3, 3}); err != nil || b.Inputs.Select(0, 0).Equal(b.Inputs.Select(0, 1)) && b.Inputs.Select(0, 0).Equal(b.Inputs.Select(0, 2)) {
		t.Errorf("one picture is cropped alike (%v)", err)
	}
}
