package nn

import (
	"reflect"

	"cresset/tensor"
)

// Frozen returns a copy of a model for inference: the same structs in evaluation mode, over parameters that share the
// model's storage but do not track gradients. Later training of the model is seen by the copy; it may be shared between
// goroutines as long as nobody trains.
func Frozen[M any](model M) M {
	c := copier{done: make(map[any]reflect.Value)}
	v := reflect.New(reflect.TypeFor[M]()).Elem()
	v.Set(c.copy(reflect.ValueOf(&model).Elem()))
	return Eval(v.Interface().(M))
}

// copier copies what leads to tensors and shares the rest.
type copier struct{ done map[any]reflect.Value }

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
		out := reflect.MakeSlice(v.Type(), v.Len(), v.Len())
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
		out := reflect.MakeMap(v.Type())
		for _, k := range v.MapKeys() {
			out.SetMapIndex(k, c.copy(v.MapIndex(k)))
		}
		return out
	default:
		return v
	}
}

func (c *copier) pointer(v reflect.Value) reflect.Value {
	if v.IsNil() || !mayHold(v.Type()) {
		return v
	}
	if out, ok := c.done[v.UnsafePointer()]; ok { // only compared
		return out
	}
	if v.Type() == tensorType {
		out := reflect.ValueOf(v.Interface().(*tensor.Tensor).Detach())
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
