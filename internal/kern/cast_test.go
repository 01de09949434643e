package kern

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"os"
	"strings"
	"testing"
	"unsafe"

	"cresset/dtype"
)

// The inputs of the golden's rows "f32->..." and "i64->...".
var (
	castFloats = []float32{1.9, -1.9, 0.5, -0.5, 2.5, 255.9, 256, -1, 300.7, 1e10, -1e10, 3e38,
		float32(math.NaN()), float32(math.Inf(1)), float32(math.Inf(-1))}
	castInts = []int64{0, 1, -1, 127, 128, 255, 256, 300, 65535, 65536, 1<<31 - 1, 1 << 31, 1<<53 + 1, 1 << 62}
)

func TestCastGolden(t *testing.T) {
	golden, err := os.ReadFile("../../tensor/testdata/to_and_module_torch26.txt")
	if err != nil {
		t.Fatal(err)
	}
	rows := 0
	for line := range strings.Lines(string(golden)) {
		call, values, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " -> ")
		from, name, ok := strings.Cut(call, "->torch.")
		if !ok {
			continue
		}
		rows++
		src, in, n := dtype.Float32, unsafe.Pointer(&castFloats[0]), len(castFloats)
		if from == "i64" {
			src, in, n = dtype.Int64, unsafe.Pointer(&castInts[0]), len(castInts)
		}
		dst := dtype.MustParse(name)
		out := make([]byte, n*dst.Size())
		Cast(dst, src)(unsafe.Pointer(&out[0]), in, n)
		for i, want := range strings.Split(strings.Trim(values, "[]"), ", ") {
			if got := pythonValue(dst, load(out, dst, i)); got != pythonNumber(dst, want) {
				t.Errorf("%s: element %d is %s, want %s", call, i, got, want)
			}
		}
	}
	if rows != 18 {
		t.Errorf("the golden has %d rows of casts, want 18", rows)
	}
}

// pythonValue prints an element so that it can be compared with pythonNumber.
func pythonValue(d dtype.DType, bits uint64) string {
	switch {
	case d == dtype.Bool:
		return map[uint64]string{0: "False", 1: "True"}[bits]
	case d.IsFloat():
		return fmt.Sprint(decodeFloat(d, bits))
	}
	return fmt.Sprint(decodeInt(d, bits))
}

func pythonNumber(d dtype.DType, s string) string {
	if !d.IsFloat() {
		return s
	}
	var x float64
	if _, err := fmt.Sscan(s, &x); err != nil {
		return err.Error()
	}
	return fmt.Sprint(x)
}

// load returns the bits of element i of a slice of type d.
func load(data []byte, d dtype.DType, i int) uint64 {
	var wide [8]byte
	copy(wide[:], data[i*d.Size():(i+1)*d.Size()])
	return binary.LittleEndian.Uint64(wide[:])
}

func store(data []byte, d dtype.DType, i int, bits uint64) {
	var wide [8]byte
	binary.LittleEndian.PutUint64(wide[:], bits)
	copy(data[i*d.Size():(i+1)*d.Size()], wide[:])
}

// decodeInt returns the value of an element that is no float.
func decodeInt(d dtype.DType, bits uint64) int64 {
	switch d {
	case dtype.Int8:
		return int64(int8(bits))
	case dtype.Int16:
		return int64(int16(bits))
	case dtype.Int32:
		return int64(int32(bits))
	}
	return int64(bits)
}

// decodeFloat returns the value of a float element, which is exact.
func decodeFloat(d dtype.DType, bits uint64) float64 {
	switch d {
	case dtype.Float16:
		return float64(dtype.F16(bits).Float32())
	case dtype.BFloat16:
		return float64(dtype.BF16(bits).Float32())
	case dtype.Float32:
		return float64(math.Float32frombits(uint32(bits)))
	}
	return math.Float64frombits(bits)
}

// castReference converts one element by the definition, with exact numbers in
// between.
func castReference(dst, src dtype.DType, bits uint64) uint64 {
	if src.IsFloat() {
		x := decodeFloat(src, bits)
		if dst.IsFloat() {
			return encodeFloat(dst, x, float32(x))
		}
		return encodeTruncated(dst, x)
	}
	x := decodeInt(src, bits)
	if dst.IsFloat() {
		// big.Float rounds once to 24 or 53 bits, to nearest even.
		exact := new(big.Float).SetInt64(x)
		wide, _ := exact.Float64()
		narrow, _ := exact.Float32()
		return encodeFloat(dst, wide, narrow)
	}
	if dst == dtype.Bool {
		if x != 0 {
			return 1
		}
		return 0
	}
	return uint64(x) << (64 - 8*dst.Size()) >> (64 - 8*dst.Size())
}

func encodeTruncated(dst dtype.DType, x float64) uint64 {
	if dst == dtype.Bool {
		if x == 0 {
			return 0
		}
		return 1
	}
	low, high, size := math.Ldexp(-1, 31), math.Ldexp(1, 31), 8*dst.Size()
	if dst == dtype.Int64 {
		low, high = math.Ldexp(-1, 63), math.Ldexp(1, 63)
	}
	if whole := math.Trunc(x); whole >= low && whole < high {
		exact, _ := big.NewFloat(whole).Int64()
		return uint64(exact) << (64 - size) >> (64 - size)
	}
	exact, _ := big.NewFloat(low).Int64()
	return uint64(exact) << (64 - size) >> (64 - size)
}

