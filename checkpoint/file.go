package checkpoint

import (
	"io/fs"
	"maps"
	"slices"
	"sync/atomic"

	"cresset/tensor"
)

// File is an open checkpoint. Its methods may be called by several goroutines.
type File struct {
	path   string
	within *contents
	names  names
	closed atomic.Bool
}

// contents returns what is in the file; nothing is in one that Open did not return.
func (f *File) contents() *contents {
	if f == nil || f.within == nil {
		return &contents{}
	}
	return f.within
}

// check returns the error of reading from a file that is not open.
func (f *File) check() error {
	switch {
	case f == nil || f.within == nil:
		return mistake("read", "a File that Open did not return")
	case f.closed.Load():
		return &fs.PathError{Op: "read", Path: f.path, Err: fs.ErrClosed}
	}
	return nil
}

// Format returns the file's format; that of the shards for a set of them.
func (f *File) Format() Format { return f.contents().format }

// Metadata returns the texts that the file keeps beside its tensors, as a copy.
func (f *File) Metadata() map[string]string { return maps.Clone(f.contents().metadata) }

// Entries returns what the file says of its tensors, in its order. Those in values of PyTorch's formats have the path to them
// as their name: "state.0.momentum_buffer", "layers[2]". Where two paths read alike, the second has "#2" behind it.
func (f *File) Entries() []Entry { return slices.Clone(f.contents().entries) }

// Tensor reads a tensor.
func (f *File) Tensor(name string, opts ...ReadOption) (*tensor.Tensor, error) {
	if err := f.check(); err != nil {
		return nil, err
	}
	i, ok := f.names.find(f.within.entries, name)
	if !ok {
		return nil, &NameError{File: f.path, Name: name}
	}
	return f.newReading(collect(opts), f.within.entries[i].Bytes).tensor(i)
}

// Tensors reads all tensors. Those that share memory in the file share it here too.
func (f *File) Tensors(opts ...ReadOption) (map[string]*tensor.Tensor, error) {
	if err := f.check(); err != nil {
		return nil, err
	}
	r := f.newReading(collect(opts), f.within.size()).ofAll()
	all := make(map[string]*tensor.Tensor, len(f.within.entries))
	for i, e := range f.within.entries {
		x, err := r.tensor(i)
		if err != nil {
			return nil, err
		}
		all[e.Name] = x
	}
	return all, nil
}

// Close gives the file back; what is closed it leaves. Tensors that were read stay.
func (f *File) Close() error {
	if f == nil || f.closed.Swap(true) {
		return nil
	}
	return f.contents().close()
}
