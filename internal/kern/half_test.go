package kern

import (
	"math/rand/v2"
	"slices"
	"testing"
	"unsafe"

	"cresset/dtype"
	"cresset/internal/kern/guarded"
	"cresset/internal/kern/vec"
)

// A halfLoop is a loop over up to two operands of a half type, as bits.
type halfLoop struct {
	name  string
	isNaN func(v uint16) bool
	run   func(dst, a, b []uint16)
}

// halfLoops has a row for each loop of half types.
func halfLoops() []halfLoop {
	return slices.Concat(
		halfLoopsOf("F16", vec.AddF16, dtype.F16.Float32),
		halfLoopsOf("BF16", vec.AddBF16, dtype.BF16.Float32),
		[]halfLoop{
			halfUnary("CubeF16", dtype.F16.Float32, CubeHalf[dtype.F16]),
			halfUnary("CubeBF16", dtype.BF16.Float32, CubeHalf[dtype.BF16]),
		},
	)
}

// halfLoopsOf has the loops that both half types have, whose numbers have the same distances from the first.
func halfLoopsOf[T Half](suffix string, first vec.Loop, value func(T) float32) []halfLoop {
	of := func(f16 vec.Loop) vec.Loop { return f16 - vec.AddF16 + first }
	return append(halfElementwiseLoops(suffix, of, value),
		halfUnary("Neg"+suffix, value, NegHalf[T]),
		halfUnary("Abs"+suffix, value, AbsHalf[T]),
		halfUnary("Sum"+suffix, value, func(dst, a []T) {
			sum := sumHalf[T](asBits(a))
			clear(dst)
			if len(dst) > 0 {
				FinishHalf(dst, []float64{sum}, 1)
			}
		}),
		halfBinary("LayerNorm"+suffix, value, func(dst, a, b []T) {
			weight := make([]float32, len(b))
			widen(weight, b)
			_ = LayerNormHalf(1, len(dst), a, weight, nil, 1e-5, dst, make([]float32, 1), make([]float32, 1))
		}),
		halfBinary("NormalizeAffine"+suffix, value, func(dst, a, b []T) { normalizeHalf(dst, a, b, true) }),
		halfBinary("NormalizeWeighted"+suffix, value, func(dst, a, b []T) { normalizeHalf(dst, a, b, false) }),
	)
}

// normalizeHalf is one row of normalizeHalfRows, or of normalizeRows.
func normalizeHalf[T Half](dst, a, b []T, biased bool) {
	n, scalars := len(dst), []float32{0.5, 0x1p-26, 1.3}
	wide, weight, bias := make([]float32, n), make([]float32, n), []float32(nil)
	widen(weight, b)
	if biased {
		bias = weight
	}
	if n > 0 && normalizeHalfRows(a[:n], weight, bias, n, scalars, dst) {
		return
	}
	widen(wide, a)
	normalizeRows(wide, weight, bias, n, scalars, wide)
	narrow(dst, wide)
}

func halfUnary[T Half](name string, value func(T) float32, loop func(dst, a []T)) halfLoop {
	return halfBinary(name, value, func(dst, a, _ []T) { loop(dst, a) })
}

func halfBinary[T Half](name string, value func(T) float32, loop func(dst, a, b []T)) halfLoop {
	isNaN := func(v uint16) bool { x := value(T(v)); return x != x }
	return halfLoop{name, isNaN, func(dst, a, b []uint16) { loop(asHalf[T](dst), asHalf[T](a), asHalf[T](b)) }}
}

// asHalf is the same memory as elements of a half type.
func asHalf[T Half](s []uint16) []T {
	return unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(s))), len(s))
}

// asBits is the same memory as a Fold sees it.
func asBits[T Half](s []T) []int16 {
	return unsafe.Slice((*int16)(unsafe.Pointer(unsafe.SliceData(s))), len(s))
}

// guardedBits is a copy beside a guarded page.
func guardedBits(t *testing.T, s []uint16, atEnd bool) []uint16 {
	c := guarded.Copy(t, asHalf[dtype.F16](s), atEnd)
	return unsafe.Slice((*uint16)(unsafe.Pointer(unsafe.SliceData(c))), len(c))
}

// anyHalves are n patterns of bits.
func anyHalves(rng *rand.Rand, n int) []uint16 {
	s := make([]uint16, n)
	for i := range s {
		s[i] = uint16(rng.Uint32())
	}
	return s
}