func encodeFloat(dst dtype.DType, wide float64, narrow float32) uint64 {
	switch dst {
	case dtype.Float16:
		return uint64(dtype.ToF16(narrow))
	case dtype.BFloat16:
		return uint64(dtype.ToBF16(narrow))
	case dtype.Float32:
		return uint64(math.Float32bits(narrow))
	}
	return math.Float64bits(wide)
}

// castSamples returns elements of type d: those where results change, and
// random ones.
func castSamples(d dtype.DType, random *rand.Rand) []uint64 {
	if d == dtype.Bool {
		return []uint64{0, 1, 1, 0}
	}
	var samples []uint64
	for _, limit := range []int{0, 7, 8, 15, 16, 24, 31, 32, 53, 63} {
		for _, offset := range []float64{-2, -1, -0.9, -0.5, 0, 0.5, 0.9, 1, 2} {
			for _, sign := range []float64{1, -1} {
				x := sign*math.Ldexp(1, limit) + offset
				if d.IsFloat() {
					samples = append(samples, encodeFloat(d, x, float32(x)))
					continue
				}
				n := int64(sign) << limit
				samples = append(samples, uint64(n+int64(offset)))
			}
		}
	}
	if d.IsFloat() {
		for _, x := range []float64{0, math.Copysign(0, -1), math.NaN(), math.Inf(1), math.Inf(-1), 65519, 65520,
			1e-8, -1e-40, math.MaxFloat32, math.MaxFloat64, math.SmallestNonzeroFloat64,
			math.Nextafter(1<<31, 0), math.Nextafter(-1<<31-1, 0), math.Nextafter(1<<63, 0)} {
			samples = append(samples, encodeFloat(d, x, float32(x)))
		}
	}
	for range 2000 {
		samples = append(samples, random.Uint64()>>random.IntN(64))
	}
	mask := ^uint64(0) >> (64 - 8*d.Size())
	for i := range samples {
		samples[i] &= mask
	}
	return samples
}

func TestCastReference(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	for src := dtype.Bool; src < dtype.Count; src++ {
		samples := castSamples(src, random)
		in := make([]byte, len(samples)*src.Size())
		for i, bits := range samples {
			store(in, src, i, bits)
		}
		for dst := dtype.Bool; dst < dtype.Count; dst++ {
			out := make([]byte, len(samples)*dst.Size())
			Cast(dst, src)(unsafe.Pointer(&out[0]), unsafe.Pointer(&in[0]), len(samples))
			for i, bits := range samples {
				got, want := load(out, dst, i), castReference(dst, src, bits)
				if got != want && !(dst.IsFloat() && bothNaN(dst, got, want)) {
					t.Errorf("%v to %v: %#x gives %#x, want %#x", src, dst, bits, got, want)
					break
				}
			}
		}
	}
}

func bothNaN(d dtype.DType, a, b uint64) bool {
	x, y := decodeFloat(d, a), decodeFloat(d, b)
	return x != x && y != y
}

// An integer that float64 cannot hold must not be rounded there on its way to
// float32.
func TestCastInt64ToFloat32RoundsOnce(t *testing.T) {
	in := []int64{1<<60 + 1<<36 + 1}
	out := make([]float32, 1)
	Cast(dtype.Float32, dtype.Int64)(unsafe.Pointer(&out[0]), unsafe.Pointer(&in[0]), 1)
	if want := float32(1<<60 + 1<<37); out[0] != want {
		t.Errorf("got %v, want %v", out[0], want)
	}
}

func TestCastStaysInBounds(t *testing.T) {
	for src := dtype.Bool; src < dtype.Count; src++ {
		for dst := dtype.Bool; dst < dtype.Count; dst++ {
			for n := range 5 {
				in := make([]byte, 8*n+1)
				out := bytes.Repeat([]byte{0xa5}, 8*n+16)
				guard := out[8+n*dst.Size():]
				Cast(dst, src)(unsafe.Pointer(&out[8]), unsafe.Pointer(&in[0]), n)
				if !bytes.Equal(out[:8], guard[:8]) || guard[0] != 0xa5 {
					t.Errorf("%v to %v writes outside of %d elements", src, dst, n)
				}
			}
		}
	}
}

func TestCastOfUndefined(t *testing.T) {
	for d := dtype.Undefined; d < dtype.Count; d++ {
		if Cast(d, dtype.Undefined) != nil || Cast(dtype.Undefined, d) != nil {
			t.Errorf("there is a cast between %v and no type", d)
		}
	}
}

func BenchmarkCast(b *testing.B) {
	const n = 4096
	in, out := make([]uint64, n), make([]uint64, n) // zeros: every type's fast path
	pairs := [][2]dtype.DType{
		{dtype.Float32, dtype.Float32}, {dtype.Float32, dtype.Uint8}, {dtype.Float32, dtype.Bool},
		{dtype.Float32, dtype.Int64}, {dtype.Float32, dtype.Float16}, {dtype.Float32, dtype.BFloat16},
		{dtype.Float32, dtype.Float64}, {dtype.Float64, dtype.Float32}, {dtype.Float16, dtype.Float32},
		{dtype.BFloat16, dtype.Float32}, {dtype.Int64, dtype.Float32}, {dtype.Uint8, dtype.Float32},
		{dtype.Bool, dtype.Float32},
	}
	for _, pair := range pairs {
		cast := Cast(pair[0], pair[1])
		b.Run(pair[1].Name()+"/"+pair[0].Name(), func(b *testing.B) {
			b.SetBytes(int64(n * (pair[0].Size() + pair[1].Size())))
			for b.Loop() {
				cast(unsafe.Pointer(&out[0]), unsafe.Pointer(&in[0]), n)
			}
		})
	}
}
