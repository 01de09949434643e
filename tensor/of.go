package tensor

import (
	"fmt"
	"reflect"

	"cresset/device"
	"cresset/dtype"
	"cresset/internal/backend"
	"cresset/internal/layout"
)

// Of returns a CPU tensor with a copy of v: a bool, an integer or a float, or slices or arrays of them nested to any
// depth, which must be of equal length. The dtype is that of the Go type; int is int64.
func Of(v any) *Tensor { return Place{}.Of(v) }

// Of returns a tensor with a copy of v, in the place's dtype where it names one, else in that of the Go type.
func (p Place) Of(v any) *Tensor {
	r := bare(reflect.ValueOf(v))
	shape := shapeOf(r)
	var x *Tensor
	if leaf, ok := leafType(r.Type(), len(shape)); ok {
		x = newTensor("tensor", device.CPU, leaf, checkSizes("tensor", shape))
		readTyped[leaf](x, r)
	} else {
		x = ofMixed(r, shape)
	}
	if t := recordingNow.Load(); t != nil {
		t.filled(x)
	}
	return x.cast(p.or(x.dtype)).To(resolve(p.device))
}

// shapeOf returns the extents of nested sequences by their first elements.
func shapeOf(r reflect.Value) Shape {
	shape := Shape{}
	for r = bare(r); isSequence(r); r = bare(r.Index(0)) {
		if shape = append(shape, r.Len()); len(shape) > layout.MaxRank {
			check("tensor", ErrShape, errTooManyAxes)
		}
		if r.Len() == 0 {
			break
		}
	}
	return shape
}

// bare returns what an interface holds, refusing nil.
func bare(r reflect.Value) reflect.Value {
	for r.IsValid() && r.Kind() == reflect.Interface {
		r = r.Elem()
	}
	if !r.IsValid() || r.Kind() == reflect.Pointer && r.IsNil() {
		fail("tensor", ErrDType, "Could not infer dtype of NoneType")
	}
	return r
}

func isSequence(r reflect.Value) bool { return r.Kind() == reflect.Slice || r.Kind() == reflect.Array }

var (
	typeF16  = reflect.TypeFor[dtype.F16]()
	typeBF16 = reflect.TypeFor[dtype.BF16]()
)

// kinds has the dtypes of Go's own types.
var kinds = map[reflect.Kind]dtype.DType{
	reflect.Bool: dtype.Bool, reflect.Uint8: dtype.Uint8,
	reflect.Int8: dtype.Int8, reflect.Int16: dtype.Int16, reflect.Int32: dtype.Int32, reflect.Int64: dtype.Int64, reflect.Int: dtype.Int64,
	reflect.Float32: dtype.Float32, reflect.Float64: dtype.Float64,
}

// leafType returns the dtype of the elements under sequences of the given depth; false where interfaces hide it.
func leafType(t reflect.Type, depth int) (dtype.DType, bool) {
	for range depth {
		if t.Kind() == reflect.Interface {
			return dtype.Undefined, false
		}
		t = t.Elem()
	}
	for t.Kind() == reflect.Slice || t.Kind() == reflect.Array { // below an empty sequence
		t = t.Elem()
	}
	switch {
	case t == typeF16:
		return dtype.Float16, true
	case t == typeBF16:
		return dtype.BFloat16, true
	case t.Kind() == reflect.Interface:
		return dtype.Undefined, false
	}
	if dt, ok := kinds[t.Kind()]; ok {
		return dt, true
	}
	failHint("tensor", ErrDType, fmt.Sprintf("new(): invalid data type '%s'", t), "elements are bools, signed integers, uint8, floats, dtype.F16 or dtype.BF16")
	return dtype.Undefined, false
}

// readTyped copies the elements of nested sequences to a fresh host tensor of their dtype.
var readTyped = [dtype.Count]func(x *Tensor, r reflect.Value){
	dtype.Bool:     readBools,
	dtype.Uint8:    readNumbers[uint8],
	dtype.Int8:     readNumbers[int8],
	dtype.Int16:    readNumbers[int16],
	dtype.Int32:    readNumbers[int32],
	dtype.Int64:    readNumbers[int64],
	dtype.Float16:  readNumbers[dtype.F16],
	dtype.BFloat16: readNumbers[dtype.BF16],
	dtype.Float32:  readNumbers[float32],
	dtype.Float64:  readNumbers[float64],
}

