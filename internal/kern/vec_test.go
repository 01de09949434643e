package kern

import (
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"testing"

	"cresset/dtype"
	"cresset/internal/kern/guarded"
	"cresset/internal/kern/vec"
	"cresset/internal/race"
)

// The loops in Go are the reference of those in assembly: each test computes with vec.NoAsm and then with every other
// level of this machine, and compares bits.

// eachLevel runs f with every level that has assembly: with one alone where CRESSET_CPU has chosen it, since tests without that go through all,
// and under the race detector, which sees the same Go code around each. Levels that add to others are left out unless they were chosen.
func eachLevel(t *testing.T, f func(t *testing.T)) {
	defer vec.Use(vec.Current())
	levels := vec.Available()
	if race.Enabled || os.Getenv("CRESSET_CPU") != "" {
		levels = []vec.Level{vec.Current()}
	}
	for _, l := range levels {
		if l == vec.NoAsm || slices.Contains([]vec.Level{vec.AMX, vec.AVXVNNI, vec.NEONDot}, l) && len(levels) > 1 {
			continue
		}
		t.Run(l.String(), func(t *testing.T) {
			vec.Use(l)
			f(t)
		})
	}
}

// bothWays runs f with streaming loops writing by non-temporal stores, and by ordinary ones.
func bothWays(f func()) {
	defer vec.UseOrdinaryStores(vec.UseOrdinaryStores(false))
	f()
	vec.UseOrdinaryStores(true)
	f()
}

// everyLevel runs f with every level of this machine, the loops in Go among them.
func everyLevel(t *testing.T, f func(t *testing.T)) {
	eachLevel(t, f)
	t.Run(vec.NoAsm.String(), func(t *testing.T) { withoutAsm(func() { f(t) }) })
}

// withoutAsm runs f with the loops in Go.
func withoutAsm(f func()) {
	defer vec.Use(vec.Current())
	vec.Use(vec.NoAsm)
	f()
}

// values are n numbers of a type, special ones and bit patterns from everywhere. Of integers some are near the extremes, so that
// sums wrap, and some small, so that some are equal.
func values[T dtype.Number](rng *rand.Rand, n int) []T {
	xs := make([]T, n)
	special := numbers(0)
	for i := range xs {
		switch rng.IntN(3) {
		case 0:
			x := special[rng.IntN(len(special))]
			if dtype.Of[T]().IsFloat() {
				xs[i] = T(x)
			} else {
				xs[i] = nearExtreme[T](rng)
			}
		case 1:
			xs[i] = T(rng.NormFloat64() * 4)
		default:
			var x T
			switch p := any(&x).(type) {
			case *float32:
				*p = math.Float32frombits(rng.Uint32())
			case *float64:
				*p = math.Float64frombits(rng.Uint64())
			case *int32:
				*p = int32(rng.Uint32())
			case *int64:
				*p = int64(rng.Uint64())
			case *uint8:
				*p = uint8(rng.Uint32())
			}
			xs[i] = x
		}
	}
	return xs
}

// nearExtreme is the least or the largest integer of the type, or one of their neighbours.
func nearExtreme[T dtype.Number](rng *rand.Rand) T {
	least := T(1)
	for least > 0 {
		least *= 2
	}
	return least + T(rng.IntN(5)) - 2
}

// sameBits reports whether two numbers are the same, all NaN among themselves.
func sameBits[T dtype.Number](x, y T) bool {
	return x != x && y != y || x == y && math.Signbit(float64(x)) == math.Signbit(float64(y))
}

// identical reports whether two numbers are the same bit by bit, the sign and payload of a NaN too.
func identical[T dtype.Number](x, y T) bool {
	switch p := any([2]T{x, y}).(type) {
	case [2]float32:
		return math.Float32bits(p[0]) == math.Float32bits(p[1])
	case [2]float64:
		return math.Float64bits(p[0]) == math.Float64bits(p[1])
	}
	return x == y
}

// picks are the loops that compute nothing: what they give out is what they took in, or its sign.
var picks = []string{"Neg", "Abs", "Sign", "Maximum", "Minimum", "Clamp", "Clamp low", "Where", "ReLU", "ReLUGrad"}

// A place is a position in memory for the operands of a loop.
type place[T dtype.Number] struct {
	name string
	lay  func(t *testing.T, x []T) []T // copies x there
}

// places are memory at an odd offset, and pages that begin or end with an operand.
func places[T dtype.Number]() []place[T] {
	return []place[T]{
		{"odd", func(_ *testing.T, x []T) []T {
			at := len(x) % 7
			fenced := make([]T, at+len(x)+1)
			copy(fenced[at:], x)
			return fenced[at:][:len(x)]
		}},
		{"first", func(t *testing.T, x []T) []T { return guarded.Copy(t, x, false) }},
		{"last", func(t *testing.T, x []T) []T { return guarded.Copy(t, x, true) }},
	}
}

