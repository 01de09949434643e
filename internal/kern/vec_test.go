package kern

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"cresset/dtype"
	"cresset/internal/kern/vec"
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

// TestVectorLoopsInPlace writes results over the first operand, over one more element than a call takes at most.
func TestVectorLoopsInPlace(t *testing.T) {
	eachLevel(t, func(t *testing.T) {
		rng := rand.New(rand.NewPCG(14, 15))
		for _, n := range []int{77, 64*1024 + 1} {
			for _, l := range arithmeticLoops[float32]() {
				a, b := values[float32](rng, n), values[float32](rng, n)
				want := make([]float32, n)
				l.run(want, a, b, b)
				l.run(a, a, b, b)
				for i := range a {
					if !sameBits(a[i], want[i]) {
						t.Fatalf("%s in place of %d elements, element %d: got %v, want %v", l.name, n, i, a[i], want[i])
					}
				}
			}
		}
	})
}

// TestElementaryLevelsAgree compares the elementary functions over every exponent.
func TestElementaryLevelsAgree(t *testing.T) {
	step := 5 * sampleStep(t)
	var xs []float32
	for bits := uint64(0); bits < 1<<32; bits += step {
		xs = append(xs, math.Float32frombits(uint32(bits)))
	}
	want, got := make([]float32, len(xs)), make([]float32, len(xs))
	for name, fn := range elementary {
		withoutAsm(func() { fn.slice(want, xs) })
		eachLevel(t, func(t *testing.T) {
			fn.slice(got, xs)
			for i, x := range xs {
				if math.Float32bits(got[i]) != math.Float32bits(want[i]) {
					t.Fatalf("%s(%v): got %v, want %v", name, x, got[i], want[i])
				}
			}
		})
	}
}

// FuzzVectorLoops compares every loop with its reference on bytes read as numbers.
func FuzzVectorLoops(f *testing.F) {
	f.Add([]byte{0, 0, 0x80, 0x7f, 0, 0, 0xc0, 0xff, 1, 0, 0, 0, 0, 0, 0, 0x80, 0, 0, 0x80, 0x3f}, uint8(0))
	f.Fuzz(func(t *testing.T, data []byte, pick uint8) {
		loops := append(vectorLoops[float32](), vectorLoopsF32()...)
		l := loops[int(pick)%len(loops)]
		n := len(data) / 12
		var x [3][]float32
		for k := range x {
			for i := range n {
				x[k] = append(x[k], math.Float32frombits(binary.LittleEndian.Uint32(data[12*i+4*k:])))
			}
		}
		want, got := make([]float32, n), make([]float32, n)
		withoutAsm(func() { l.run(want, x[0], x[1], x[2]) })
		defer vec.Use(vec.Current())
		for _, level := range vec.Available() {
			vec.Use(level)
			l.run(got, x[0], x[1], x[2])
			for i := range got {
				if !sameBits(got[i], want[i]) {
					t.Fatalf("%s, %v, element %d of %d: %v, %v, %v: got %v, want %v", l.name, level, i, n, x[0][i], x[1][i], x[2][i], got[i], want[i])
				}
			}
		}
	})
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
