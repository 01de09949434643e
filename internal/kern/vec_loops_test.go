package kern

import (
	"fmt"
	"maps"
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

func binaryLoop[T dtype.Number](name string, f func(dst, a, b []T)) vectorLoop[T] {
	return vectorLoop[T]{name, func(dst, a, b, _ []T) { f(dst, a, b) }}
}

// sidedLoops are the loops that take either operand of a binary one as a scalar, which is its slice's first element; what
// assembly leaves is computed from a slice that repeats it.
func sidedLoops[D, T any, L any](l vec.Loop, name string, row func(name string, f func(dst []D, a, b []T)) L, f func(dst []D, a, b []T)) []L {
	return []L{
		row(name+" right", func(dst []D, a, b []T) {
			done := vec.Unary(l+vec.Right, dst, a, b[:min(1, len(dst))]...)
			f(dst[done:], a[done:len(dst)], slices.Repeat(b[:min(1, len(dst))], len(dst)-done))
		}),
		row(name+" left", func(dst []D, a, b []T) {
			done := vec.Unary(l+vec.Left, dst, b, a[:min(1, len(dst))]...)
			f(dst[done:], slices.Repeat(a[:min(1, len(dst))], len(dst)-done), b[done:len(dst)])
		}),
	}
}

// vectorLoops has a row for each loop of float32 and float64.
func vectorLoops[T dtype.Float]() []vectorLoop[T] {
	return slices.Concat(elementwiseLoops[T](), optimizerLoops[T](), rowLoops[T]())
}

func elementwiseLoops[T dtype.Float]() []vectorLoop[T] {
	return slices.Concat(arithmeticLoops[T](), comparisonLoops[T](), scalarLoops[T](), activationLoops[T]())
}

// numberLoops are the loops of floats and of integers.
func numberLoops[T dtype.Number]() []vectorLoop[T] {
	return []vectorLoop[T]{
		binaryLoop("Add", Add[T]),
		binaryLoop("Sub", Sub[T]),
		binaryLoop("Mul", Mul[T]),
		unaryLoop("Neg", Neg[T]),
		unaryLoop("Abs", Abs[T]),
		unaryLoop("Sign", Sign[T]),
		unaryLoop("Square", Square[T]),
		binaryLoop("Maximum", Maximum[T]),
		binaryLoop("Minimum", Minimum[T]),
		ternaryLoop("Where", whereRow[T]),
	}
}

func whereRow[T dtype.Number](dst, a, b, c []T) {
	cond := make([]bool, len(dst))
	for i := range cond {
		cond[i] = a[i] > 0
	}
	Where(dst, cond, b, c)
}

func arithmeticLoops[T dtype.Float]() []vectorLoop[T] {
	return append(numberLoops[T](),
		binaryLoop("Div", Div[T]),
		binaryLoop("DivTrunc", DivTrunc[T]),
		binaryLoop("Fmod", Fmod[T]),
		binaryLoop("Remainder", Remainder[T]),
		binaryLoop("FloorDivide", FloorDivide[T]),
		unaryLoop("Floor", Floor[T]),
		unaryLoop("Ceil", Ceil[T]),
		unaryLoop("Round", Round[T]),
		unaryLoop("Trunc", Trunc[T]),
		unaryLoop("Cube", Cube[T]),
		unaryLoop("Sqrt", Sqrt[T]),
		unaryLoop("Reciprocal", Reciprocal[T]),
		unaryLoop("Clamp", func(dst, a []T) { Clamp(dst, a, op.Bounds{Low: -1, High: 2, HasLow: true, HasHigh: true}) }),
		unaryLoop("Clamp low", func(dst, a []T) { Clamp(dst, a, op.Bounds{Low: -1, HasLow: true}) }),
	)
}

// integerLoops has a row for each loop of int32, int64 and uint8.
func integerLoops[T dtype.Integer]() []vectorLoop[T] {
	return slices.Concat(integerArithmeticLoops[T](), orderLoops[T](), sidedNumberLoops[T](), columnLoops[T](), byteLoops[T](), integerRowLoops[T](), productLoops[T]())
}

func integerArithmeticLoops[T dtype.Integer]() []vectorLoop[T] {
	return append(numberLoops[T](),
		unaryLoop("Clamp", func(dst, a []T) { ClampInt(dst, a, op.Bounds{IntLow: -9, IntHigh: 1e9, HasLow: true, HasHigh: true}) }),
		unaryLoop("Clamp low", func(dst, a []T) { ClampInt(dst, a, op.Bounds{IntLow: -9, HasLow: true}) }),
	)
}

// byteLoops see the operands as the bytes that they are made of, of which bools are the lowest bits.
func byteLoops[T dtype.Integer]() []vectorLoop[T] {
	loops := []vectorLoop[T]{
		binaryLoop("BitwiseAnd", BitwiseAnd[T]),
		binaryLoop("BitwiseOr", BitwiseOr[T]),
		binaryLoop("BitwiseXor", BitwiseXor[T]),
		unaryLoop("BitwiseNot", BitwiseNot[T]),
		unaryLoop("bytes added", func(dst, a []T) {
			bytes, sums := bytesOf(a), make([]int64, len(a))
			for ; len(bytes) > 0; bytes = bytes[len(sums):] {
				addIntegers(sums, bytes[:len(sums)])
			}
			for i, v := range sums {
				dst[i] = T(v)
			}
		}),
		unaryLoop("CountRow of bytes", func(dst, a []T) { spreadBits(dst, CountRow(bytesOf(a))) }),
		unaryLoop("SumRow of bytes", func(dst, a []T) { spreadBits(dst, SumRow[int64](bytesOf(a))) }),
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

func comparisonLoops[T dtype.Float]() []vectorLoop[T] {
	return append(orderLoops[T](), comparisonLoop("IsNaN", func(dst []bool, a, _ []T) { IsNaN(dst, a) }))
}

func orderLoops[T dtype.Number]() []vectorLoop[T] {
	return []vectorLoop[T]{
		comparisonLoop("Eq", Eq[T]),
		comparisonLoop("Eq itself", func(dst []bool, a, _ []T) { Eq(dst, a, a) }),
		comparisonLoop("Ne", Ne[T]),
		comparisonLoop("Lt", Lt[T]),
		comparisonLoop("Le", Le[T]),
		comparisonLoop("Gt", Gt[T]),
		comparisonLoop("Ge", Ge[T]),
	}
}

func scalarLoops[T dtype.Float]() []vectorLoop[T] {
	return append(sidedNumberLoops[T](), sidedLoops(vec.Div, "Div", binaryLoop[T], Div[T])...)
}

func sidedNumberLoops[T dtype.Number]() []vectorLoop[T] {
	var loops []vectorLoop[T]
	number := func(l vec.Loop, name string, f func(dst, a, b []T)) {
		loops = append(loops, sidedLoops(l, name, binaryLoop[T], f)...)
	}
	truth := func(l vec.Loop, name string, f func(dst []bool, a, b []T)) {
		loops = append(loops, sidedLoops(l, name, comparisonLoop[T], f)...)
	}
	number(vec.Add, "Add", Add[T])
	number(vec.Sub, "Sub", Sub[T])
	number(vec.Mul, "Mul", Mul[T])
	number(vec.Maximum, "Maximum", Maximum[T])
	number(vec.Minimum, "Minimum", Minimum[T])
	truth(vec.Eq, "Eq", Eq[T])
	truth(vec.Ne, "Ne", Ne[T])
	truth(vec.Lt, "Lt", Lt[T])
	truth(vec.Le, "Le", Le[T])
	truth(vec.Gt, "Gt", Gt[T])
	truth(vec.Ge, "Ge", Ge[T])
	return loops
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
		binaryLoop("ExpStrip", func(dst, a, b []T) {
			below := make([]T, len(a))
			Minimum(below, a, b)
			expStrip(dst, below, b)
		}),
		ternaryLoop("ShiftStrip", shiftStrip[T]),
		ternaryLoop("SoftmaxGradStrip", softmaxGradStrip[T]),
		ternaryLoop("LogSoftmaxGradStrip", logSoftmaxGradStrip[T]),
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
	for _, o := range []op.Adam{{Step: 1}, {Step: 3, WeightDecay: 0.01}, {Step: 5000, WeightDecay: 0.01, Decoupled: true, Maximize: true}} {
		o.LR, o.Beta1, o.Beta2, o.Eps = 1e-3, 0.9, 0.999, 1e-8
		name := fmt.Sprintf("Adam decay %v %v", o.WeightDecay, o.Decoupled)
		loops = append(loops, stepLoop(name, func(p, m, v, grad []T) { Adam(p, m, v, grad, o) }))
	}
	return loops
}

// vectorLoopsF32 has a row for each loop that is in float32 alone.
func vectorLoopsF32() []vectorLoop[float32] {
	loops := []vectorLoop[float32]{binaryLoop("Pow", PowF32), binaryLoop("BoxMuller", boxMullerRow)}
	for _, name := range slices.Sorted(maps.Keys(elementary)) {
		loops = append(loops, unaryLoop(name, elementary[name].slice))
	}
	return loops
}

// vectorLoopsF64 has a row for each loop that is in float64 alone.
func vectorLoopsF64() []vectorLoop[float64] {
	loops := []vectorLoop[float64]{binaryLoop("Pow", PowF64)}
	for _, name := range slices.Sorted(maps.Keys(doubles)) {
		loops = append(loops, unaryLoop(name, doubles[name]))
	}
	return loops
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
