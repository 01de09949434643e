package checkpoint

import (
	"maps"
	"slices"

	"cresset/tensor"
)

// File is an open checkpoint. Its methods may be called by several goroutines.
type File struct {
	path   string
	within *contents
	names  names
}

// Format returns the file's format; that of the shards for a set of them.
func (f *File) Format() Format { return f.within.format }

// Metadata returns the texts that the file keeps beside its tensors, as a copy.
func (f *File) Metadata() map[string]string { return maps.Clone(f.within.metadata) }

// Entries returns what the file says of its tensors, in its order. Those in values of PyTorch's formats have the path to them
// as their name: "state.0.momentum_buffer", "layers[2]". Where two paths read alike, the second has "#2" behind it.
func (f *File) Entries() []Entry { return slices.Clone(f.within.entries) }

// Tensor reads a tensor.
func (f *File) Tensor(name string, opts ...ReadOption) (*tensor.Tensor, error) {
	i, ok := f.names.find(f.within.entries, name)
	if !ok {
		return nil, &NameError{File: f.path, Name: name}
	}
	return f.newReading(collect(opts)).tensor(i)
}

// Tensors reads all tensors. Those that share memory in the file share it here too.
func (f *File) Tensors(opts ...ReadOption) (map[string]*tensor.Tensor, error) {
	r := f.newReading(collect(opts)).ofAll()
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

// Close gives the file back. Tensors that were read stay.
func (f *File) Close() error { return f.within.close() }
