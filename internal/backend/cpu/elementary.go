package cpu

import (
	"cresset/dtype"
	"cresset/internal/kern"
	"cresset/internal/op"
)

func (t *table) addElementary() {
	t[op.Exp][dtype.Float32] = unary(kern.ExpF32)
	t[op.Exp][dtype.Float64] = unary(kern.ExpF64)
	t[op.Expm1][dtype.Float32] = unary(kern.Expm1F32)
	t[op.Expm1][dtype.Float64] = unary(kern.Expm1F64)
	t[op.Log][dtype.Float32] = unary(kern.LogF32)
	t[op.Log][dtype.Float64] = unary(kern.LogF64)
	t[op.Log1p][dtype.Float32] = unary(kern.Log1pF32)
	t[op.Log1p][dtype.Float64] = unary(kern.Log1pF64)
	t[op.Sin][dtype.Float32] = unary(kern.SinF32)
	t[op.Sin][dtype.Float64] = unary(kern.SinF64)
	t[op.Cos][dtype.Float32] = unary(kern.CosF32)
	t[op.Cos][dtype.Float64] = unary(kern.CosF64)
	t[op.Tanh][dtype.Float32] = unary(kern.TanhF32)
	t[op.Tanh][dtype.Float64] = unary(kern.TanhF64)
	t[op.Sigmoid][dtype.Float32] = unary(kern.SigmoidF32)
	t[op.Sigmoid][dtype.Float64] = unary(kern.SigmoidF64)
	t[op.Erf][dtype.Float32] = unary(kern.ErfF32)
	t[op.Erf][dtype.Float64] = unary(kern.ErfF64)
	t[op.Rsqrt][dtype.Float32] = unary(kern.RsqrtF32)
	t[op.Rsqrt][dtype.Float64] = unary(kern.RsqrtF64)
	t[op.Pow][dtype.Float32] = binary(kern.PowF32)
	t[op.Pow][dtype.Float64] = binary(kern.PowF64)
	t[op.SiLU][dtype.Float32] = unary(kern.SiLUF32)
	t[op.SiLU][dtype.Float64] = unary(kern.SiLUF64)
	t[op.GELU][dtype.Float32] = unary(kern.GELUF32)
	t[op.GELU][dtype.Float64] = unary(kern.GELUF64)
	t[op.GELUTanh][dtype.Float32] = unary(kern.GELUTanhF32)
	t[op.GELUTanh][dtype.Float64] = unary(kern.GELUTanhF64)
}
