// Package statedict reads state dicts, the nested maps of plain values in which optimizers, schedules and loaders tell their
// state, whoever wrote them: Go, PyTorch or JSON.
package statedict

import (
	"fmt"
	"iter"
	"maps"
	"math"
	"reflect"
	"slices"

	"cresset/dtype"
	"cresset/tensor"
)

// Dict reads a map with texts as keys. The first entry that is missing or not what it should be becomes the error of the whole
// state dict; what is read then is zero.
type Dict struct {
	entries reflect.Value // a map, or nothing
	path    string        // where it stands: `state[0].`
	failed  *error
}

// Read returns the entries of a state dict.
func Read(state map[string]any) *Dict { return &Dict{reflect.ValueOf(state), "", new(error)} }

// mapOf returns v as a map; an ordered dictionary, which has a method All, becomes one. It is no map where v is neither.
func mapOf(v any) reflect.Value {
	ordered, ok := v.(interface{ All() iter.Seq2[any, any] })
	if !ok {
		return reflect.ValueOf(v)
	}
	entries := make(map[any]any)
	for key, value := range ordered.All() {
		if reflect.TypeOf(key).Comparable() {
			entries[key] = value
		}
	}
	return reflect.ValueOf(entries)
}

// Err returns what was wrong first, a *tensor.Error.
func (d *Dict) Err() error { return *d.failed }

// Refuse makes the text the error, unless there is one.
func (d *Dict) Refuse(format string, args ...any) {
	if *d.failed == nil {
		*d.failed = Refusal(format, args...)
	}
}

// Refusal is the error of a state dict that does not fit.
func Refusal(format string, args ...any) error {
	return &tensor.Error{Op: "load_state_dict", Kind: tensor.ErrValue, Err: fmt.Errorf(format, args...)}
}

// Entries returns all entries whose names are texts.
func (d *Dict) Entries() map[string]any {
	out := make(map[string]any)
	if !d.entries.IsValid() {
		return out
	}
	for key, value := range d.entries.Seq2() {
		if name, ok := key.Interface().(string); ok {
			out[name] = value.Interface()
		}
	}
	return out
}

// Path returns where an entry stands in the whole state dict.
func (d *Dict) Path(name string) string { return d.path + name }

// Has reports whether there is an entry, and not None.
func (d *Dict) Has(name string) bool { return d.Value(name) != nil }

// Is reports whether an entry is a value, or a number equal to it.
func (d *Dict) Is(name string, value any) bool {
	found := d.Value(name)
	a, ok := number(found)
	b, both := number(value)
	return found == value || ok && both && a == b
}

// Value returns an entry as it is, nil where there is none.
func (d *Dict) Value(name string) any {
	if !d.entries.IsValid() {
		return nil
	}
	v := d.entries.MapIndex(reflect.ValueOf(name).Convert(d.entries.Type().Key()))
	if !v.IsValid() {
		return nil
	}
	return v.Interface()
}

// expected refuses what is at path.
func (d *Dict) expected(path, what string, found any) {
	switch found := found.(type) {
	case nil:
		d.Refuse("the state dict has no %s", path)
	case bool, int, int64, float64, string:
		d.Refuse("the state dict's %s should be %s, not %v", path, what, found)
	default:
		d.Refuse("the state dict's %s should be %s, not a %T", path, what, found)
	}
}

// Int reads a whole number, which may stand in a tensor of one element.
func (d *Dict) Int(name string) int { return d.int(d.Path(name), d.Value(name)) }

func (d *Dict) int(path string, v any) int {
	if r := reflect.ValueOf(v); r.CanInt() {
		return int(r.Int())
	}
	f, ok := number(v)
	if !ok || f != math.Trunc(f) || math.Abs(f) > 1<<53 {
		d.expected(path, "a whole number", v)
		return 0
	}
	return int(f)
}

// Float reads a number, which may stand in a tensor of one element.
func (d *Dict) Float(name string) float64 { return d.float(d.Path(name), d.Value(name)) }

func (d *Dict) float(path string, v any) float64 {
	f, ok := number(v)
	if !ok {
		d.expected(path, "a number", v)
	}
	return f
}

// number returns the number that v is or, as a tensor, holds.
func number(v any) (float64, bool) {
	if t, ok := v.(*tensor.Tensor); ok && t != nil && t.NumEl() == 1 {
		return t.Float64(), true
	}
	r := reflect.ValueOf(v)
	switch {
	case r.CanInt():
		return float64(r.Int()), true
	case r.CanFloat():
		return r.Float(), true
	}
	return 0, false
}

