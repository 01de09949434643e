package checkpoint

import (
	"cmp"
	"fmt"
	"math/big"
	"reflect"
	"slices"

	"cresset/device"
	"cresset/dtype"
	"cresset/internal/pickle"
	"cresset/tensor"
)

// WriteValue writes a value of the kinds that File.Value returns to a file of one of PyTorch's formats, which torch.load reads. It
// takes all integers, floats, slices, arrays, as tuples, and maps with keys that are strings or integers, which come in the order of their keys.
// Tensors that share memory share it in the file, views and their storages too, and what occurs in several places is written once.
func WriteValue(path string, value any, opts ...WriteOption) error {
	o := collect(opts)
	if o.format == "" {
		o.format = formatOf(path)
	}
	if o.format != PyTorch && o.format != PyTorchLegacy {
		return fmt.Errorf("write %s: only PyTorch's formats hold values; the name ends in none of .pt, .pth and .bin", path)
	}
	w := &treeWriter{made: map[any]any{}}
	tree, err := w.value("", value)
	if err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	c, err := hold(path, w.tensors)
	if err != nil {
		return err
	}
	if c.tree = tree; tree == nil {
		c.tree = torchNone{}
	}
	return c.write(path, o)
}

// treeWriter makes the tree of a file from values.
type treeWriter struct {
	made    map[any]any // of tensors and containers
	tensors []named
	depth   int
}

// place is where the elements of a slice or a map are in memory, which tells whether two are one.
type place struct {
	at     uintptr
	length int
	kind   reflect.Type
}

const maxValueDepth = 1000 // as deep as pickles are written

// value returns the part of the tree for the value at a path.
func (w *treeWriter) value(path string, v any) (any, error) {
	w.depth++
	defer func() { w.depth-- }()
	if w.depth > maxValueDepth {
		return nil, fmt.Errorf("%.64s…: values in one another more than %d times", path, maxValueDepth)
	}
	if r := reflect.ValueOf(v); r.Kind() == reflect.Pointer && r.IsNil() {
		return nil, mistake("save", "%s is a nil %T", cmp.Or(path, "the value"), v)
	}
	switch v := v.(type) {
	case nil, bool, string, float64, complex128, []byte, *big.Int:
		return v, nil
	case *tensor.Tensor:
		if _, ok := w.made[v]; !ok {
			w.made[v] = ref(len(w.tensors))
			w.tensors = append(w.tensors, named{path, v})
		}
		return w.made[v], nil
	case dtype.DType:
		if t := torchTypeOf(&Entry{Type: v}); t != nil {
			return t, nil
		}
		return nil, fmt.Errorf("%s: a value of type %T cannot be written", path, v)
	case device.Device:
		return torchDevice(v.String()), nil
	case tensor.Shape:
		return torchSize(sizeTuple(v)), nil
	case Tuple:
		return w.tuple(path, reflect.ValueOf(v))
	case *Dict:
		return w.dict(path, v)
	case *Set:
		return v, nil // of plain values
	}
	return w.reflected(path, reflect.ValueOf(v))
}

// reflected is value for what has one of many types.
func (w *treeWriter) reflected(path string, v reflect.Value) (any, error) {
	switch kind := v.Kind(); {
	case kind == reflect.Bool:
		return v.Bool(), nil
	case kind == reflect.String:
		return v.String(), nil
	case v.CanInt():
		return v.Int(), nil
	case v.CanUint():
		n := new(big.Int).SetUint64(v.Uint())
		if n.IsInt64() {
			return n.Int64(), nil
		}
		return n, nil
	case v.CanFloat():
		return v.Float(), nil
	case kind == reflect.Slice:
		return w.list(path, v)
	case kind == reflect.Array:
		to := make(Tuple, v.Len())
		return to, w.all(path, to, v)
	case kind == reflect.Map:
		return w.items(path, v)
	}
	return nil, fmt.Errorf("%s: a value of type %s cannot be written", path, v.Type())
}

// tuple keeps the tuple when its elements are there: one that holds itself is too deep.
func (w *treeWriter) tuple(path string, v reflect.Value) (any, error) {
	at := place{v.Pointer(), v.Len(), v.Type()}
	if tuple, ok := w.made[at]; ok && v.Len() > 0 {
		return tuple, nil
	}
	tuple := make(Tuple, v.Len())
	if err := w.all(path, tuple, v); err != nil {
		return nil, err
	}
	w.made[at] = tuple
	return tuple, nil
}

// list keeps the list before its elements are there, which may hold it.
func (w *treeWriter) list(path string, v reflect.Value) (any, error) {
	at := place{v.Pointer(), v.Len(), v.Type()}
	if list, ok := w.made[at]; ok && v.Len() > 0 {
		return list, nil
	}
	list := &pickle.List{Items: make([]any, v.Len())}
	w.made[at] = list
	return list, w.all(path, list.Items, v)
}

// all puts the parts of the tree for the elements of a slice into to.
func (w *treeWriter) all(path string, to []any, v reflect.Value) (err error) {
	for i := range to {
		if to[i], err = w.value(fmt.Sprintf("%s[%d]", path, i), v.Index(i).Interface()); err != nil {
			return err
		}
	}
	return nil
}

// items returns the dict of a map.
func (w *treeWriter) items(path string, v reflect.Value) (any, error) {
	at := place{v.Pointer(), 0, v.Type()}
	if d, ok := w.made[at]; ok {
		return d, nil
	}
	d := new(pickle.Dict)
	w.made[at] = d
	keys := v.MapKeys()
	slices.SortFunc(keys, func(a, b reflect.Value) int {
		if a.CanInt() && b.CanInt() {
			return cmp.Compare(a.Int(), b.Int())
		}
		return cmp.Compare(a.String(), b.String())
	})
	for _, k := range keys {
		if !k.CanInt() && k.Kind() != reflect.String {
			return nil, fmt.Errorf("%s: a key of type %s cannot be written", path, k.Type())
		}
		key, err := w.reflected(path, k)
		if err == nil {
			err = w.item(path, d, key, v.MapIndex(k).Interface())
		}
		if err != nil {
			return nil, err
		}
	}
	return d, nil
}

func (w *treeWriter) dict(path string, v *Dict) (any, error) {
	if d, ok := w.made[v]; ok {
		return d, nil
	}
	d := &pickle.Dict{Ordered: v.Ordered}
	w.made[v] = d
	for key, value := range v.All() {
		if err := w.item(path, d, key, value); err != nil {
			return nil, err
		}
	}
	if v.Attrs == nil {
		return d, nil
	}
	attrs, err := w.dict(path, v.Attrs)
	if err == nil {
		d.Attrs = attrs.(*pickle.Dict)
	}
	return d, err
}

func (w *treeWriter) item(path string, d *pickle.Dict, key, value any) error {
	if path != "" {
		path += "."
	}
	part, err := w.value(path+string(appendTorchKey(nil, key)), value)
	if err == nil {
		err = d.Set(key, part)
	}
	return err
}