// TestHalfLoops compares the loops with those in Go over all lengths up to 200, on any bits, beside guarded pages and in place.
func TestHalfLoops(t *testing.T) {
	for _, l := range halfLoops() {
		t.Run(l.name, func(t *testing.T) {
			rng := rand.New(rand.NewPCG(71, 72))
			for n := range 201 {
				a, b, want := anyHalves(rng, n), anyHalves(rng, n), make([]uint16, n)
				withoutAsm(func() { l.run(want, a, b) })
				check := func(t *testing.T, got []uint16) {
					t.Helper()
					for i := range want {
						if got[i] != want[i] && !(l.isNaN(got[i]) && l.isNaN(want[i])) {
							t.Fatalf("element %d of %d: got %#x of %#x and %#x, want %#x", i, n, got[i], a[i], b[i], want[i])
						}
					}
				}
				eachLevel(t, func(t *testing.T) {
					got := make([]uint16, n+1)
					l.run(got[:n], a, b)
					check(t, got)
					if got[n] != 0 {
						t.Fatalf("of %d elements: wrote %#x behind them", n, got[n])
					}
					for _, atEnd := range []bool{false, true} {
						x, y := guardedBits(t, a, atEnd), guardedBits(t, b, atEnd)
						l.run(x, x, y)
						check(t, x)
					}
				})
			}
		})
	}
}

// TestHalfArithmetic compares what computes in half precision with loops that round float32: all numbers, with special and random ones.
func TestHalfArithmetic(t *testing.T) {
	if !vec.HasHalfArithmetic() {
		t.Skip("this machine, at this level, has no arithmetic of float16")
	}
	defer vec.Use(vec.Current())
	seconds := append([]uint16{0, 0x8000, 1, 0x8003, 0x3ff, 0x400, 0x8401, 0x3c00, 0xbc01, 0x3555, 0x7bff, 0x7c00, 0xfc00, 0x7e00}, anyHalves(rand.New(rand.NewPCG(75, 76)), 10)...)
	a, b := make([]uint16, 1<<16), make([]uint16, 1<<16)
	for i := range a {
		a[i] = uint16(i)
	}
	for _, l := range halfLoops() {
		if !slices.Contains([]string{"AddF16", "SubF16", "MulF16"}, l.name) {
			continue
		}
		got, want := make([]uint16, len(a)), make([]uint16, len(a))
		for _, second := range seconds {
			for i := range b {
				b[i] = second
			}
			vec.Use(vec.AMX)
			l.run(got, a, b)
			vec.Use(vec.AVX512)
			l.run(want, a, b)
			for i := range want {
				if got[i] != want[i] && !(l.isNaN(got[i]) && l.isNaN(want[i])) {
					t.Fatalf("%s: got %#x of %#x and %#x, want %#x", l.name, got[i], i, second, want[i])
				}
			}
		}
	}
}

// TestHalfLoopsOfManyElements takes more than one call of a vector loop does.
func TestHalfLoopsOfManyElements(t *testing.T) {
	rng := rand.New(rand.NewPCG(73, 74))
	const n = vec.StreamAbove + 77
	a, b, want, got := anyHalves(rng, n), anyHalves(rng, n), make([]uint16, n), make([]uint16, n)
	for _, l := range halfLoops() {
		withoutAsm(func() { l.run(want, a, b) })
		eachLevel(t, func(t *testing.T) {
			l.run(got, a, b)
			for i := range want {
				if got[i] != want[i] && !(l.isNaN(got[i]) && l.isNaN(want[i])) {
					t.Fatalf("%s: element %d: got %#x, want %#x", l.name, i, got[i], want[i])
				}
			}
		})
	}
}

// TestHalfLoopsRoundOnce compares a few results with those of float32, rounded by package dtype.
func TestHalfLoopsRoundOnce(t *testing.T) {
	everyLevel(t, func(t *testing.T) {
		a, b := []dtype.BF16{dtype.ToBF16(1), dtype.ToBF16(3), 0x7f80, 1}, []dtype.BF16{dtype.ToBF16(3), 0xc0a0, 0x7f80, 2}
		for range 4 {
			a, b = append(a, a...), append(b, b...)
		}
		dst := make([]dtype.BF16, len(a))
		OfHalves[dtype.BF16](vec.DivBF16, Div[float32])(dst, a, b)
		for i := range dst {
			want := dtype.ToBF16(a[i].Float32() / b[i].Float32())
			if dst[i] != want && dst[i].Float32() == dst[i].Float32() {
				t.Errorf("%v / %v: got %v, want %v", a[i].Float32(), b[i].Float32(), dst[i].Float32(), want.Float32())
			}
		}
		x := dtype.ToBF16(1.1)
		CubeBF16(dst[:1], []dtype.BF16{x})
		if want := dtype.ToBF16(dtype.ToBF16(x.Float32()*x.Float32()).Float32() * x.Float32()); dst[0] != want {
			t.Errorf("%v cubed: got %v, want %v", x.Float32(), dst[0].Float32(), want.Float32())
		}
	})
}
