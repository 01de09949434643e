package ddp

import (
	"reflect"

	"cresset/tensor"
)

// A place is where a pointer, a slice or a map leads.
type place struct {
	at  uintptr // only compared, while the value is held
	typ reflect.Type
	len int
}

// tensorsIn returns the tensors that stand in slices, arrays, maps, pointers and exported fields of structs.
func tensorsIn(v any) (ts []*tensor.Tensor) {
	seen := make(map[place]bool) // which may lead back
	var look func(v reflect.Value)
	look = func(v reflect.Value) {
		if !v.IsValid() || !v.CanInterface() {
			return
		}
		if t, ok := v.Interface().(*tensor.Tensor); ok {
			ts = append(ts, t)
			return
		}
		switch v.Kind() {
		case reflect.Pointer, reflect.Slice, reflect.Map:
			at := place{v.Pointer(), v.Type(), 0}
			if v.Kind() != reflect.Pointer {
				at.len = v.Len()
			}
			if v.IsNil() || seen[at] {
				return
			}
			seen[at] = true
		}
		switch v.Kind() {
		case reflect.Pointer, reflect.Interface:
			look(v.Elem())
		case reflect.Slice, reflect.Array:
			for i := range v.Len() {
				look(v.Index(i))
			}
		case reflect.Map:
			for _, key := range v.MapKeys() {
				look(v.MapIndex(key))
			}
		case reflect.Struct:
			for i := range v.NumField() {
				look(v.Field(i))
			}
		}
	}
	look(reflect.ValueOf(v))
	return ts
}
