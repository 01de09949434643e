package vision

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"cresset/data"
	"cresset/tensor"
)

// Folder is a data set of the pictures in a folder that has a folder for each class. Pictures are read when they are asked for.
type Folder struct {
	Classes   []string // the folders' names, sorted: class i is Classes[i]
	Pictures  []Picture
	transform Transform
	decoding  []DecodeOption
}

// Picture is a file and the number of its class.
type Picture struct {
	Path  string
	Class int
}

// FolderOption is an option of ReadFolder: a Transform, a Mode, or AllowEmpty.
type FolderOption interface{ folder(*folding) }

type folding struct {
	Folder
	mode  Mode
	empty bool
}

func (t Transform) folder(f *folding) { f.transform = t }
func (m Mode) folder(f *folding)      { f.mode = m }

type allowEmpty bool

func (on allowEmpty) folder(f *folding) { f.empty = bool(on) }

// AllowEmpty lets classes have no picture.
func AllowEmpty(on bool) FolderOption { return allowEmpty(on) }

// extensions are those of the files that are taken for pictures.
var extensions = []string{".jpg", ".jpeg", ".png", ".gif"}

// ReadFolder finds the pictures below dir, dir/class/picture.png and deeper, in the order of their names, which are those that end in
// .jpg, .jpeg, .png or .gif. They become RGB unless a Mode says otherwise, and pass through the Transform if there is
// one. That there is no class, or one without a picture, is an error.
func ReadFolder(dir string, opts ...FolderOption) (*Folder, error) {
	f := folding{mode: RGB}
	for _, option := range opts {
		option.folder(&f)
	}
	f.decoding = []DecodeOption{f.mode}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	for _, entry := range entries {
		path := filepath.Join(dir, entry.Name())
		if info, err := os.Stat(path); err != nil || !info.IsDir() { // links to folders are folders
			continue
		}
		f.Classes = append(f.Classes, entry.Name())
	}
	if f.Classes == nil {
		return nil, fmt.Errorf("couldn't find any class folder in %s: %w", dir, fs.ErrNotExist)
	}
	var empty []string
	for class, name := range f.Classes {
		before := len(f.Pictures)
		if err := f.find(filepath.Join(dir, name), class); err != nil {
			return nil, err
		}
		if len(f.Pictures) == before {
			empty = append(empty, name)
		}
	}
	if empty != nil && !f.empty {
		return nil, fmt.Errorf("found no valid file for the classes %s. Supported extensions are: %s: %w",
			strings.Join(empty, ", "), strings.Join(extensions, ", "), fs.ErrNotExist)
	}
	return &f.Folder, nil
}

// find adds the pictures below the folder of a class: a folder's own, then those of the folders in it.
func (f *Folder) find(dir string, class int) error {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	var below []string
	for _, entry := range entries {
		path := filepath.Join(dir, entry.Name())
		switch {
		case entry.IsDir():
			below = append(below, path)
		case slices.Contains(extensions, strings.ToLower(filepath.Ext(path))):
			f.Pictures = append(f.Pictures, Picture{path, class})
		}
	}
	for _, path := range below {
		if err := f.find(path, class); err != nil {
			return err
		}
	}
	return nil
}

// ClassToIndex returns the number of each class.
func (f *Folder) ClassToIndex() map[string]int {
	numbers := make(map[string]int, len(f.Classes))
	for i, name := range f.Classes {
		numbers[name] = i
	}
	return numbers
}

// Len returns the number of pictures.
func (f *Folder) Len() int { return len(f.Pictures) }

// At reads picture i and transforms it. The error names the file.
func (f *Folder) At(i int, g *tensor.Generator) (*tensor.Tensor, error) {
	x, err := ReadImage(f.Pictures[i].Path, f.decoding...)
	if err != nil || f.transform == nil {
		return x, err
	}
	if failed := tensor.Try(func() { x = f.transform(x, g) }); failed != nil {
		return nil, fmt.Errorf("%s: %w", f.Pictures[i].Path, failed)
	}
	return x, nil
}

// Batch reads pictures, which have to be of one size after they are transformed, and returns them with their classes as int64.
func (f *Folder) Batch(indices []int) (data.Batch, error) { return f.items().Batch(indices) }

// RandomBatch is Batch where each transform draws from a generator with the seed at its place.
func (f *Folder) RandomBatch(indices []int, seeds []int64) (data.Batch, error) {
	return f.items().RandomBatch(indices, seeds)
}

// labelled is a picture with its class, under the names of a batch.
type labelled struct {
	Inputs  *tensor.Tensor
	Targets int
}

func (f *Folder) items() *data.Items[labelled, data.Batch] {
	return &data.Items[labelled, data.Batch]{N: f.Len(), At: func(i int, g *tensor.Generator) (labelled, error) {
		x, err := f.At(i, g)
		return labelled{x, f.Pictures[i].Class}, err
	}}
}

// Transformed is a data set whose inputs are pictures that pass through a transform.
type Transformed struct {
	dataset   data.Dataset[data.Batch]
	transform Transform
}

// NewTransformed returns the data set whose inputs are those of another, transformed one by one.
func NewTransformed(dataset data.Dataset[data.Batch], t Transform) *Transformed {
	return &Transformed{dataset, t}
}

// Len returns the number of pictures.
func (d *Transformed) Len() int { return d.dataset.Len() }

// Batch returns pictures that have passed through the transform, which draws from the default generator.
func (d *Transformed) Batch(indices []int) (data.Batch, error) {
	b, err := d.dataset.Batch(indices)
	return d.transformed(b, err, func(int) *tensor.Generator { return nil })
}

// RandomBatch is Batch where each transform draws from a generator with the seed at its place.
func (d *Transformed) RandomBatch(indices []int, seeds []int64) (data.Batch, error) {
	var b data.Batch
	var err error
	if random, ok := d.dataset.(data.RandomDataset[data.Batch]); ok {
		b, err = random.RandomBatch(indices, seeds)
	} else {
		b, err = d.dataset.Batch(indices)
	}
	return d.transformed(b, err, func(i int) *tensor.Generator { return tensor.NewGenerator(seeds[i]) })
}

func (d *Transformed) transformed(b data.Batch, err error, generator func(i int) *tensor.Generator) (data.Batch, error) {
	if err != nil {
		return b, err
	}
	pictures := make([]*tensor.Tensor, b.Len())
	for i := range pictures {
		pictures[i] = d.transform(b.Inputs.Select(0, i), generator(i))
	}
	b.Inputs = tensor.Stack(pictures, 0)
	return b, nil
}
