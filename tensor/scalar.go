package tensor

import (
	"fmt"
	"math"
	"reflect"

	"cresset/internal/backend"
)

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
