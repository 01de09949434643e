package kern

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
	"unsafe"

	"cresset/dtype"
)

func TestVectorCasts(t *testing.T) {
	eachLevel(t, func(t *testing.T) {
		for types := range castLoops {
			to, from := types[0], types[1]
			t.Run(fmt.Sprintf("%v/%v", to.Name(), from.Name()), func(t *testing.T) {
				rng := rand.New(rand.NewPCG(16, 17))
				for n := range 100 {
					src := castOperand(rng, from, n+1)[from.Size():] // n elements, not aligned
					got, want := make([]byte, (n+1)*to.Size()), make([]byte, (n+1)*to.Size())
					cast := func(dst []byte) {
						Cast(to, from)(unsafe.Pointer(unsafe.SliceData(dst)), unsafe.Pointer(unsafe.SliceData(src)), n)
					}
					withoutAsm(func() { cast(want) })
					cast(got)
					for i := range n + 1 {
						g, w := got[i*to.Size():][:to.Size()], want[i*to.Size():][:to.Size()]
						if string(g) != string(w) && !(isNaNBytes(to, g) && isNaNBytes(to, w)) {
							t.Fatalf("element %d of %d, % x: got % x, want % x", i, n, src[i*from.Size():][:from.Size()], g, w)
						}
					}
				}
			})
		}
	})
}

// castOperand returns the bytes of n elements, bools among them 0 or 1.
func castOperand(rng *rand.Rand, dt dtype.DType, n int) []byte {
	var b []byte
	for range n {
		switch dt {
		case dtype.Float32:
			b = binary.LittleEndian.AppendUint32(b, math.Float32bits(values[float32](rng, 1)[0]))
		case dtype.Float64:
			b = binary.LittleEndian.AppendUint64(b, math.Float64bits(values[float64](rng, 1)[0]))
		case dtype.Bool:
			b = append(b, byte(rng.IntN(2)))
		default:
			b = append(b, binary.LittleEndian.AppendUint64(nil, rng.Uint64())[:dt.Size()]...)
		}
	}
	return b
}

// isNaNBytes tells whether the bytes are a NaN of a type whose NaN do not all become the same.
func isNaNBytes(dt dtype.DType, b []byte) bool {
	switch dt {
	case dtype.Float32:
		return math.IsNaN(float64(math.Float32frombits(binary.LittleEndian.Uint32(b))))
	case dtype.Float64:
		return math.IsNaN(math.Float64frombits(binary.LittleEndian.Uint64(b)))
	}
	return false
}
