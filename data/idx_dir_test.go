package data

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// writePair writes n pictures of 2x2 pixels, each filled with its index, and labels 0, 1, 2, 0, ...
func writePair(t *testing.T, dir, set string, n int) {
	t.Helper()
	pixels, labels := make([]uint8, 4*n), make([]uint8, n)
	for i := range pixels {
		pixels[i] = uint8(i / 4)
	}
	for i := range labels {
		labels[i] = uint8(i % 3)
	}
	write(t, dir, set+"-images-idx3-ubyte", idxBytes(0x08, []uint32{uint32(n), 2, 2}, pixels))
	write(t, dir, set+"-labels-idx1-ubyte.gz", gzipped(idxBytes(0x08, []uint32{uint32(n)}, labels)))
}

func TestReadIDXDir(t *testing.T) {
	cases := []struct {
		name         string
		sets         map[string]int
		train, test  int
		firstOfTests uint8
	}{
		{"both pairs", map[string]int{"train": 7, "t10k": 4}, 7, 4, 0},
		{"test pair alone", map[string]int{"t10k": 10}, 8, 2, 8},
		{"training pair alone", map[string]int{"train": 6}, 4, 2, 4},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			dir := t.TempDir()
			for set, n := range c.sets {
				writePair(t, dir, set, n)
			}
			train, test, err := ReadIDXDir(dir)
			if err != nil {
				t.Fatal(err)
			}
			if train.Len() != c.train || test.Len() != c.test {
				t.Errorf("got %d and %d images, want %d and %d", train.Len(), test.Len(), c.train, c.test)
			}
			pixels, label := test.At(0)
			if len(pixels) != 4 || pixels[3] != c.firstOfTests || label != c.firstOfTests%3 {
				t.Errorf("first test image is %v with label %d, want %d", pixels, label, c.firstOfTests)
			}
			if train.Classes != 3 || test.Classes != 3 || test.Height != 2 || test.Width != 2 {
				t.Errorf("got %d classes and %dx%d images", train.Classes, test.Height, test.Width)
			}
		})
	}
}

func TestReadIDXDirRefuses(t *testing.T) {
	cases := []struct {
		name string
		make func(t *testing.T, dir string)
		want string
		is   error
	}{
		{"empty directory", func(*testing.T, string) {}, "no train-images-idx3-ubyte and no t10k-images-idx3-ubyte", fs.ErrNotExist},
		{"no labels", func(t *testing.T, dir string) {
			writePair(t, dir, "t10k", 3)
			os.Remove(filepath.Join(dir, "t10k-labels-idx1-ubyte.gz"))
		}, "t10k-labels-idx1-ubyte", fs.ErrNotExist},
		{"no images", func(t *testing.T, dir string) {
			writePair(t, dir, "t10k", 3)
			writePair(t, dir, "train", 3)
			os.Remove(filepath.Join(dir, "train-images-idx3-ubyte"))
		}, "train-images-idx3-ubyte", fs.ErrNotExist},
		{"counts differ", func(t *testing.T, dir string) {
			writePair(t, dir, "t10k", 3)
			write(t, dir, "t10k-labels-idx1-ubyte", idxBytes(0x08, []uint32{2}, []uint8{0, 1}))
		}, "t10k-labels-idx1-ubyte:offset 4: 2 labels for the 3 images of t10k-images-idx3-ubyte", nil},
		{"labels as images", func(t *testing.T, dir string) {
			writePair(t, dir, "t10k", 3)
			write(t, dir, "t10k-images-idx3-ubyte", idxBytes(0x08, []uint32{3}, []uint8{0, 1, 2}))
		}, "offset 3: the number of axes is 1, not 3", nil},
		{"float images", func(t *testing.T, dir string) {
			writePair(t, dir, "t10k", 1)
			write(t, dir, "t10k-images-idx3-ubyte", idxBytes(0x0d, []uint32{1, 1, 1}, []float32{1}))
		}, "offset 2: elements are torch.float32, not torch.uint8", nil},
		{"sizes differ", func(t *testing.T, dir string) {
			writePair(t, dir, "train", 3)
			writePair(t, dir, "t10k", 1)
			write(t, dir, "t10k-images-idx3-ubyte", idxBytes(0x08, []uint32{1, 1, 2}, []uint8{1, 2}))
		}, "test images are 1x2, training images 2x2", nil},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			dir := t.TempDir()
			c.make(t, dir)
			_, _, err := ReadIDXDir(dir)
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Fatalf("got %v, want %q", err, c.want)
			}
			if c.is == nil && !errors.As(err, new(*FormatError)) || c.is != nil && !errors.Is(err, c.is) {
				t.Errorf("%v has the wrong type, %T", err, err)
			}
		})
	}
	if _, _, err := ReadIDXDir(filepath.Join(t.TempDir(), "absent")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("absent directory: got %v", err)
	}
}

func TestReadIDXDirMNIST(t *testing.T) {
	root := os.Getenv("CRESSET_DATA")
	if root == "" {
		t.Skip("CRESSET_DATA names no directory of data sets")
	}
	train, test, err := ReadIDXDir(filepath.Join(root, "mnist"))
	if err != nil {
		t.Fatal(err)
	}
	if n := train.Len() + test.Len(); n != 10000 && n != 70000 {
		t.Errorf("got %d images, want 10,000 (the test pair) or 70,000 (both)", n)
	}
	if train.Height != 28 || train.Width != 28 || train.Classes != 10 {
		t.Errorf("got %dx%d images of %d classes", train.Height, train.Width, train.Classes)
	}
}
