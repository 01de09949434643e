package checkpoint

import (
	"fmt"
	"math/big"

	"cresset/device"
	"cresset/dtype"
	"cresset/internal/pickle"
	"cresset/tensor"
)

// Python's types that Go has no like of.
type (
	// Dict is collections.OrderedDict, where Ordered is set, or a dict of any keys: entries in the order in which their keys came
	// first. True, 1 and 1.0 are one key, as in Python.
	Dict = pickle.Dict
	// Tuple is Python's tuple.
	Tuple = pickle.Tuple
	// Set is Python's set.
	Set = pickle.Set
)

// Value reads everything that a file of PyTorch's formats holds, as torch.load returns it: nil, bool, int or *big.Int, float64,
// complex128, string, []byte, []any for a list, Tuple, map[string]any or map[int]any for a dict whose keys are all such, *Dict for
// another one and for an OrderedDict, *Set, tensor.Shape for torch.Size, device.Device, dtype.DType, and *tensor.Tensor. What Go has
// no like of becomes what is nearest: a Counter a dict, a bytearray []byte, a Parameter a tensor, without attributes, and a device or
// a dtype that cresset lacks its name. What the file holds in several places is one object in all of them. Of other formats it
// returns a map[string]any of tensors by name.
func (f *File) Value(opts ...ReadOption) (any, error) {
	if err := f.check(); err != nil {
		return nil, err
	}
	r := f.newReading(collect(opts), f.within.size()).ofAll()
	of := func(v ref) (*tensor.Tensor, error) { return r.tensor(f.within.entryOf(v)) }
	t := &treeReader{of: of, made: map[any]any{}}
	if f.within.tree != nil {
		v, err := t.value(f.within.tree)
		if err != nil {
			return nil, err
		}
		return v, nil
	}
	all := make(map[string]any, len(f.within.entries))
	for i, e := range f.within.entries {
		x, err := r.tensor(i)
		if err != nil {
			return nil, err
		}
		all[e.Name] = x
	}
	return all, nil
}

// treeReader makes values of the tree of a file, whose depth was checked.
type treeReader struct {
	of   func(ref) (*tensor.Tensor, error)
	made map[any]any // of containers and refs
}

// value returns what a part of the tree stands for.
func (r *treeReader) value(tree any) (any, error) {
	switch v := tree.(type) {
	case nil, bool, float64, complex128, string, []byte, *big.Int:
		return v, nil
	case pickle.ByteArray:
		return []byte(v), nil
	case torchNone:
		return nil, nil
	case int64:
		return int(v), nil
	case *torchType:
		if v.dtype == dtype.Undefined {
			return "torch." + v.name, nil
		}
		return v.dtype, nil
	case torchDevice:
		if dev, err := device.Parse(string(v)); err == nil {
			return dev, nil
		}
		return string(v), nil
	case torchSize:
		return v.shape(), nil
	case pickle.Tuple:
		if len(v) == 0 {
			return Tuple{}, nil
		}
		return r.once(&v[0], func() (any, error) { return r.tuple(v) })
	case ref:
		return r.once(v, func() (any, error) { return r.of(v) })
	case *pickle.List:
		return r.once(v, func() (any, error) { return r.list(v) })
	case *pickle.Dict:
		return r.once(v, func() (any, error) { return r.dict(v) })
	case *pickle.Set:
		return r.once(v, func() (any, error) { return r.set(v) })
	}
	return nil, fmt.Errorf("a %T stands where a value was expected", tree)
}

// once returns what make returned the first time for the same part of the tree.
func (r *treeReader) once(part any, make func() (any, error)) (any, error) {
	if v, ok := r.made[part]; ok {
		return v, nil
	}
	v, err := make()
	if err == nil {
		r.made[part] = v
	}
	return v, err
}

func (r *treeReader) tuple(from pickle.Tuple) (any, error) {
	to := make(Tuple, len(from))
	return to, r.all(to, from)
}

// list keeps the list before its elements are there, which may hold it.
func (r *treeReader) list(from *pickle.List) (any, error) {
	to := make([]any, len(from.Items))
	r.made[from] = to
	return to, r.all(to, from.Items)
}

func (r *treeReader) all(to, from []any) (err error) {
	for i := range from {
		if to[i], err = r.value(from[i]); err != nil {
			return err
		}
	}
	return nil
}

// dict returns a map where the keys are all strings or all integers, and there is nothing else to keep.
func (r *treeReader) dict(from *pickle.Dict) (any, error) {
	strings, ints := 0, 0
	for k := range from.All() {
		switch k.(type) {
		case string:
			strings++
		case int64:
			ints++
		}
	}
	switch n := from.Len(); {
	case from.Ordered || strings < n && ints < n:
		return r.ordered(from)
	case strings == n:
		to := make(map[string]any, n)
		r.made[from] = to
		return to, r.items(from, func(key, value any) error { to[key.(string)] = value; return nil })
	default:
		to := make(map[int]any, n)
		r.made[from] = to
		return to, r.items(from, func(key, value any) error { to[key.(int)] = value; return nil })
	}
}

// ordered returns a Dict.
func (r *treeReader) ordered(from *pickle.Dict) (any, error) {
	to := &Dict{Ordered: from.Ordered}
	r.made[from] = to
	if err := r.items(from, to.Set); err != nil || from.Attrs == nil {
		return to, err
	}
	to.Attrs = new(Dict)
	return to, r.items(from.Attrs, to.Attrs.Set)
}

// items passes what the keys and values stand for to set. The dict is kept before, since a value may hold it.
func (r *treeReader) items(from *pickle.Dict, set func(key, value any) error) error {
	for k, v := range from.All() {
		key, err := r.value(k)
		if err != nil {
			return err
		}
		value, err := r.value(v)
		if err != nil {
			return err
		}
		if err := set(key, value); err != nil {
			return err
		}
	}
	return nil
}

func (r *treeReader) set(from *pickle.Set) (any, error) {
	to := new(Set)
	for v := range from.All() {
		element, err := r.value(v)
		if err == nil {
			err = to.Add(element)
		}
		if err != nil {
			return nil, err
		}
	}
	return to, nil
}

// shape returns the extents as a shape.
func (s torchSize) shape() tensor.Shape {
	shape := make(tensor.Shape, len(s))
	for i, n := range s {
		shape[i] = int(n.(int64))
	}
	return shape
}
