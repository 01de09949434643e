package kern

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"cresset/dtype"
	"cresset/internal/kern/vec"
	"cresset/internal/op"
)

// The loops in Go are the reference of those in assembly: each test computes with vec.NoAsm and then with every other
// level of this machine, and compares bits.

// eachLevel runs f with every level that has assembly.
func eachLevel(t *testing.T, f func(t *testing.T)) {
	defer vec.Use(vec.Current())
	for _, l := range vec.Available() {
		if l == vec.NoAsm {
			continue
		}
		t.Run(l.String(), func(t *testing.T) {
			vec.Use(l)
			f(t)
		})
	}
}

// withoutAsm runs f with the loops in Go.
func withoutAsm(f func()) {
	defer vec.Use(vec.Current())
	vec.Use(vec.NoAsm)
	f()
}

// A vectorLoop is a loop with up to three operands of one type, by its name.
type vectorLoop[T dtype.Float] struct {
	name string
	run  func(dst, a, b, c []T)
}

func unaryLoop[T dtype.Float](name string, f func(dst, a []T)) vectorLoop[T] {
	return vectorLoop[T]{name, func(dst, a, _, _ []T) { f(dst, a) }}
}

func binaryLoop[T dtype.Float](name string, f func(dst, a, b []T)) vectorLoop[T] {
	return vectorLoop[T]{name, func(dst, a, b, _ []T) { f(dst, a, b) }}
}

// vectorLoops has a row for each loop of float32 and float64.
func vectorLoops[T dtype.Float]() []vectorLoop[T] {
	return []vectorLoop[T]{
		binaryLoop("Add", Add[T]),
		binaryLoop("Sub", Sub[T]),
		binaryLoop("Mul", Mul[T]),
		binaryLoop("Div", Div[T]),
		unaryLoop("Neg", Neg[T]),
		unaryLoop("Abs", Abs[T]),
		unaryLoop("Square", Square[T]),
		unaryLoop("Sqrt", Sqrt[T]),
		unaryLoop("Reciprocal", Reciprocal[T]),
		binaryLoop("Maximum", Maximum[T]),
		binaryLoop("Minimum", Minimum[T]),
		unaryLoop("ReLU", ReLU[T]),
		unaryLoop("Clamp", func(dst, a []T) { Clamp(dst, a, op.Bounds{Low: -1, High: 2, HasLow: true, HasHigh: true}) }),
		unaryLoop("Clamp low", func(dst, a []T) { Clamp(dst, a, op.Bounds{Low: -1, HasLow: true}) }),
	}
}

// vectorLoopsF32 has a row for each loop that is in float32 alone.
func vectorLoopsF32() []vectorLoop[float32] {
	loops := []vectorLoop[float32]{binaryLoop("Pow", PowF32)}
	for name, fn := range elementary {
		loops = append(loops, unaryLoop(name, fn.slice))
	}
	return loops
}

// values are n numbers of a type, special ones and bit patterns from everywhere.
func values[T dtype.Float](rng *rand.Rand, n int) []T {
	xs := make([]T, n)
	special := numbers(0)
	for i := range xs {
		switch rng.IntN(3) {
		case 0:
			xs[i] = T(special[rng.IntN(len(special))])
		case 1:
			xs[i] = T(rng.NormFloat64() * 4)
		default:
			var x T
			switch p := any(&x).(type) {
			case *float32:
				*p = math.Float32frombits(rng.Uint32())
			case *float64:
				*p = math.Float64frombits(rng.Uint64())
			}
			xs[i] = x
		}
	}
	return xs
}

// sameBits reports whether two numbers are the same, all NaN among themselves.
func sameBits[T dtype.Float](x, y T) bool {
	return x != x && y != y || math.Float64bits(float64(x)) == math.Float64bits(float64(y)) && x == x
}

func checkVectorLoop[T dtype.Float](t *testing.T, l vectorLoop[T]) {
	const longest = 200
	rng := rand.New(rand.NewPCG(11, 12))
	for n := range longest + 1 {
		at := n % 7
		a, b, c := values[T](rng, n+at), values[T](rng, n+at), values[T](rng, n+at)
		got, want := make([]T, n+at+1), make([]T, n+at+1)
		got[n+at], want[n+at] = 7, 7
		withoutAsm(func() { l.run(want[at:n+at], a[at:], b[at:], c[at:]) })
		l.run(got[at:n+at], a[at:], b[at:], c[at:])
		for i := range got {
			if !sameBits(got[i], want[i]) {
				t.Fatalf("%s of %d elements, element %d of %v, %v: got %v, want %v", l.name, n, i-at, a[i], b[i], got[i], want[i])
			}
		}
	}
}

func TestVectorLoops(t *testing.T) {
	eachLevel(t, func(t *testing.T) {
		for _, l := range vectorLoops[float32]() {
			t.Run(fmt.Sprint(l.name, "/float32"), func(t *testing.T) { checkVectorLoop(t, l) })
		}
		for _, l := range vectorLoops[float64]() {
			t.Run(fmt.Sprint(l.name, "/float64"), func(t *testing.T) { checkVectorLoop(t, l) })
		}
		for _, l := range vectorLoopsF32() {
			t.Run(fmt.Sprint(l.name, "/float32"), func(t *testing.T) { checkVectorLoop(t, l) })
		}
	})
}
