package nn

import (
	"reflect"

	"cresset/tensor"
)

// Copy returns a copy of a model: the same structs over what of returns for each of their tensors. It is called once for each
// tensor, also where several modules share it. What neither leads to tensors nor is a module is shared.
func Copy[M any](model M, of func(t *tensor.Tensor) *tensor.Tensor) M {
	c := copier{of: of, done: make(map[any]reflect.Value)}
	v := reflect.New(reflect.TypeFor[M]()).Elem()
	v.Set(c.copy(reflect.ValueOf(&model).Elem()))
	return v.Interface().(M)
}

type copier struct {
	of   func(t *tensor.Tensor) *tensor.Tensor
	done map[any]reflect.Value
}

func (c *copier) copy(v reflect.Value) reflect.Value {
	switch v.Kind() {
	case reflect.Pointer:
		return c.pointer(v)
	case reflect.Interface:
		if v.IsNil() {
			return v
		}
		out := reflect.New(v.Type()).Elem()
		out.Set(c.copy(v.Elem()))
		return out
	case reflect.Struct:
		return c.structure(v)
	case reflect.Slice:
		if v.IsNil() {
			return v
		}
		if out, ok := c.done[keyOf(v)]; ok {
			return out
		}
		out := reflect.MakeSlice(v.Type(), v.Len(), v.Len())
		c.done[keyOf(v)] = out
		for i := range v.Len() {
			out.Index(i).Set(c.copy(v.Index(i)))
		}
		return out
	case reflect.Array:
		out := reflect.New(v.Type()).Elem()
		for i := range v.Len() {
			out.Index(i).Set(c.copy(v.Index(i)))
		}
		return out
	case reflect.Map:
		if v.IsNil() {
			return v
		}
		if out, ok := c.done[keyOf(v)]; ok {
			return out
		}
		out := reflect.MakeMap(v.Type())
		c.done[keyOf(v)] = out
		for _, k := range v.MapKeys() {
			out.SetMapIndex(k, c.copy(v.MapIndex(k)))
		}
		return out
	default:
		return v
	}
}

func (c *copier) pointer(v reflect.Value) reflect.Value {
	if v.IsNil() || !mayHold(v.Type()) || v.Type() != tensorType && !copied(v.Type()) {
		return v
	}
	if out, ok := c.done[v.UnsafePointer()]; ok { // only compared
		return out
	}
	if v.Type() == tensorType {
		out := reflect.ValueOf(c.of(v.Interface().(*tensor.Tensor)))
		c.done[v.UnsafePointer()] = out
		return out
	}
	out := reflect.New(v.Type().Elem())
	c.done[v.UnsafePointer()] = out
	out.Elem().Set(v.Elem())
	c.fields(out.Elem())
	return out
}

func (c *copier) structure(v reflect.Value) reflect.Value {
	out := reflect.New(v.Type()).Elem()
	out.Set(v)
	c.fields(out)
	return out
}

// fields replaces what a copied struct still shares. Unexported fields are shared: walk has made sure that none leads to
// a tensor.
func (c *copier) fields(v reflect.Value) {
	for i := range v.NumField() {
		f := v.Field(i)
		if f.CanSet() && mayHold(f.Type()) {
			f.Set(c.copy(f))
		}
	}
}

var moduleType = reflect.TypeFor[Module]()

// copied reports whether what a pointer of the type leads to is copied: modules, and structs that may lead to one or to a
// tensor.
func copied(t reflect.Type) bool {
	return t.Implements(moduleType) || leads(t.Elem(), make(map[reflect.Type]bool))
}

// leads reports whether a value of the type may lead to a tensor or hold a Mode. Types in seen are under way.
func leads(t reflect.Type, seen map[reflect.Type]bool) bool {
	if t == tensorType || t == modeType || t.Kind() == reflect.Interface {
		return true
	}
	if seen[t] || !mayHold(t) {
		return false
	}
	seen[t] = true
	switch t.Kind() {
	case reflect.Struct:
		for i := range t.NumField() {
			if f := t.Field(i); f.IsExported() && leads(f.Type, seen) {
				return true
			}
		}
		return false
	default:
		return t.Implements(moduleType) || leads(t.Elem(), seen)
	}
}
