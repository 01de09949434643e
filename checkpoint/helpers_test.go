package checkpoint_test

import (
	"bytes"
	"encoding/binary"
	"runtime"

	"cresset/dtype"
	"cresset/tensor"
)

// bytesOf returns the elements in row-major order, little-endian.
func bytesOf(x *tensor.Tensor) []byte {
	var values any
	switch x.DType() {
	case dtype.Bool:
		values = tensor.Values[bool](x)
	case dtype.Uint8:
		values = tensor.Values[uint8](x)
	case dtype.Int8:
		values = tensor.Values[int8](x)
	case dtype.Int16:
		values = tensor.Values[int16](x)
	case dtype.Int32:
		values = tensor.Values[int32](x)
	case dtype.Int64:
		values = tensor.Values[int64](x)
	case dtype.Float16:
		values = tensor.Values[dtype.F16](x)
	case dtype.BFloat16:
		values = tensor.Values[dtype.BF16](x)
	case dtype.Float32:
		values = tensor.Values[float32](x)
	case dtype.Float64:
		values = tensor.Values[float64](x)
	}
	var b bytes.Buffer
	if err := binary.Write(&b, binary.LittleEndian, values); err != nil {
		panic(err)
	}
	return b.Bytes()
}

// allocatedBy returns the bytes that f allocates, freed or not.
func allocatedBy(f func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}
