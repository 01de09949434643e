package kern

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"unsafe"

	"cresset/dtype"
	"cresset/internal/kern/guarded"
)

// TestVectorCasts compares casts with those in Go over all lengths up to 200, on bytes at an odd offset and beside guarded
// pages.
func TestVectorCasts(t *testing.T) {
	for pair := range dtype.Count * dtype.Count {
		to, from := dtype.DType(pair/dtype.Count), dtype.DType(pair%dtype.Count)
		if Cast(to, from) == nil {
			continue
		}
		t.Run(fmt.Sprintf("%v/%v", to.Name(), from.Name()), func(t *testing.T) {
			rng := rand.New(rand.NewPCG(16, 17))
			for n := range 201 {
				src, want := castOperand(rng, from, n), make([]byte, n*to.Size())
				cast := func(dst, src []byte) {
					Cast(to, from)(unsafe.Pointer(unsafe.SliceData(dst)), unsafe.Pointer(unsafe.SliceData(src)), n)
				}
				withoutAsm(func() { cast(want, src) })
				eachLevel(t, func(t *testing.T) {
					odd := make([]byte, (n+2)*to.Size())
					cast(odd[to.Size():], append(make([]byte, from.Size()), src...)[from.Size():])
					checkCast(t, to, odd[to.Size():], want, n)
					if fence := odd[(n+1)*to.Size():]; slices.Max(fence) != 0 {
						t.Fatalf("of %d elements: wrote % x behind them", n, fence)
					}
					for _, atEnd := range []bool{false, true} {
						got := guarded.Slice[uint8](t, len(want), atEnd)
						cast(got, guarded.Copy(t, src, atEnd))
						checkCast(t, to, got, want, n)
					}
				})
			}
		})
	}
}

func checkCast(t *testing.T, to dtype.DType, got, want []byte, n int) {
	t.Helper()
	for i := range n {
		g, w := got[i*to.Size():][:to.Size()], want[i*to.Size():][:to.Size()]
		if string(g) != string(w) && !(isNaNBytes(to, g) && isNaNBytes(to, w)) {
			t.Fatalf("element %d of %d: got % x, want % x", i, n, g, w)
		}
	}
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

// isNaNBytes reports whether the bytes are a NaN of a type whose NaN do not all become the same.
func isNaNBytes(dt dtype.DType, b []byte) bool {
	switch dt {
	case dtype.Float32:
		return math.IsNaN(float64(math.Float32frombits(binary.LittleEndian.Uint32(b))))
	case dtype.Float64:
		return math.IsNaN(math.Float64frombits(binary.LittleEndian.Uint64(b)))
	}
	return false
}
