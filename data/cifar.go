package data

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// cifarSize is the height and width of a picture of CIFAR.
const cifarSize = 32

// cifar is how a data set of CIFAR lies in its folder.
type cifar struct {
	train, test string // patterns of file names
	labels      int    // bytes in front of each picture; the last is the class
	classes     int
	names       string // the file that names the classes, one a line
}

// ReadCIFAR10Dir reads a folder with CIFAR-10's binary version: data_batch_1.bin to data_batch_5.bin and test_batch.bin, or those of them
// that are there.
func ReadCIFAR10Dir(dir string) (train, test *Images, err error) {
	return cifar{"data_batch_*.bin", "test_batch.bin", 1, 10, "batches.meta.txt"}.read(dir)
}

// ReadCIFAR100Dir reads a folder with CIFAR-100's binary version, train.bin and test.bin, with the hundred fine classes.
func ReadCIFAR100Dir(dir string) (train, test *Images, err error) {
	return cifar{"train.bin", "test.bin", 2, 100, "fine_label_names.txt"}.read(dir)
}

func (c cifar) read(dir string) (train, test *Images, err error) {
	if train, err = c.readAll(dir, c.train); err != nil {
		return nil, nil, err
	}
	if test, err = c.readAll(dir, c.test); err != nil {
		return nil, nil, err
	}
	if train.Len()+test.Len() == 0 {
		return nil, nil, fmt.Errorf("%s: no pictures in %s or %s: %w", dir, c.train, c.test, fs.ErrNotExist)
	}
	names, err := os.ReadFile(filepath.Join(dir, c.names))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, nil, err
	}
	if lines := strings.Fields(string(names)); len(lines) == c.classes {
		train.Names, test.Names = lines, slices.Clone(lines)
	}
	return train, test, nil
}

// readAll reads the files that a pattern matches, in the order of their names.
func (c cifar) readAll(dir, pattern string) (*Images, error) {
	m := &Images{Channels: 3, Height: cifarSize, Width: cifarSize, Classes: c.classes}
	paths, err := filepath.Glob(filepath.Join(escaped(dir), pattern))
	if err != nil {
		return nil, err
	}
	for _, path := range paths {
		if err := c.readFile(m, path); err != nil {
			return nil, err
		}
	}
	return m, nil
}

// escaped makes a folder's name a pattern that matches nothing else.
func escaped(dir string) string {
	if filepath.Separator == '\\' { // where patterns know no escape
		return dir
	}
	return strings.NewReplacer(`\`, `\\`, "*", `\*`, "?", `\?`, "[", `\[`).Replace(dir)
}

func (c cifar) readFile(m *Images, path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	return c.append(m, f, path)
}

// append adds the pictures of a stream, each of which has its labels in front of it.
func (c cifar) append(m *Images, r io.Reader, name string) error {
	s, err := newSource(r, name)
	if err != nil {
		return err
	}
	record := make([]byte, c.labels+3*cifarSize*cifarSize)
	for n := 0; ; n++ {
		start := s.offset
		switch _, err := io.ReadFull(s, record); {
		case err == io.EOF:
			return nil
		case errors.Is(err, io.ErrUnexpectedEOF):
			return s.fail(fmt.Sprintf("the file ends within picture %d, which begins at offset %d", n, start), nil)
		case err != nil:
			return s.fail("cannot read on", err)
		}
		label := record[c.labels-1]
		if int(label) >= c.classes {
			return &FormatError{File: name, Offset: start + int64(c.labels) - 1,
				Reason: fmt.Sprintf("picture %d is of class %d, and there are %d classes", n, label, c.classes)}
		}
		m.Labels = append(m.Labels, label)
		m.Pixels = append(m.Pixels, record[c.labels:]...)
	}
}

// ReadFashionMNISTDir is ReadIDXDir with the names of Fashion-MNIST's ten classes.
func ReadFashionMNISTDir(dir string) (train, test *Images, err error) {
	if train, test, err = ReadIDXDir(dir); err != nil {
		return nil, nil, err
	}
	names := []string{"T-shirt/top", "Trouser", "Pullover", "Dress", "Coat", "Sandal", "Shirt", "Sneaker", "Bag", "Ankle boot"}
	if train.Classes > len(names) {
		return nil, nil, &FormatError{File: dir, Reason: fmt.Sprintf("there are %d classes, and Fashion-MNIST has %d", train.Classes, len(names))}
	}
	for _, m := range []*Images{train, test} {
		m.Classes, m.Names = len(names), slices.Clone(names)
	}
	return train, test, nil
}
