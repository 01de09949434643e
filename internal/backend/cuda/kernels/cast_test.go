package kernels_test

import (
	"math"
	"testing"
	"unsafe"

	"cresset/dtype"
	"cresset/internal/backend/cuda/kernels"
	"cresset/internal/kern"
)

// TestCasts wants the CPU's bits from every dtype to every other, NaN from NaN apart.
func TestCasts(t *testing.T) {
	sources := map[dtype.DType][]byte{
		dtype.Uint8: bytesOf(samples[uint8](count, 1)), dtype.Int32: bytesOf(samples[int32](count, 2)),
		dtype.Int64: bytesOf(samples[int64](count, 3)), dtype.Float32: bytesOf(castSamples[float32]()),
		dtype.Float64: bytesOf(castSamples[float64]()), dtype.Float16: bytesOf(halves()), dtype.BFloat16: bytesOf(halves()),
		dtype.Bool: bytesOf(bools()), dtype.Int8: bytesOf(samples[int8](count, 4)), dtype.Int16: bytesOf(samples[int16](count, 5)),
	}
	for from, src := range sources {
		for to := dtype.Bool; to < dtype.Count; to++ {
			if from == to {
				continue
			}
			n := len(src) / from.Size()
			got, want := make([]byte, n*to.Size()), make([]byte, n*to.Size())
			kern.Cast(to, from)(unsafe.Pointer(&want[0]), unsafe.Pointer(&src[0]), n) // both hold n elements
			m := &machine{t: t}
			name := "cast_" + dtypeNames[from] + "_" + dtypeNames[to]
			p := kernels.Elementwise{N: uint64(n), Out: put(m, got), In: [3]uint64{put(m, src)}}
			launch(m, name, kernels.Flat(p.N, few), p)
			compareAs(t, name, to, got, want)
		}
	}
}

func compareAs(t *testing.T, name string, dt dtype.DType, got, want []byte) {
	t.Helper()
	switch dt {
	case dtype.Float32:
		compare(t, name, as[float32](got), as[float32](want))
	case dtype.Float64:
		compare(t, name, as[float64](got), as[float64](want))
	default:
		compare(t, name, got, want)
	}
}

// as views bytes as elements, and bytesOf elements as bytes; both share memory that Go aligns for any of them.
func as[T any](b []byte) []T {
	var z T
	return unsafe.Slice((*T)(unsafe.Pointer(&b[0])), len(b)/int(unsafe.Sizeof(z)))
}

func bytesOf[T any](s []T) []byte {
	var z T
	return unsafe.Slice((*byte)(unsafe.Pointer(&s[0])), len(s)*int(unsafe.Sizeof(z)))
}

// castSamples adds the limits of integers and of the half types.
func castSamples[T dtype.Float]() []T {
	s := samples[T](count, 6)
	for _, limit := range []float64{127, 128, 255, 256, 32767, 65504, 65519, 65520, 65536, 1 << 31, 1<<31 + 1, 1 << 32, 1 << 53, 1 << 63,
		1 << 64, 0x1p-14, 0x1p-24, 0x1p-25, 0x1.002p0, 0x1.006p0, 0x1.008p0, 0x1.018p0, 0x1.fffp15} {
		for _, v := range []float64{limit, -limit, math.Nextafter(limit, 0), math.Nextafter(-limit, 0), limit - 0.5, 0.5 - limit} {
			s = append(s, T(v))
		}
	}
	return s
}

// halves is every number of 16 bits.
func halves() []uint16 {
	s := make([]uint16, 1<<16)
	for i := range s {
		s[i] = uint16(i)
	}
	return s
}

func bools() []bool {
	s := make([]bool, count)
	for i := range s {
		s[i] = i%3 == 0
	}
	return s
}
