package rng

import "cresset/dtype"

// Real is an element type of a floating-point tensor.
type Real interface {
	float32 | float64 | dtype.F16 | dtype.BF16
}

// rounder returns the conversion from float64 to T, which for the half types goes through float32 as PyTorch's does.
func rounder[T Real]() func(float64) T { return fromFloats[dtype.Of[T]()].(func(float64) T) }

var fromFloats = [dtype.Count]any{
	dtype.Float16:  dtype.F16FromFloat64,
	dtype.BFloat16: dtype.BF16FromFloat64,
	dtype.Float32:  func(x float64) float32 { return float32(x) },
	dtype.Float64:  func(x float64) float64 { return x },
}

// widener returns the exact conversion from T to float64.
func widener[T Real]() func(T) float64 { return toFloats[dtype.Of[T]()].(func(T) float64) }

var toFloats = [dtype.Count]any{
	dtype.Float16:  func(x dtype.F16) float64 { return float64(x.Float32()) },
	dtype.BFloat16: func(x dtype.BF16) float64 { return float64(x.Float32()) },
	dtype.Float32:  func(x float32) float64 { return float64(x) },
	dtype.Float64:  func(x float64) float64 { return x },
}

// fromInt returns the conversion from int64 to T: integers wrap, floats round, and everything but 0 is true.
func fromInt[T dtype.Element]() func(int64) T { return fromInts[dtype.Of[T]()].(func(int64) T) }

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
