package data

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"cresset/tensor"
)

// cifarRecord is a picture whose channels are of one value each, behind its labels.
func cifarRecord(labels []byte, r, g, b byte) []byte {
	record := slices.Clone(labels)
	for _, v := range []byte{r, g, b} {
		record = append(record, bytes.Repeat([]byte{v}, cifarSize*cifarSize)...)
	}
	return record
}

func writeFiles(t *testing.T, files map[string][]byte) (dir string) {
	t.Helper()
	dir = filepath.Join(t.TempDir(), "a [folder]")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	for name, content := range files {
		if err := os.WriteFile(filepath.Join(dir, name), content, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func TestReadCIFAR10Dir(t *testing.T) {
	dir := writeFiles(t, map[string][]byte{
		"data_batch_2.bin": cifarRecord([]byte{9}, 51, 0, 255),
		"data_batch_1.bin": slices.Concat(cifarRecord([]byte{3}, 1, 2, 3), cifarRecord([]byte{0}, 4, 5, 6)),
		"test_batch.bin":   cifarRecord([]byte{7}, 7, 8, 9),
		"batches.meta.txt": []byte("airplane\nautomobile\nbird\ncat\ndeer\ndog\nfrog\nhorse\nship\ntruck\n\n"),
	})
	train, test, err := ReadCIFAR10Dir(dir)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(train.Labels, []uint8{3, 0, 9}) || test.Len() != 1 || train.Names[9] != "truck" || test.Names[0] != "airplane" || train.Classes != 10 {
		t.Errorf("got labels %v, %d for testing, names %v", train.Labels, test.Len(), train.Names)
	}
	b, err := train.Batch([]int{2, 0})
	if err != nil || !slices.Equal(b.Inputs.Shape(), []int{2, 3, 32, 32}) {
		t.Fatal(b.Inputs.Shape(), err)
	}
	for channel, want := range []float64{0.2, 0, 1} {
		plane := b.Inputs.Select(0, 0).Select(0, channel)
		if low, high := plane.Min().Float64(), plane.Max().Float64(); float32(low) != float32(want) || low != high {
			t.Errorf("channel %d is from %v to %v, want %v", channel, low, high, want)
		}
	}
	first, rest := train.Split(1)
	if pixels, label := rest.At(1); pixels[0] != 51 || label != 9 || first.Len() != 1 || len(pixels) != 3072 {
		t.Errorf("after a split: got %d of %d pixels, label %d", pixels[0], len(pixels), label)
	}
}

func TestReadCIFAR100Dir(t *testing.T) {
	dir := writeFiles(t, map[string][]byte{"train.bin": cifarRecord([]byte{19, 99}, 1, 2, 3)})
	train, test, err := ReadCIFAR100Dir(dir)
	if err != nil || train.Len() != 1 || train.Labels[0] != 99 || train.Classes != 100 || train.Names != nil || test.Len() != 0 {
		t.Errorf("got %v, %v, %v", train, test, err)
	}
}

func TestReadCIFARRefuses(t *testing.T) {
	whole := cifarRecord([]byte{3}, 1, 2, 3)
	for want, content := range map[string][]byte{
		":offset 6145: the file ends within picture 1, which begins at offset 3073": slices.Concat(whole, whole[:3072]),
		":offset 3073: picture 1 is of class 10, and there are 10 classes":          slices.Concat(whole, cifarRecord([]byte{10}, 0, 0, 0)),
	} {
		dir := writeFiles(t, map[string][]byte{"test_batch.bin": content})
		_, _, err := ReadCIFAR10Dir(dir)
		var bad *FormatError
		if !errors.As(err, &bad) || strings.TrimPrefix(err.Error(), filepath.Join(dir, "test_batch.bin")) != want {
			t.Errorf("got %v, want %s", err, want)
		}
	}
	if _, _, err := ReadCIFAR10Dir(t.TempDir()); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("an empty folder: got %v", err)
	}
}

func TestReadFashionMNISTDir(t *testing.T) {
	image := append([]byte{0, 0, 8, 3, 0, 0, 0, 2, 0, 0, 0, 1, 0, 0, 0, 1}, 10, 20)
	dir := writeFiles(t, map[string][]byte{
		"train-images-idx3-ubyte": image, "train-labels-idx1-ubyte": {0, 0, 8, 1, 0, 0, 0, 2, 9, 0},
		"t10k-images-idx3-ubyte": image, "t10k-labels-idx1-ubyte": {0, 0, 8, 1, 0, 0, 0, 2, 1, 1},
	})
	train, test, err := ReadFashionMNISTDir(dir)
	if err != nil || train.Names[train.Labels[0]] != "Ankle boot" || test.Names[test.Labels[0]] != "Trouser" || test.Classes != 10 {
		t.Errorf("got %v, %v, %v", train, test, err)
	}
	if err := os.WriteFile(filepath.Join(dir, "t10k-labels-idx1-ubyte"), []byte{0, 0, 8, 1, 0, 0, 0, 2, 1, 10}, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, _, err := ReadFashionMNISTDir(dir); err == nil || !strings.HasSuffix(err.Error(), "there are 11 classes, and Fashion-MNIST has 10") {
		t.Errorf("an eleventh class: got %v", err)
	}
}

// FuzzCIFAR wants an error or whole pictures of classes that there are.
func FuzzCIFAR(f *testing.F) {
	f.Add(cifarRecord([]byte{3}, 1, 2, 3))
	f.Add([]byte{0x1f, 0x8b, 8})
	f.Fuzz(func(t *testing.T, file []byte) {
		m := &Images{Channels: 3, Height: cifarSize, Width: cifarSize, Classes: 10}
		if err := (cifar{labels: 1, classes: 10}).append(m, bytes.NewReader(file), "file"); err != nil {
			return
		}
		if len(m.Pixels) != 3072*m.Len() || m.Len() > 0 && slices.Max(m.Labels) > 9 {
			t.Errorf("%d pictures of %d bytes, labels %v", m.Len(), len(m.Pixels), m.Labels)
		}
		if m.Len() > 0 && tensor.Try(func() { m.Batch([]int{m.Len() - 1}) }) != nil {
			t.Error("there is no batch of the last picture")
		}
	})
}
