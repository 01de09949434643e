package kern

import (
	"unsafe"

	"cresset/dtype"
)

// The half types have the same underlying type, so that Go compiles a generic
// loop over both as one that calls their methods through a table. Each type
// has loops of its own instead, into which the conversions are inlined.

func castToF16[S dtype.Number](dst, src unsafe.Pointer, n int) {
	d, s := elements[dtype.F16, S](dst, src, n)
	for i, v := range s {
		d[i] = dtype.ToF16(float32(v))
	}
}

func castToBF16[S dtype.Number](dst, src unsafe.Pointer, n int) {
	d, s := elements[dtype.BF16, S](dst, src, n)
	for i, v := range s {
		d[i] = dtype.ToBF16(float32(v))
	}
}

func castF16ToFloat[D dtype.Float](dst, src unsafe.Pointer, n int) {
	d, s := elements[D, dtype.F16](dst, src, n)
	for i, v := range s {
		d[i] = D(v.Float32())
	}
}

func castBF16ToFloat[D dtype.Float](dst, src unsafe.Pointer, n int) {
	d, s := elements[D, dtype.BF16](dst, src, n)
	for i, v := range s {
		d[i] = D(v.Float32())
	}
}

func castF16ToNarrow[D dtype.Integer](dst, src unsafe.Pointer, n int) {
	d, s := elements[D, dtype.F16](dst, src, n)
	for i, v := range s {
		d[i] = D(truncate32(v.Float32()))
	}
}

func castBF16ToNarrow[D dtype.Integer](dst, src unsafe.Pointer, n int) {
	d, s := elements[D, dtype.BF16](dst, src, n)
	for i, v := range s {
		d[i] = D(truncate32(v.Float32()))
	}
}

func castF16ToInt64(dst, src unsafe.Pointer, n int) {
	d, s := elements[int64, dtype.F16](dst, src, n)
	for i, v := range s {
		d[i] = truncate64(v.Float32())
	}
}

func castBF16ToInt64(dst, src unsafe.Pointer, n int) {
	d, s := elements[int64, dtype.BF16](dst, src, n)
	for i, v := range s {
		d[i] = truncate64(v.Float32())
	}
}

func castF16ToBF16(dst, src unsafe.Pointer, n int) {
	d, s := elements[dtype.BF16, dtype.F16](dst, src, n)
	for i, v := range s {
		d[i] = dtype.ToBF16(v.Float32())
	}
}

func castBF16ToF16(dst, src unsafe.Pointer, n int) {
	d, s := elements[dtype.F16, dtype.BF16](dst, src, n)
	for i, v := range s {
		d[i] = dtype.ToF16(v.Float32())
	}
}

// castHalfNonzero serves both half types: all but the sign tells zero.
func castHalfNonzero(dst, src unsafe.Pointer, n int) {
	d, s := elements[bool, uint16](dst, src, n)
	for i, v := range s {
		d[i] = v&0x7fff != 0
	}
}
