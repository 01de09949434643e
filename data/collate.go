package data

import (
	"fmt"
	"reflect"

	"cresset/tensor"
)

// Collate makes a batch of samples by the rules of PyTorch's default_collate. What each part of a sample becomes, its type in the batch
// says:
//
//	sample                             batch
//	*tensor.Tensor                     *tensor.Tensor: stacked along a new first axis
//	a number, a bool                   *tensor.Tensor of one axis; int gives int64, float64 float64
//	slices and arrays of numbers       *tensor.Tensor: stacked as tensors are
//	T                                  []T: the samples' values, as texts and tensors of different shapes
//	a slice of L parts                 a slice of L batches, part by part; all samples have to have as many
//	a map                              a map with the keys of the first sample
//	a struct, or a pointer to one      a struct: each field of the batch is made of the samples' field of its name
//
// Tensors of different shapes are an error in PyTorch's words, and so is what no rule is for.
func Collate[B, S any](samples []S) (batch B, err error) {
	parts := make([]reflect.Value, len(samples))
	for i := range samples {
		parts[i] = reflect.ValueOf(&samples[i]).Elem()
	}
	if len(parts) == 0 {
		return batch, fmt.Errorf("there is no sample to collate")
	}
	err = collate(reflect.ValueOf(&batch).Elem(), parts)
	return batch, err
}

// collate sets a part of a batch from that part of each sample.
func collate(to reflect.Value, parts []reflect.Value) (err error) {
	from := parts[0].Type()
	switch kind := to.Kind(); {
	case to.Type() == tensorType:
		if mistake := tensor.Try(func() { err = collateTensor(to, parts) }); mistake != nil {
			return mistake
		}
		return err
	case kind == reflect.Slice && to.Type().Elem() == from:
		to.Set(reflect.Append(reflect.MakeSlice(to.Type(), 0, len(parts)), parts...))
		return nil
	case kind == reflect.Slice && (from.Kind() == reflect.Slice || from.Kind() == reflect.Array):
		return collateLists(to, parts)
	case kind == reflect.Map && from.Kind() == reflect.Map && to.Type().Key() == from.Key():
		return collateMaps(to, parts)
	case kind == reflect.Struct:
		return collateStructs(to, parts)
	case kind == reflect.Pointer && to.Type().Elem().Kind() == reflect.Struct:
		to.Set(reflect.New(to.Type().Elem()))
		return collateStructs(to.Elem(), parts)
	}
	return fmt.Errorf("default_collate: a batch has no %v of samples' %v", to.Type(), from)
}

// collateTensor stacks tensors, and what tensors can be made of.
func collateTensor(to reflect.Value, parts []reflect.Value) error {
	var out *tensor.Tensor
	switch from := parts[0].Type(); {
	case from == tensorType:
		tensors := make([]*tensor.Tensor, len(parts))
		for i, part := range parts {
			if tensors[i] = part.Interface().(*tensor.Tensor); tensors[i] == nil {
				return fmt.Errorf("default_collate: sample %d of the batch has no tensor", i)
			}
		}
		out = tensor.Stack(tensors, 0)
	case plainNumber(from.Kind()):
		out = tensor.Of(plainSlice(from.Kind(), parts).Interface())
	case from.Kind() == reflect.Slice || from.Kind() == reflect.Array:
		tensors := make([]*tensor.Tensor, len(parts))
		for i, part := range parts {
			tensors[i] = tensor.Of(plainList(part))
		}
		out = tensor.Stack(tensors, 0)
	default:
		return fmt.Errorf("default_collate: batch must contain tensors, numpy arrays, numbers, dicts or lists; found %v", from)
	}
	to.Set(reflect.ValueOf(out))
	return nil
}

