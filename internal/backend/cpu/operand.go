package cpu

import (
	"cresset/dtype"
	"cresset/internal/backend"
	"cresset/internal/mem"
)

// data returns all elements of the buffer that the view looks at; offsets of the view's layout index it.
func data[T dtype.Element](v *backend.View) []T { return mem.Slice[T](v.Buf.(*mem.Block)) }

// dense returns the elements of a contiguous view.
func dense[T dtype.Element](v *backend.View) []T {
	at := v.Layout.Offset
	if v.Layout.Size() == 0 {
		return nil // its offset may lie behind the buffer
	}
	return data[T](v)[at : at+v.Layout.Size()]
}

// constant converts a scalar to an element.
func constant[T dtype.Element](s backend.Scalar) T {
	var z T
	switch p := any(&z).(type) {
	case *bool:
		*p = s.F != 0 || s.I != 0
	case *uint8:
		*p = uint8(s.Int())
	case *int8:
		*p = int8(s.Int())
	case *int16:
		*p = int16(s.Int())
	case *int32:
		*p = int32(s.Int())
	case *int64:
		*p = s.Int()
	case *dtype.F16:
		*p = dtype.F16FromFloat64(s.Float())
	case *dtype.BF16:
		*p = dtype.BF16FromFloat64(s.Float())
	case *float32:
		if s.Kind == backend.FloatScalar {
			*p = float32(s.F)
		} else {
			*p = float32(s.I)
		}
	case *float64:
		*p = s.Float()
	}
	return z
}
