package data

import (
	"reflect"

	"cresset/tensor"
)

var (
	tensorType = reflect.TypeFor[*tensor.Tensor]()
	scopeType  = reflect.TypeFor[*tensor.Scope]()
)

// inScope returns the batch with its tensors in the scope, which becomes its field of that type where it has one.
func inScope[B any](batch B, s *tensor.Scope) B {
	batch = replaced(batch, s.Enter)
	v := reflect.ValueOf(&batch).Elem()
	if v.Kind() == reflect.Pointer {
		v = v.Elem()
	}
	if v.Kind() != reflect.Struct {
		return batch
	}
	for _, field := range v.Fields() {
		if field.Type() == scopeType && field.CanSet() {
			field.Set(reflect.ValueOf(s))
		}
	}
	return batch
}

// replaced returns a batch in whose place of each tensor there is f of it: in exported fields, slices, arrays and maps, at any
// depth, and behind the pointer that a batch may be. The batch that was given stays as it was.
func replaced[B any](batch B, f func(*tensor.Tensor) *tensor.Tensor) B {
	v := reflect.ValueOf(&batch).Elem()
	if v.Kind() == reflect.Pointer && v.Type() != tensorType && !v.IsNil() {
		own := reflect.New(v.Type().Elem())
		own.Elem().Set(v.Elem())
		replaceIn(own.Elem(), f)
		v.Set(own)
		return batch
	}
	replaceIn(v, f)
	return batch
}

func replaceIn(v reflect.Value, f func(*tensor.Tensor) *tensor.Tensor) {
	switch v.Kind() {
	case reflect.Pointer:
		if v.Type() == tensorType && !v.IsNil() {
			v.Set(reflect.ValueOf(f(v.Interface().(*tensor.Tensor))))
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				replaceIn(v.Field(i), f)
			}
		}
	case reflect.Array:
		for i := range v.Len() {
			replaceIn(v.Index(i), f)
		}
	case reflect.Slice:
		if v.IsNil() || !mayHoldTensors(v.Type().Elem()) {
			return
		}
		own := reflect.MakeSlice(v.Type(), v.Len(), v.Len())
		reflect.Copy(own, v)
		for i := range own.Len() {
			replaceIn(own.Index(i), f)
		}
		v.Set(own)
	case reflect.Map, reflect.Interface:
		replaceCopied(v, f)
	}
}

// replaceCopied replaces what cannot be changed in its place: the elements of a map, the value of an interface.
func replaceCopied(v reflect.Value, f func(*tensor.Tensor) *tensor.Tensor) {
	if v.IsNil() {
		return
	}
	changed := func(old reflect.Value) reflect.Value {
		own := reflect.New(old.Type()).Elem()
		own.Set(old)
		replaceIn(own, f)
		return own
	}
	if v.Kind() == reflect.Interface {
		v.Set(changed(v.Elem()))
		return
	}
	own := reflect.MakeMapWithSize(v.Type(), v.Len())
	for key, value := range v.Seq2() {
		own.SetMapIndex(key, changed(value))
	}
	v.Set(own)
}

// mayHoldTensors spares slices of numbers and texts a copy.
func mayHoldTensors(t reflect.Type) bool {
	switch t.Kind() {
	case reflect.Pointer:
		return t == tensorType
	case reflect.Struct, reflect.Array, reflect.Slice, reflect.Map, reflect.Interface:
		return true
	}
	return false
}
