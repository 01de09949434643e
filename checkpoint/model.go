package checkpoint

import (
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"cresset/nn"
	"cresset/tensor"
)

// Save writes the state of a model, nn.State, to a file as Write does. What is no model, such as nil, a number or an optimizer, is a
// *tensor.Error.
func Save(path string, model any, opts ...WriteOption) error {
	state, err := stateOf(model)
	if err != nil {
		return fmt.Errorf("save %s: %w", path, err)
	}
	return Write(path, state, opts...)
}

// stateOf returns the state of a model, and refuses what cannot have tensors or keeps its state in another way.
func stateOf(model any) (state map[string]*tensor.Tensor, err error) {
	if none := nilOf(model); none != "" {
		return nil, mistake("state", "a model must be a pointer to a struct, not %s", none)
	}
	err = try(func() error {
		state = nn.State(model)
		return nil
	})
	kind := reflect.Indirect(reflect.ValueOf(model)).Kind()
	_, stateful := model.(Stateful)
	holds := slices.Contains([]reflect.Kind{reflect.Struct, reflect.Map, reflect.Slice, reflect.Array}, kind)
	switch {
	case len(state) == 0 && !holds:
		return nil, mistake("state", "a model must be a pointer to a struct, not of type %T", model)
	case len(state) == 0 && stateful:
		return nil, mistake("state", "the state of a %T is what its StateDict returns, which WriteValue writes", model)
	}
	return state, err
}

// nilOf says what v is where it is nil or holds a nil pointer, map or slice; "" where it is not.
func nilOf(v any) string {
	r := reflect.ValueOf(v)
	switch kind := r.Kind(); {
	case v == nil:
		return "nil"
	case (kind == reflect.Pointer || kind == reflect.Map || kind == reflect.Slice) && r.IsNil():
		return fmt.Sprintf("a nil %T", v)
	}
	return ""
}

// Load reads the state of a model from a file of any format, straight into the model's tensors. Where a name is missing or unknown
// or a shape differs nothing is read, and the error is an *nn.StateError that lists all of them. Of several names of one tensor in
// the model, as tied weights have them, a file need have but one: safetensors.torch.save_model writes no more. A file that turns out
// to be damaged on the way leaves the model half read.
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
	if _, err := stateOf(model); err != nil {
		return fmt.Errorf("load %s: %w", f.path, err)
	}
	from, err := f.forModel(o)
	if err != nil {
		return err
	}
	if err := checkState(model, f, from, !o.lax); err != nil {
		return err
	}
	if o.reading == nil {
		o.reading = func(_ string, x *tensor.Tensor, read func(*tensor.Tensor) error) error { return read(x) }
	}
	return try(func() error {
		nn.To(model, o.targets...)
		r, state := f.newReading(options{progress: o.progress}, f.within.size()), nn.State(model)
		for _, name := range slices.Sorted(maps.Keys(state)) {
			if i, ok := from[name]; ok {
				read := func(to *tensor.Tensor) error { return r.into(to, i) }
				if err := o.reading(name, state[name], read); err != nil {
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
	for name, x := range tied(nn.State(model), from) {
		shapes[name] = x.Shape()
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

// tied returns what the file lacks of a model's state, but has under another name of the same tensor.
func tied(state map[string]*tensor.Tensor, from map[string]int) map[string]*tensor.Tensor {
	type view struct {
		storage any
		offset  int
		layout  string
	}
	of := func(x *tensor.Tensor) view {
		return view{tensors.StorageOf(x), x.StorageOffset(), fmt.Sprint(x.Shape(), x.Stride())}
	}
	read, filled := map[view]bool{}, map[string]*tensor.Tensor{}
	for name, x := range state {
		if _, there := from[name]; there {
			read[of(x)] = true
		}
	}
	for name, x := range state {
		if _, there := from[name]; !there && read[of(x)] {
			filled[name] = x
		}
	}
	return filled
}
