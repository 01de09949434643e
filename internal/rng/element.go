package rng

import "cresset/dtype"

// Real is an element type of a floating-point tensor.
type Real interface {
	float32 | float64 | dtype.F16 | dtype.BF16
}

// rounder returns the conversion from float64 to T, which for the half types
// goes through float32 as PyTorch's does.
func rounder[T Real]() func(float64) T {
	var f any
	switch any(*new(T)).(type) {
	case float32:
		f = func(x float64) float32 { return float32(x) }
	case float64:
		f = func(x float64) float64 { return x }
	case dtype.F16:
		f = dtype.F16FromFloat64
	case dtype.BF16:
		f = dtype.BF16FromFloat64
	}
	return f.(func(float64) T)
}

// widener returns the exact conversion from T to float64.
func widener[T Real]() func(T) float64 {
	var f any
	switch any(*new(T)).(type) {
	case float32:
		f = func(x float32) float64 { return float64(x) }
	case float64:
		f = func(x float64) float64 { return x }
	case dtype.F16:
		f = func(x dtype.F16) float64 { return float64(x.Float32()) }
	case dtype.BF16:
		f = func(x dtype.BF16) float64 { return float64(x.Float32()) }
	}
	return f.(func(T) float64)
}

// fromInt returns the conversion from int64 to T: integers wrap, floats round,
// and everything but 0 is true.
func fromInt[T dtype.Element]() func(int64) T {
	return fromInts[dtype.Of[T]()].(func(int64) T)
}

var fromInts = [dtype.Count]any{
	dtype.Bool:     func(v int64) bool { return v != 0 },
	dtype.Uint8:    func(v int64) uint8 { return uint8(v) },
	dtype.Int8:     func(v int64) int8 { return int8(v) },
	dtype.Int16:    func(v int64) int16 { return int16(v) },
	dtype.Int32:    func(v int64) int32 { return int32(v) },
	dtype.Int64:    func(v int64) int64 { return v },
	dtype.Float16:  func(v int64) dtype.F16 { return dtype.ToF16(float32(v)) },
	dtype.BFloat16: func(v int64) dtype.BF16 { return dtype.ToBF16(float32(v)) },
	dtype.Float32:  func(v int64) float32 { return float32(v) },
	dtype.Float64:  func(v int64) float64 { return float64(v) },
}
