package data

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"cresset/dtype"
)

// ReadIDXDir reads a directory that holds a data set under MNIST's names: train-images-idx3-ubyte and
// train-labels-idx1-ubyte, t10k-images-idx3-ubyte and t10k-labels-idx1-ubyte, each with or without .gz. Where only one of
// the two pairs is there, its first four fifths are the training set and the rest is the test set.
func ReadIDXDir(dir string) (train, test *Images, err error) {
	if _, err := os.ReadDir(dir); err != nil {
		return nil, nil, err
	}
	train, err = readIDXPair(dir, "train")
	if err != nil && !errors.Is(err, errNoPair) {
		return nil, nil, err
	}
	test, err = readIDXPair(dir, "t10k")
	if err != nil && !errors.Is(err, errNoPair) {
		return nil, nil, err
	}
	switch {
	case train == nil && test == nil:
		return nil, nil, fmt.Errorf("%s: no train-images-idx3-ubyte and no t10k-images-idx3-ubyte, with or without .gz: %w", dir, fs.ErrNotExist)
	case train == nil:
		train, test = test.Split(test.Len() * 4 / 5)
	case test == nil:
		train, test = train.Split(train.Len() * 4 / 5)
	case train.Height != test.Height || train.Width != test.Width:
		return nil, nil, &FormatError{File: filepath.Join(dir, "t10k-images-idx3-ubyte"), Offset: 8, Reason: fmt.Sprintf(
			"test images are %dx%d, training images %dx%d", test.Height, test.Width, train.Height, train.Width)}
	}
	classes := max(train.Classes, test.Classes)
	train.Classes, test.Classes = classes, classes
	return train, test, nil
}

// errNoPair says that both files of a pair are absent; one without the other is a plain error.
var errNoPair = errors.New("no such pair of files")

// readIDXPair reads the images and labels of the set whose file names begin with set.
func readIDXPair(dir, set string) (*Images, error) {
	images, imagesPath, imagesErr := readIDXBytes(filepath.Join(dir, set+"-images-idx3-ubyte"), 3)
	labels, labelsPath, labelsErr := readIDXBytes(filepath.Join(dir, set+"-labels-idx1-ubyte"), 1)
	switch {
	case errors.Is(imagesErr, fs.ErrNotExist) && errors.Is(labelsErr, fs.ErrNotExist):
		return nil, errNoPair
	case imagesErr != nil:
		return nil, imagesErr
	case labelsErr != nil:
		return nil, labelsErr
	case images.Shape[0] != labels.Shape[0]:
		return nil, &FormatError{File: labelsPath, Offset: 4, Reason: fmt.Sprintf(
			"%d labels for the %d images of %s", labels.Shape[0], images.Shape[0], filepath.Base(imagesPath))}
	}
	m := &Images{Height: images.Shape[1], Width: images.Shape[2]}
	m.Pixels, m.Labels = images.Data.([]uint8), labels.Data.([]uint8)
	m.Classes = int(slices.Max(m.Labels)) + 1
	return m, nil
}

// readIDXBytes reads an IDX file that must hold unsigned bytes along so many axes; name is the path that was found.
func readIDXBytes(path string, axes int) (x *IDX, name string, err error) {
	f, err := openFile(path)
	if err != nil {
		return nil, "", err
	}
	defer f.Close()
	name = f.Name()
	x, err = readIDX(f, name)
	switch {
	case err != nil:
		return nil, name, err
	case x.DType != dtype.Uint8:
		return nil, name, &FormatError{File: name, Offset: 2, Reason: fmt.Sprintf("elements are %v, not torch.uint8", x.DType)}
	case len(x.Shape) != axes:
		return nil, name, &FormatError{File: name, Offset: 3, Reason: fmt.Sprintf("the number of axes is %d, not %d", len(x.Shape), axes)}
	}
	return x, name, nil
}
