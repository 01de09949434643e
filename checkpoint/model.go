package checkpoint

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"cresset/nn"
	"cresset/tensor"
)

// Save writes the state of a model, nn.State, to a file as Write does.
func Save(path string, model any, opts ...WriteOption) error {
	return Write(path, nn.State(model), opts...)
}

// Load reads the state of a model from a file of any format, straight into the model's tensors. Where a name is missing or unknown
// or a shape differs nothing is read, and the error is an *nn.StateError that lists all of them. A file that turns out to be damaged
// on the way leaves the model half read.
func Load(path string, model any, opts ...LoadOption) error {
	o := collect(opts)
	f, err := Open(path, o.limits)
	if err != nil {
		return err
	}
	defer f.Close()
	return f.load(model, o)
}

// load reads the state of a model.
func (f *File) load(model any, o options) error {
	from, err := f.forModel(o)
	if err != nil {
		return err
	}
	if err := checkState(model, f, from, !o.lax); err != nil {
		return err
	}
	return try(func() error {
		nn.To(model, o.targets...)
		r, state := f.newReading(options{}), nn.State(model)
		for _, name := range slices.Sorted(maps.Keys(state)) {
			if i, ok := from[name]; ok {
				if err := r.into(state[name], i); err != nil {
					return err
				}
			}
		}
		return nil
	})
}

// forModel returns the entries by the names that they have in the model.
func (f *File) forModel(o options) (map[string]int, error) {
	from := make(map[string]int, len(f.within.entries))
	for i, e := range f.within.entries {
		name, ok := strings.CutPrefix(e.Name, o.prefix)
		if ok && o.rename != nil {
			name = o.rename(name)
		}
		if !ok || name == "" && o.rename != nil {
			continue
		}
		if other, twice := from[name]; twice {
			return nil, fmt.Errorf("%s: %q and %q both became %q", f.path, f.within.entries[other].Name, e.Name, name)
		}
		from[name] = i
	}
	return from, nil
}

// checkState returns the *nn.StateError of entries that do not fit the model; one that is not strict concerns shapes alone.
func checkState(model any, f *File, from map[string]int, strict bool) error {
	shapes := make(map[string]tensor.Shape, len(from))
	for name, i := range from {
		shapes[name] = f.within.entries[i].Shape
	}
	err := nn.CheckState(model, shapes)
	var bad *nn.StateError
	if !strict && errors.As(err, &bad) {
		if bad.Missing, bad.Unexpected = nil, nil; len(bad.Mismatched) == 0 {
			return nil
		}
	}
	return err
}