// Bool reads a truth value.
func (d *Dict) Bool(name string) bool {
	v, ok := d.Value(name).(bool)
	if !ok {
		d.expected(d.Path(name), "True or False", d.Value(name))
	}
	return v
}

// String reads a text.
func (d *Dict) String(name string) string {
	v, ok := d.Value(name).(string)
	if !ok {
		d.expected(d.Path(name), "a text", d.Value(name))
	}
	return v
}

// Counts reads whole numbers by whole numbers.
func (d *Dict) Counts(name string) map[int]int {
	m := mapOf(d.Value(name))
	if m.Kind() != reflect.Map {
		d.expected(d.Path(name), "a dict", d.Value(name))
		return nil
	}
	counts := make(map[int]int, m.Len())
	for key, value := range m.Seq2() {
		path := fmt.Sprintf("%s%s[%v]", d.path, name, key)
		counts[d.int("key "+path, key.Interface())] = d.int(path, value.Interface())
	}
	return counts
}

// Tensor reads a tensor.
func (d *Dict) Tensor(name string) *tensor.Tensor {
	t, _ := d.Value(name).(*tensor.Tensor)
	if t == nil {
		d.expected(d.Path(name), "a tensor", d.Value(name))
	}
	return t
}

// Tensors reads a list of tensors.
func (d *Dict) Tensors(name string) []*tensor.Tensor {
	return list(d, name, func(path string, v any) *tensor.Tensor {
		t, _ := v.(*tensor.Tensor)
		if t == nil {
			d.expected(path, "a tensor", v)
		}
		return t
	})
}

// Bytes reads a tensor of bytes, nil for None.
func (d *Dict) Bytes(name string) []byte {
	if !d.Has(name) {
		return nil
	}
	return d.bytes(d.Path(name), d.Value(name))
}

// BytesOfAll reads a list of tensors of bytes.
func (d *Dict) BytesOfAll(name string) [][]byte { return list(d, name, d.bytes) }

func (d *Dict) bytes(path string, v any) []byte {
	t, _ := v.(*tensor.Tensor)
	if t == nil || t.DType() != dtype.Uint8 || t.Dim() != 1 {
		d.expected(path, "a tensor of bytes", v)
		return nil
	}
	return tensor.Values[uint8](t)
}

// Ints reads a list of whole numbers.
func (d *Dict) Ints(name string) []int { return list(d, name, d.int) }

// Floats reads a list of numbers.
func (d *Dict) Floats(name string) []float64 { return list(d, name, d.float) }

// Optionals reads a list of numbers, nil for None.
func (d *Dict) Optionals(name string) []*float64 {
	return list(d, name, func(path string, v any) *float64 {
		if v == nil {
			return nil
		}
		f := d.float(path, v)
		return &f
	})
}

// Dicts reads a list of state dicts.
func (d *Dict) Dicts(name string) []*Dict { return list(d, name, d.nested) }

// Dict reads a state dict within this one.
func (d *Dict) Dict(name string) *Dict { return d.nested(d.Path(name), d.Value(name)) }

// Numbered reads state dicts by number, in the order of the numbers.
func (d *Dict) Numbered(name string) iter.Seq2[int, *Dict] {
	m := mapOf(d.Value(name))
	if m.Kind() != reflect.Map {
		d.expected(d.Path(name), "a dict", d.Value(name))
		return maps.All(map[int]*Dict(nil))
	}
	all := make(map[int]*Dict, m.Len())
	for key, value := range m.Seq2() {
		path := fmt.Sprintf("%s%s[%v]", d.path, name, key)
		all[d.int("key "+path, key.Interface())] = d.nested(path, value.Interface())
	}
	return func(yield func(int, *Dict) bool) {
		for _, n := range slices.Sorted(maps.Keys(all)) {
			if !yield(n, all[n]) {
				return
			}
		}
	}
}

func (d *Dict) nested(path string, v any) *Dict {
	m := mapOf(v)
	if m.Kind() != reflect.Map || !reflect.TypeFor[string]().ConvertibleTo(m.Type().Key()) {
		d.expected(path, "a dict", v)
		m = reflect.Value{}
	}
	return &Dict{m, path + ".", d.failed}
}

// list reads what a list or a tuple holds.
func list[T any](d *Dict, name string, read func(path string, v any) T) []T {
	all := d.Value(name)
	r := reflect.ValueOf(all)
	if r.Kind() != reflect.Slice && r.Kind() != reflect.Array {
		d.expected(d.Path(name), "a list", all)
		return nil
	}
	out := make([]T, r.Len())
	for i := range out {
		out[i] = read(fmt.Sprintf("%s%s[%d]", d.path, name, i), r.Index(i).Interface())
	}
	return out
}
