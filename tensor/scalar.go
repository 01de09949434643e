package tensor

import (
	"fmt"
	"math"
	"reflect"

	"cresset/dtype"
	"cresset/internal/backend"
	"cresset/internal/op"
)

// scalar is the operand of an op that the caller gave as a number.
func scalar(o op.Op, v any) operand { return operand{s: scalarOf(o.String(), v)} }

// scalarOf reads a number that the caller gave: any integer, float or bool kind.
func scalarOf(name string, v any) backend.Scalar {
	switch v := v.(type) {
	case int:
		return backend.Scalar{I: int64(v), Kind: backend.IntScalar}
	case float64:
		return backend.Scalar{F: v, Kind: backend.FloatScalar}
	case float32:
		return backend.Scalar{F: float64(v), Kind: backend.FloatScalar}
	case bool:
		return boolScalar(v)
	case int64:
		return backend.Scalar{I: v, Kind: backend.IntScalar}
	}
	r := reflect.ValueOf(v)
	switch {
	case !r.IsValid():
	case r.CanInt():
		return backend.Scalar{I: r.Int(), Kind: backend.IntScalar}
	case r.CanUint():
		if r.Uint() > math.MaxInt64 {
			fail(name, ErrValue, "value cannot be converted to type int64_t without overflow")
		}
		return backend.Scalar{I: int64(r.Uint()), Kind: backend.IntScalar}
	case r.CanFloat():
		return backend.Scalar{F: r.Float(), Kind: backend.FloatScalar}
	case r.Kind() == reflect.Bool:
		return boolScalar(r.Bool())
	}
	failHint(name, ErrValue, fmt.Sprintf("%s(): argument 'other' must be a number, not %T", name, v),
		"scalars are Go integers, floats and bools; for a tensor use the method without Scalar in its name")
	return backend.Scalar{}
}

func boolScalar(v bool) backend.Scalar {
	if v {
		return backend.Scalar{I: 1, Kind: backend.BoolScalar}
	}
	return backend.Scalar{Kind: backend.BoolScalar}
}

// ranges has what integer types hold and how PyTorch's errors name the type.
var ranges = map[dtype.DType]struct {
	low, high int64
	name      string
}{
	dtype.Uint8: {0, math.MaxUint8, "uint8_t"},
	dtype.Int8:  {math.MinInt8, math.MaxInt8, "int8_t"},
	dtype.Int16: {math.MinInt16, math.MaxInt16, "int16_t"},
	dtype.Int32: {math.MinInt32, math.MaxInt32, "int"},
	dtype.Int64: {math.MinInt64, math.MaxInt64, "int64_t"},
}

// limits has the largest finite number of floating-point types.
var limits = map[dtype.DType]struct {
	high float64
	name string
}{
	dtype.Float16:  {65504, "at::Half"},
	dtype.BFloat16: {0x1.fep127, "at::BFloat16"},
	dtype.Float32:  {math.MaxFloat32, "float"},
	dtype.Float64:  {math.MaxFloat64, "double"},
}

// fits panics where dt cannot hold s: integers and finite floats out of range, NaN and infinities as integers. A negative
// integer may wrap to uint8.
func fits(name string, s backend.Scalar, dt dtype.DType) {
	ok, typeName := true, ""
	if r, found := ranges[dt]; found {
		typeName = r.name
		low := r.low
		switch {
		case s.Kind == backend.FloatScalar:
			ok = s.F >= float64(low) && s.F <= float64(r.high) && s.F < 1<<63
		case dt == dtype.Uint8:
			low = -r.high
			fallthrough
		default:
			ok = s.I >= low && s.I <= r.high
		}
	} else if l, found := limits[dt]; found {
		typeName = l.name
		f := math.Abs(s.Float())
		ok = !(f > l.high) || math.IsInf(f, 0)
	}
	if !ok {
		overflows(name, typeName)
	}
}

func overflows(name, typeName string) {
	fail(name, ErrValue, "value cannot be converted to type "+typeName+" without overflow")
}