// checkVectorLoops compares loops with those in Go over all lengths up to 200, at every place of the operands.
func checkVectorLoops[T dtype.Number](t *testing.T, loops []vectorLoop[T]) {
	rng := rand.New(rand.NewPCG(11, 12))
	for n := range 201 {
		a, b, c := values[T](rng, n), values[T](rng, n), values[T](rng, n)
		want := make([][]T, len(loops))
		withoutAsm(func() {
			for i, l := range loops {
				want[i] = make([]T, n)
				l.run(want[i], a, b, c)
			}
		})
		eachLevel(t, func(t *testing.T) {
			for _, p := range places[T]() {
				a, b, c, got := p.lay(t, a), p.lay(t, b), p.lay(t, c), p.lay(t, make([]T, n))
				for i, l := range loops {
					same := sameBits[T]
					if slices.Contains(picks, l.name) {
						same = identical[T]
					}
					clear(got)
					l.run(got, a, b, c)
					for k := range got {
						if !same(got[k], want[i][k]) {
							t.Fatalf("%s of %d elements, %s in memory, element %d of %v, %v, %v: got %v, want %v", l.name, n, p.name, k, a[k], b[k], c[k], got[k], want[i][k])
						}
					}
					if fence := got[:cap(got)]; p.name == "odd" && fence[n] != 0 {
						t.Fatalf("%s of %d elements wrote %v behind them", l.name, n, fence[n])
					}
				}
			}
		})
	}
}

// TestVectorLoopsInPlace writes results over the first operand, and elsewhere: of more elements than a call takes at most
// as those that no cache holds.
func TestVectorLoopsInPlace(t *testing.T) {
	t.Run("float32", func(t *testing.T) {
		checkInPlace(t, slices.Concat(elementwiseLoops[float32](), moreLoops[float32](), vectorLoopsF32()))
	})
	t.Run("float64", func(t *testing.T) {
		checkInPlace(t, slices.Concat(elementwiseLoops[float64](), moreLoops[float64]()))
	})
	t.Run("int32", func(t *testing.T) { checkInPlace(t, integerArithmeticLoops[int32]()) })
	t.Run("int64", func(t *testing.T) { checkInPlace(t, integerArithmeticLoops[int64]()) })
	t.Run("uint8", func(t *testing.T) { checkInPlace(t, integerArithmeticLoops[uint8]()) })
}

func checkInPlace[T dtype.Number](t *testing.T, loops []vectorLoop[T]) {
	rng := rand.New(rand.NewPCG(14, 15))
	for _, n := range []int{77, vec.StreamAbove + 77} {
		a, b := values[T](rng, n), values[T](rng, n)
		for _, l := range loops {
			want := make([]T, n)
			withoutAsm(func() { l.run(want, a, b, b) })
			check := func() {
				got, apart := slices.Clone(a), make([]T, n)
				l.run(got, got, b, b)
				l.run(apart, a, b, b)
				for i := range got {
					if !sameBits(got[i], want[i]) || !sameBits(apart[i], want[i]) {
						t.Fatalf("%s of %d elements, element %d: got %v in place and %v apart, want %v", l.name, n, i, got[i], apart[i], want[i])
					}
				}
			}
			eachLevel(t, func(*testing.T) { bothWays(check) })
		}
	}
}

// TestElementaryLevelsAgree compares the elementary functions over every exponent.
func TestElementaryLevelsAgree(t *testing.T) {
	step := 5 * sampleStep(t)
	var xs []float32
	for bits := uint64(0); bits < 1<<32; bits += step {
		xs = append(xs, math.Float32frombits(uint32(bits)))
	}
	for name, fn := range elementary {
		checkLevels(t, name, fn.slice, xs)
	}
	for name, fn := range doubles {
		checkLevels(t, name, fn, patterns64(int(2e9/float64(sampleStep(t)))))
	}
}

// checkLevels compares a function's results at every level with those in Go, bit by bit.
func checkLevels[T dtype.Float](t *testing.T, name string, f func(dst, src []T), xs []T) {
	want, got := make([]T, len(xs)), make([]T, len(xs))
	withoutAsm(func() { f(want, xs) })
	eachLevel(t, func(t *testing.T) {
		f(got, xs)
		for i, x := range xs {
			if !identical(got[i], want[i]) {
				t.Fatalf("%s(%v): got %v, want %v", name, x, got[i], want[i])
			}
		}
	})
}

func TestVectorLoops(t *testing.T) {
	t.Run("float32", func(t *testing.T) { checkVectorLoops(t, append(vectorLoops[float32](), vectorLoopsF32()...)) })
	t.Run("float64", func(t *testing.T) { checkVectorLoops(t, vectorLoops[float64]()) })
	t.Run("int32", func(t *testing.T) { checkVectorLoops(t, integerLoops[int32]()) })
	t.Run("int64", func(t *testing.T) { checkVectorLoops(t, integerLoops[int64]()) })
	t.Run("uint8", func(t *testing.T) { checkVectorLoops(t, integerLoops[uint8]()) })
}
