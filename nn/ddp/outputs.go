package ddp

import (
	"reflect"

	"cresset/tensor"
)

// tensorsIn returns the tensors that stand in slices, arrays, maps, pointers and exported fields of structs.
func tensorsIn(v any) (ts []*tensor.Tensor) {
	seen := make(map[any]bool) // pointers, which may lead back
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
		case reflect.Pointer:
			if !v.IsNil() && !seen[v.Interface()] {
				seen[v.Interface()] = true
				look(v.Elem())
			}
		case reflect.Interface:
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
