package checkpoint

import (
	"fmt"
	"math/big"
	"reflect"
	"slices"

	"cresset/device"
	"cresset/tensor"
)

// frozen copies plain values, so that a program may go on to change them while they are written: tensors to the CPU, those that
// share memory so that they share it still.
type frozen struct{ storages map[any]*tensor.Tensor }

// value returns a copy of v, whose containers may be of any types.
func (f *frozen) value(v any) any {
	switch v := v.(type) {
	case *tensor.Tensor:
		return f.tensor(v)
	case []byte:
		return slices.Clone(v)
	case tensor.Shape:
		return slices.Clone(v)
	}
	r := reflect.ValueOf(v)
	switch r.Kind() {
	case reflect.Slice, reflect.Array:
		out := make([]any, r.Len())
		for i := range out {
			out[i] = f.value(r.Index(i).Interface())
		}
		if _, ok := v.(Tuple); ok || r.Kind() == reflect.Array {
			return Tuple(out)
		}
		return out
	case reflect.Map:
		out := reflect.MakeMap(reflect.MapOf(r.Type().Key(), reflect.TypeFor[any]()))
		for key, value := range r.Seq2() {
			copied := f.value(value.Interface())
			out.SetMapIndex(key, reflect.ValueOf(&copied).Elem())
		}
		return out.Interface()
	}
	return v
}

// tensor returns a copy on the CPU.
func (f *frozen) tensor(t *tensor.Tensor) *tensor.Tensor {
	if t == nil {
		return nil
	}
	t = t.Detach()
	key := tensors.StorageOf(t)
	storage := f.storages[key]
	if storage == nil {
		storage = tensors.EntireStorage(t).To(device.CPU, tensor.Copy(true))
		f.storages[key] = storage
	}
	return tensors.Strided(storage, t.Shape(), t.Stride(), t.StorageOffset())
}

// assign sets what a pointer of a Snapshot points to.
func assign(to reflect.Value, v any) error {
	from := reflect.ValueOf(v)
	kind := to.Kind()
	switch {
	case !from.IsValid() && (kind == reflect.Slice || kind == reflect.Map || kind == reflect.Pointer || kind == reflect.Interface):
		to.SetZero()
	case !from.IsValid():
		return fmt.Errorf("expected %s, but found None", to.Type())
	case from.Type().AssignableTo(to.Type()):
		to.Set(from)
	case to.CanUint() && beyondInt(v) && !to.OverflowUint(v.(*big.Int).Uint64()):
		to.SetUint(v.(*big.Int).Uint64())
	case to.CanInt() && from.CanInt() && !to.OverflowInt(from.Int()):
		to.SetInt(from.Int())
	case to.CanUint() && from.CanInt() && from.Int() >= 0 && !to.OverflowUint(uint64(from.Int())):
		to.SetUint(uint64(from.Int()))
	case to.CanFloat() && from.CanFloat():
		to.SetFloat(from.Float())
	case (kind == reflect.Bool || kind == reflect.String) && from.Kind() == kind:
		to.Set(from.Convert(to.Type()))
	case kind == reflect.Slice && from.Kind() == reflect.Slice:
		to.Set(reflect.MakeSlice(to.Type(), from.Len(), from.Len()))
		return assignAll(to, from)
	case kind == reflect.Array && from.Kind() == reflect.Slice && from.Len() == to.Len():
		return assignAll(to, from)
	case kind == reflect.Map && from.Kind() == reflect.Map:
		return assignMap(to, from)
	default:
		return fmt.Errorf("expected %s, but found %T", to.Type(), v)
	}
	return nil
}

// beyondInt reports whether v is a uint64 that int64 cannot hold, as which a file has it.
func beyondInt(v any) bool {
	n, ok := v.(*big.Int)
	return ok && n.IsUint64()
}

func assignAll(to, from reflect.Value) error {
	for i := range from.Len() {
		if err := assign(to.Index(i), from.Index(i).Interface()); err != nil {
			return fmt.Errorf("element %d: %w", i, err)
		}
	}
	return nil
}

func assignMap(to, from reflect.Value) error {
	to.Set(reflect.MakeMap(to.Type()))
	for k, v := range from.Seq2() {
		key, value := reflect.New(to.Type().Key()).Elem(), reflect.New(to.Type().Elem()).Elem()
		if err := assign(key, k.Interface()); err != nil {
			return fmt.Errorf("key %v: %w", k, err)
		}
		if err := assign(value, v.Interface()); err != nil {
			return fmt.Errorf("%v: %w", k, err)
		}
		to.SetMapIndex(key, value)
	}
	return nil
}
