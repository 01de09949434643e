package cpu

import (
	"cresset/dtype"
	"cresset/internal/backend"
	"cresset/internal/kern"
	"cresset/internal/kern/vec"
	"cresset/internal/op"
)

// addHalfLoops gives ops loops over the half types themselves, before the kernels that widen.
func (t *table) addHalfLoops() {
	addHalfPair(t, op.Add, vec.AddF16, vec.AddBF16, kern.Add[float32])
	addHalfPair(t, op.Sub, vec.SubF16, vec.SubBF16, kern.Sub[float32])
	addHalfPair(t, op.Mul, vec.MulF16, vec.MulBF16, kern.Mul[float32])
	addHalfPair(t, op.Div, vec.DivF16, vec.DivBF16, kern.Div[float32])
	addHalfPair(t, op.Maximum, vec.MaximumF16, vec.MaximumBF16, kern.Maximum[float32])
	addHalfPair(t, op.Minimum, vec.MinimumF16, vec.MinimumBF16, kern.Minimum[float32])

	addHalfUnary(t, op.Floor, vec.FloorF16, vec.FloorBF16, kern.Floor[float32])
	addHalfUnary(t, op.Ceil, vec.CeilF16, vec.CeilBF16, kern.Ceil[float32])
	addHalfUnary(t, op.Round, vec.RoundF16, vec.RoundBF16, kern.Round[float32])
	addHalfUnary(t, op.Trunc, vec.TruncF16, vec.TruncBF16, kern.Trunc[float32])
	addHalfUnary(t, op.Square, vec.SquareF16, vec.SquareBF16, kern.Square[float32])
	addHalfUnary(t, op.Sqrt, vec.SqrtF16, vec.SqrtBF16, kern.Sqrt[float32])
	addHalfUnary(t, op.Reciprocal, vec.ReciprocalF16, vec.ReciprocalBF16, kern.Reciprocal[float32])
	addHalfUnary(t, op.ReLU, vec.ReLUF16, vec.ReLUBF16, kern.ReLU[float32])

	overHalves(t, op.Neg, unary(kern.NegHalf[dtype.F16]), unary(kern.NegHalf[dtype.BF16]))
	overHalves(t, op.Abs, unary(kern.AbsHalf[dtype.F16]), unary(kern.AbsHalf[dtype.BF16]))
	overHalves(t, op.Cube, unary(kern.OfHalf[dtype.F16](vec.CubeF16, kern.Cube[float32])), unary(kern.CubeBF16))
	overHalves(t, op.Clamp, unaryWith(kern.ClampHalf[dtype.F16](vec.ClampF16)), unaryWith(kern.ClampHalf[dtype.BF16](vec.ClampBF16)))
	overHalves(t, op.LeakyReLU,
		unaryWith(kern.LeakyReLUHalf[dtype.F16](vec.LeakyReLUF16)), unaryWith(kern.LeakyReLUHalf[dtype.BF16](vec.LeakyReLUBF16)))

	addHalfBinary(t, op.ReLUGrad, vec.ReLUGradF16, vec.ReLUGradBF16, kern.ReLUGrad[float32])
	addHalfBinary(t, op.TanhGrad, vec.TanhGradF16, vec.TanhGradBF16, kern.TanhGrad[float32])
	addHalfBinary(t, op.SigmoidGrad, vec.SigmoidGradF16, vec.SigmoidGradBF16, kern.SigmoidGrad[float32])
	overHalves(t, op.LeakyReLUGrad,
		binaryWith(kern.LeakyReLUGradHalf[dtype.F16](vec.LeakyReLUGradF16)), binaryWith(kern.LeakyReLUGradHalf[dtype.BF16](vec.LeakyReLUGradBF16)))
}

func addHalfUnary(t *table, o op.Op, f16, bf16 vec.Loop, wide func(dst, a []float32)) {
	overHalves(t, o, unary(kern.OfHalf[dtype.F16](f16, wide)), unary(kern.OfHalf[dtype.BF16](bf16, wide)))
}

func addHalfPair(t *table, o op.Op, f16, bf16 vec.Loop, wide func(dst, a, b []float32)) {
	addHalfBinary(t, o, f16, bf16, wide)
}

func addHalfBinary(t *table, o op.Op, f16, bf16 vec.Loop, wide func(dst, a, b []float32)) {
	overHalves(t, o, binary(kern.OfHalves[dtype.F16](f16, wide)), binary(kern.OfHalves[dtype.BF16](bf16, wide)))
}

// overHalves gives an op kernels over the half types themselves. They read no constants, which half types cannot hold as they
// are.
func overHalves(t *table, o op.Op, f16, bf16 Kernel) {
	t[o][dtype.Float16] = ofElements(f16, t[o][dtype.Float16])
	t[o][dtype.BFloat16] = ofElements(bf16, t[o][dtype.BFloat16])
}

// ofElements runs one kernel where all operands have elements of one type, else another.
func ofElements(kernel, otherwise Kernel) Kernel {
	return func(c *backend.Call) error {
		for i := range c.In() {
			if v := &c.In()[i]; v.IsConst() || v.DType != c.Out()[0].DType {
				return otherwise(c)
			}
		}
		return kernel(c)
	}
}
