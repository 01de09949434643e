package dtype

import "strconv"

// Element is a Go type that a tensor's elements can have. An int is an int64, on machines of 32 bits an int32.
type Element interface {
	bool | uint8 | int8 | int16 | int32 | int64 | int | F16 | BF16 | float32 | float64
}

// Float is an Element that Go computes with as a floating-point number.
type Float interface {
	float32 | float64
}

// Integer is an Element that is an integer.
type Integer interface {
	uint8 | int8 | int16 | int32 | int64
}

// Number is an Element that Go computes with.
type Number interface {
	Integer | Float
}

// Of returns the DType of the Go type T.
func Of[T Element]() DType {
	var zero T
	switch any(zero).(type) {
	case bool:
		return Bool
	case uint8:
		return Uint8
	case int8:
		return Int8
	case int16:
		return Int16
	case int32:
		return Int32
	case int64:
		return Int64
	case int:
		if strconv.IntSize == 32 {
			return Int32
		}
		return Int64
	case F16:
		return Float16
	case BF16:
		return BFloat16
	case float32:
		return Float32
	}
	return Float64
}
