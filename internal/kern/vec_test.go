package kern

import (
	"encoding/binary"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"unsafe"

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

func ternaryLoop[T dtype.Float](name string, f func(dst, a, b, c []T)) vectorLoop[T] {
	return vectorLoop[T]{name, f}
}

// comparisonLoop is a loop whose results are bools, which become 0 and 1.
func comparisonLoop[T dtype.Float](name string, f func(dst []bool, a, b []T)) vectorLoop[T] {
	return vectorLoop[T]{name, func(dst, a, b, _ []T) {
		bools := make([]bool, len(dst))
		f(bools, a, b)
		Cast(dtype.Of[T](), dtype.Bool)(unsafe.Pointer(unsafe.SliceData(dst)), unsafe.Pointer(unsafe.SliceData(bools)), len(dst))
	}}
}

// stepLoop is an optimizer's step, with the parameter and what belongs to it one after the other in dst.
func stepLoop[T dtype.Float](name string, f func(p, m, v, grad []T)) vectorLoop[T] {
	return vectorLoop[T]{name, func(dst, a, b, c []T) {
		p, m, v := slices.Clone(a), slices.Clone(b), slices.Clone(c)
		for i := range v {
			v[i] = T(math.Abs(float64(v[i])))
		}
		f(p, m, v, b)
		for i := range dst {
			dst[i] = [3]T{p[i], m[i], v[i]}[i%3]
		}
	}}
}

func binaryLoop[T dtype.Float](name string, f func(dst, a, b []T)) vectorLoop[T] {
	return vectorLoop[T]{name, func(dst, a, b, _ []T) { f(dst, a, b) }}
}

// vectorLoops has a row for each loop of float32 and float64.
func vectorLoops[T dtype.Float]() []vectorLoop[T] {
	return slices.Concat(arithmeticLoops[T](), comparisonLoops[T](), activationLoops[T](), optimizerLoops[T]())
}

func arithmeticLoops[T dtype.Float]() []vectorLoop[T] {
	return []vectorLoop[T]{
		binaryLoop("Add", Add[T]),
		binaryLoop("Sub", Sub[T]),
		binaryLoop("Mul", Mul[T]),
		binaryLoop("Div", Div[T]),
		unaryLoop("Neg", Neg[T]),
		unaryLoop("Abs", Abs[T]),
		unaryLoop("Sign", Sign[T]),
		unaryLoop("Floor", Floor[T]),
		unaryLoop("Ceil", Ceil[T]),
		unaryLoop("Round", Round[T]),
		unaryLoop("Trunc", Trunc[T]),
		unaryLoop("Square", Square[T]),
		unaryLoop("Sqrt", Sqrt[T]),
		unaryLoop("Reciprocal", Reciprocal[T]),
		binaryLoop("Maximum", Maximum[T]),
		binaryLoop("Minimum", Minimum[T]),
		unaryLoop("Clamp", func(dst, a []T) { Clamp(dst, a, op.Bounds{Low: -1, High: 2, HasLow: true, HasHigh: true}) }),
		unaryLoop("Clamp low", func(dst, a []T) { Clamp(dst, a, op.Bounds{Low: -1, HasLow: true}) }),
		ternaryLoop("Where", func(dst, a, b, c []T) {
			cond := make([]bool, len(dst))
			for i := range cond {
				cond[i] = a[i] > 0
			}
			Where(dst, cond, b, c)
		}),
	}
}

func comparisonLoops[T dtype.Float]() []vectorLoop[T] {
	return []vectorLoop[T]{
		comparisonLoop("Eq", Eq[T]),
		comparisonLoop("Eq itself", func(dst []bool, a, _ []T) { Eq(dst, a, a) }),
		comparisonLoop("Ne", Ne[T]),
		comparisonLoop("Lt", Lt[T]),
		comparisonLoop("Le", Le[T]),
		comparisonLoop("Gt", Gt[T]),
		comparisonLoop("Ge", Ge[T]),
		comparisonLoop("IsNaN", func(dst []bool, a, _ []T) { IsNaN(dst, a) }),
	}
}

func activationLoops[T dtype.Float]() []vectorLoop[T] {
	slope, soft := op.Number{A: 0.01}, op.Number{A: 1.5, B: 5}
	return []vectorLoop[T]{
		unaryLoop("ReLU", ReLU[T]),
		unaryLoop("LeakyReLU", func(dst, a []T) { LeakyReLU(dst, a, slope) }),
		unaryLoop("Softplus", func(dst, a []T) { Softplus(dst, a, soft) }),
		binaryLoop("ReLUGrad", ReLUGrad[T]),
		binaryLoop("TanhGrad", TanhGrad[T]),
		binaryLoop("SigmoidGrad", SigmoidGrad[T]),
		binaryLoop("LeakyReLUGrad", func(dst, a, b []T) { LeakyReLUGrad(dst, a, b, slope) }),
		binaryLoop("GELUGrad", GELUGrad[T]),
		binaryLoop("GELUTanhGrad", GELUTanhGrad[T]),
		binaryLoop("SiLUGrad", SiLUGrad[T]),
		binaryLoop("SoftplusGrad", func(dst, a, b []T) { SoftplusGrad(dst, a, b, soft) }),
		binaryLoop("SquaredError", SquaredError[T]),
		ternaryLoop("SquaredErrorGrad", func(dst, a, b, c []T) { SquaredErrorGrad(dst, a, b, c, 0.3) }),
		ternaryLoop("BCE", BCE[T]),
		ternaryLoop("BCEGrad", BCEGrad[T]),
	}
}

func optimizerLoops[T dtype.Float]() []vectorLoop[T] {
	var loops []vectorLoop[T]
	sgd := func(name string, o op.SGD, momentum bool) {
		o.LR = 0.1
		loops = append(loops, stepLoop(name, func(p, m, v, grad []T) {
			if !momentum {
				m = nil
			}
			SGD(p, m, grad, o)
		}))
	}
	sgd("SGD", op.SGD{}, false)
	sgd("SGD decay", op.SGD{WeightDecay: 0.01, Maximize: true}, false)
	sgd("SGD first", op.SGD{Momentum: 0.9, First: true}, true)
	sgd("SGD momentum", op.SGD{Momentum: 0.9, Dampening: 0.2}, true)
	sgd("SGD momentum decay", op.SGD{Momentum: 0.9, WeightDecay: 0.01}, true)
	sgd("SGD Nesterov", op.SGD{Momentum: 0.9, Nesterov: true}, true)
	sgd("SGD Nesterov decay", op.SGD{Momentum: 0.9, Nesterov: true, WeightDecay: 0.01, Maximize: true}, true)
	for _, o := range []op.Adam{{}, {WeightDecay: 0.01}, {WeightDecay: 0.01, Decoupled: true, Maximize: true}} {
		o.LR, o.Beta1, o.Beta2, o.Eps, o.Step = 1e-3, 0.9, 0.999, 1e-8, 3
		name := fmt.Sprintf("Adam decay %v %v", o.WeightDecay, o.Decoupled)
		loops = append(loops, stepLoop(name, func(p, m, v, grad []T) { Adam(p, m, v, grad, o) }))
	}
	return loops
}

// vectorLoopsF32 has a row for each loop that is in float32 alone.
func vectorLoopsF32() []vectorLoop[float32] {
	loops := []vectorLoop[float32]{binaryLoop("Pow", PowF32)}
	for _, name := range slices.Sorted(maps.Keys(elementary)) {
		loops = append(loops, unaryLoop(name, elementary[name].slice))
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
