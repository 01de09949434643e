package kern

import (
	"fmt"
	"math"
	"slices"
	"unsafe"

	"cresset/dtype"
	"cresset/internal/kern/vec"
	"cresset/internal/op"
)

// A vectorLoop is a loop with up to three operands of one type, by its name.
type vectorLoop[T dtype.Number] struct {
	name string
	run  func(dst, a, b, c []T)
}

func unaryLoop[T dtype.Number](name string, f func(dst, a []T)) vectorLoop[T] {
	return vectorLoop[T]{name, func(dst, a, _, _ []T) { f(dst, a) }}
}

func ternaryLoop[T dtype.Number](name string, f func(dst, a, b, c []T)) vectorLoop[T] {
	return vectorLoop[T]{name, f}
}

// comparisonLoop is a loop whose results are bools, which become 0 and 1.
func comparisonLoop[T dtype.Number](name string, f func(dst []bool, a, b []T)) vectorLoop[T] {
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

// updateLoop is an update, with the parameter and what is kept of it one after the other in dst.
func updateLoop[T dtype.Float](name string, f func(p []T, s [3][]T, grad []T)) vectorLoop[T] {
	return vectorLoop[T]{name, func(dst, a, b, c []T) {
		p, s, grad := slices.Clone(a), [3][]T{slices.Clone(b), slices.Clone(a), slices.Clone(c)}, slices.Clone(c)
		for _, kept := range s {
			for i := range kept {
				kept[i] = T(math.Abs(float64(kept[i])))
			}
		}
		f(p, s, grad)
		for i := range dst {
			dst[i] = [4]T{p[i], s[0][i], s[1][i], s[2][i]}[i%4]
		}
	}}
}

func binaryLoop[T dtype.Number](name string, f func(dst, a, b []T)) vectorLoop[T] {
	return vectorLoop[T]{name, func(dst, a, b, _ []T) { f(dst, a, b) }}
}

// sidedLoops are the loops that take either operand of a binary one as a scalar, which is its slice's first element; what
// assembly leaves is computed from a slice that repeats it.
func sidedLoops[D, T any, L any](l vec.Loop, name string, row func(name string, f func(dst []D, a, b []T)) L, f func(dst []D, a, b []T)) []L {
	one := func(x []T) []T { return slices.Clone(x[:min(1, len(x))]) } // the result may take its place
	return []L{
		row(name+" right", func(dst []D, a, b []T) {
			same := one(b)
			done := vec.Unary(l+vec.Right, dst, a, same...)
			f(dst[done:], a[done:len(dst)], slices.Repeat(same, len(dst)-done))
		}),
		row(name+" left", func(dst []D, a, b []T) {
			same := one(a)
			done := vec.Unary(l+vec.Left, dst, b, same...)
			f(dst[done:], slices.Repeat(same, len(dst)-done), b[done:len(dst)])
		}),
	}
}

// vectorLoops has a row for each loop of float32 and float64.
func vectorLoops[T dtype.Float]() []vectorLoop[T] {
	return slices.Concat(elementwiseLoops[T](), moreLoops[T](), optimizerLoops[T](), updateLoops[T](updatesToTry), rowLoops[T]())
}

func whereRow[T dtype.Number](dst, a, b, c []T) {
	cond := make([]bool, len(dst))
	for i := range cond {
		cond[i] = a[i] > 0
	}
	Where(dst, cond, b, c)
}

// moreLoops are loops of floats that no row of the generator's table has: parts of softmaxes, and ops written by hand around
// assembly.
func moreLoops[T dtype.Float]() []vectorLoop[T] {
	return []vectorLoop[T]{
		binaryLoop("Fmod", Fmod[T]),
		binaryLoop("Remainder", Remainder[T]),
		binaryLoop("FloorDivide", FloorDivide[T]),
		ternaryLoop("Where", whereRow[T]),
		unaryLoop("Clamp low", func(dst, a []T) { Clamp(dst, a, op.Bounds{Low: -1, HasLow: true}) }),
		comparisonLoop("Eq itself", func(dst []bool, a, _ []T) { Eq(dst, a, a) }),
		unaryLoop("Sin of all", Sin[T]),
		unaryLoop("Cos of all", Cos[T]),
		unaryLoop("ExpBelow", func(dst, a []T) {
			below(dst, a)
			ExpBelow(dst, dst)
		}),
	}
}

// below writes -|a| to dst.
func below[T dtype.Float](dst, a []T) {
	Abs(dst, a)
	Neg(dst, dst)
}

// integerLoops has a row for each loop of int32, int64 and uint8.
func integerLoops[T dtype.Integer]() []vectorLoop[T] {
	return slices.Concat(integerArithmeticLoops[T](), columnLoops[T](), byteLoops[T](), integerRowLoops[T]())
}

// integerArithmeticLoops are those that need no memory but their operands'.
func integerArithmeticLoops[T dtype.Integer]() []vectorLoop[T] {
	return append(integerElementwiseLoops[T](),
		ternaryLoop("Where", whereRow[T]),
		unaryLoop("Clamp low", func(dst, a []T) { ClampInt(dst, a, op.Bounds{IntLow: 1, HasLow: true}) }),
		unaryLoop("Clamp wide", func(dst, a []T) { ClampInt(dst, a, op.Bounds{IntLow: -9, IntHigh: 1e9, HasLow: true, HasHigh: true}) }),
	)
}

// byteLoops see the operands as the bytes that they are made of, of which bools are the lowest bits.
func byteLoops[T dtype.Integer]() []vectorLoop[T] {
	loops := []vectorLoop[T]{
		binaryLoop("BitwiseAnd", BitwiseAnd[T]),
		binaryLoop("BitwiseOr", BitwiseOr[T]),
		binaryLoop("BitwiseXor", BitwiseXor[T]),
		unaryLoop("BitwiseNot", BitwiseNot[T]),
		ternaryLoop("Where of bytes", func(dst, a, b, c []T) { Where(bytesOf(dst), boolsOf(bytesOf(a)), bytesOf(b), bytesOf(c)) }),
	}
	for name, f := range map[string]func(dst, a, b []bool){
		"EqBool": EqBool, "LtBool": LtBool, "LeBool": LeBool, "GtBool": GtBool, "GeBool": GeBool, "And": And, "Or": Or, "Xor": Xor,
	} {
		loops = append(loops, binaryLoop(name, func(dst, a, b []T) {
			got, x, y := make([]bool, len(bytesOf(dst))), boolsOf(bytesOf(a)), boolsOf(bytesOf(b))
			f(got, x, y)
			copy(bytesOf(dst), bytesOf(got))
		}))
	}
	return loops
}

func boolsOf(bytes []byte) []bool {
	bools := make([]bool, len(bytes))
	for i, v := range bytes {
		bools[i] = v&1 != 0
	}
	return bools
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
	for _, o := range []op.Adam{{Step: 1}, {Step: 3, WeightDecay: 0.01}, {Step: 5000, WeightDecay: 0.01, Decoupled: true, Maximize: true}} {
		o.LR, o.Beta1, o.Beta2, o.Eps = 1e-3, 0.9, 0.999, 1e-8
		name := fmt.Sprintf("Adam decay %v %v", o.WeightDecay, o.Decoupled)
		loops = append(loops, stepLoop(name, func(p, m, v, grad []T) { Adam(p, m, v, grad, o) }))
	}
	return loops
}

// updatesToTry are numbers of updates, whose conditions have both outcomes.
var updatesToTry = []op.Update{
	{Rate: -0.1, Sign: 1, Shrink: 1, Part: 0.1, Share: 0.9, Rest: 0.1, Root: 0.5, Eps: 1e-3, Ahead: -0.05, Momentum: 0.7, Rectified: 0.6,
		Minus: 0.5, Plus: 1.25, Low: 0.01, High: 1.5},
	{Rate: -0.3, Sign: -1, Decay: 0.25, Shrink: 0.5, Part: 1, Share: 0.7, Rest: 0.3, Root: 0.25, Minus: 0.25, Plus: 3, High: 5},
}

// vectorLoopsF32 has a row for each loop that is in float32 alone.
func vectorLoopsF32() []vectorLoop[float32] {
	return []vectorLoop[float32]{binaryLoop("BoxMuller", boxMullerRow)}
}

// boxMullerRow is BoxMuller of draws made of any bits, with the two results in turns.
func boxMullerRow(dst, a, b []float32) {
	unit := func(x []float32) []float32 {
		u := make([]float32, len(dst))
		for i := range u {
			u[i] = float32(math.Float32bits(x[i])&(1<<24-1)) * 0x1p-24
		}
		return u
	}
	u, v := unit(a), unit(b)
	BoxMuller(u, v, 0.25, 1.5)
	for i := range dst {
		dst[i] = [2]float32{u[i], v[i]}[i%2]
	}
}