func readBools(x *Tensor, r reflect.Value) {
	dst := elements[bool](x.storage)
	eachRow(r, x.layout.Shape(), func(row reflect.Value, at int) {
		for i := range row.Len() {
			dst[at+i] = row.Index(i).Bool()
		}
	}, func(v reflect.Value) { dst[0] = v.Bool() })
}

func readNumbers[T dtype.Number | dtype.F16 | dtype.BF16](x *Tensor, r reflect.Value) {
	dst := elements[T](x.storage)
	eachRow(r, x.layout.Shape(), func(row reflect.Value, at int) {
		switch s := row.Interface().(type) {
		case []T:
			copy(dst[at:], s)
		case []int:
			for i, v := range s {
				dst[at+i] = T(v)
			}
		default:
			for i := range row.Len() {
				dst[at+i] = number[T](row.Index(i))
			}
		}
	}, func(v reflect.Value) { dst[0] = number[T](v) })
}

func number[T dtype.Number | dtype.F16 | dtype.BF16](v reflect.Value) T {
	switch {
	case v.CanInt():
		return T(v.Int())
	case v.CanUint():
		return T(v.Uint())
	default:
		return T(v.Float())
	}
}

// eachRow calls row for each innermost sequence with the index of its first element, after a check that lengths are those
// of shape; single for a value without axes.
func eachRow(r reflect.Value, shape Shape, row func(r reflect.Value, at int), single func(v reflect.Value)) {
	if len(shape) == 0 {
		single(r)
		return
	}
	at := 0
	var descend func(r reflect.Value, axis int)
	descend = func(r reflect.Value, axis int) {
		r = bare(r)
		switch {
		case !isSequence(r):
			fail("tensor", ErrShape, "not a sequence")
		case r.Len() != shape[axis]:
			fail("tensor", ErrShape, fmt.Sprintf("expected sequence of length %d at dim %d (got %d)", shape[axis], axis, r.Len()))
		case axis == len(shape)-1:
			row(r, at)
			at += r.Len()
		default:
			for i := range r.Len() {
				descend(r.Index(i), axis+1)
			}
		}
	}
	descend(r, 0)
}

// ofMixed reads sequences of interfaces: the dtype is the one that all elements promote to.
func ofMixed(r reflect.Value, shape Shape) *Tensor {
	dt := dtype.Undefined
	var values []backend.Scalar
	read := func(v reflect.Value) {
		v = bare(v)
		if isSequence(v) {
			fail("tensor", ErrShape, fmt.Sprintf("must be a number, not %s", v.Type()))
		}
		leaf, _ := leafType(v.Type(), 0)
		if len(values) > 0 {
			leaf = dtype.Promote(dt, leaf)
		}
		dt = leaf
		values = append(values, scalarIn(v))
	}
	eachRow(r, shape, func(row reflect.Value, _ int) {
		for i := range row.Len() {
			read(row.Index(i))
		}
	}, read)
	if len(values) == 0 {
		dt = dtype.Default
	}
	shape = checkSizes("tensor", shape)
	if dt.IsFloat() {
		return fromScalars(values, shape, backend.Scalar.Float).cast(dt)
	}
	return fromScalars(values, shape, backend.Scalar.Int).cast(dt)
}

func scalarIn(v reflect.Value) backend.Scalar {
	if h, ok := v.Interface().(interface{ Float32() float32 }); ok {
		return backend.Scalar{F: float64(h.Float32()), Kind: backend.FloatScalar}
	}
	return scalarOf("tensor", v.Interface())
}

func fromScalars[T int64 | float64](values []backend.Scalar, shape Shape, convert func(backend.Scalar) T) *Tensor {
	x := newTensor("tensor", device.CPU, dtype.Of[T](), shape)
	dst := elements[T](x.storage)
	for i, v := range values {
		dst[i] = convert(v)
	}
	return x
}