// plainTypes has the types that tensors are made of, for the program's own types of their kinds.
var plainTypes = map[reflect.Kind]reflect.Type{
	reflect.Bool: reflect.TypeFor[bool](), reflect.Int: reflect.TypeFor[int](), reflect.Int8: reflect.TypeFor[int8](),
	reflect.Int16: reflect.TypeFor[int16](), reflect.Int32: reflect.TypeFor[int32](), reflect.Int64: reflect.TypeFor[int64](),
	reflect.Uint8: reflect.TypeFor[uint8](), reflect.Float32: reflect.TypeFor[float32](), reflect.Float64: reflect.TypeFor[float64](),
}

func plainNumber(k reflect.Kind) bool { return plainTypes[k] != nil }

// plainSlice returns numbers as a slice of their plain type.
func plainSlice(k reflect.Kind, numbers []reflect.Value) reflect.Value {
	out := reflect.MakeSlice(reflect.SliceOf(plainTypes[k]), len(numbers), len(numbers))
	for i, v := range numbers {
		out.Index(i).Set(v.Convert(plainTypes[k]))
	}
	return out
}

// plainList returns a list of numbers, or of such lists, as tensor.Of takes it.
func plainList(list reflect.Value) any {
	if !plainNumber(list.Type().Elem().Kind()) || list.Kind() == reflect.Slice && list.Type().Elem() == plainTypes[list.Type().Elem().Kind()] {
		return list.Interface()
	}
	numbers := make([]reflect.Value, list.Len())
	for i := range numbers {
		numbers[i] = list.Index(i)
	}
	return plainSlice(list.Type().Elem().Kind(), numbers).Interface()
}

// collateLists collates the first parts of all lists, the second ones and so on.
func collateLists(to reflect.Value, parts []reflect.Value) error {
	n := parts[0].Len()
	for _, part := range parts {
		if part.Len() != n {
			return fmt.Errorf("each element in list of batch should be of equal size")
		}
	}
	out := reflect.MakeSlice(to.Type(), n, n)
	for at := range n {
		if err := collate(out.Index(at), each(parts, func(list reflect.Value) reflect.Value { return list.Index(at) })); err != nil {
			return fmt.Errorf("[%d]: %w", at, err)
		}
	}
	to.Set(out)
	return nil
}

func collateMaps(to reflect.Value, parts []reflect.Value) error {
	out := reflect.MakeMap(to.Type())
	for _, key := range parts[0].MapKeys() {
		values := each(parts, func(m reflect.Value) reflect.Value { return m.MapIndex(key) })
		for i, v := range values {
			if !v.IsValid() {
				return fmt.Errorf("default_collate: sample %d of the batch has no %v", i, key)
			}
		}
		value := reflect.New(to.Type().Elem()).Elem()
		if err := collate(value, values); err != nil {
			return fmt.Errorf("[%v]: %w", key, err)
		}
		out.SetMapIndex(key, value)
	}
	to.Set(out)
	return nil
}

func collateStructs(to reflect.Value, parts []reflect.Value) error {
	if parts[0].Kind() == reflect.Pointer {
		parts = each(parts, reflect.Value.Elem)
	}
	for i, part := range parts {
		if part.Kind() != reflect.Struct {
			return fmt.Errorf("default_collate: sample %d of the batch is no struct, of which a %v could be made", i, to.Type())
		}
	}
	for field, value := range to.Fields() {
		if !field.IsExported() || field.Type == scopeType {
			continue
		}
		if !parts[0].FieldByName(field.Name).IsValid() {
			return fmt.Errorf("default_collate: %v has no field %s, which %v has", parts[0].Type(), field.Name, to.Type())
		}
		if err := collate(value, each(parts, func(s reflect.Value) reflect.Value { return s.FieldByName(field.Name) })); err != nil {
			return fmt.Errorf("%s: %w", field.Name, err)
		}
	}
	return nil
}

func each(values []reflect.Value, f func(reflect.Value) reflect.Value) []reflect.Value {
	out := make([]reflect.Value, len(values))
	for i, v := range values {
		out[i] = f(v)
	}
	return out
}
