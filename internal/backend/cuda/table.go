package cuda

import (
	"cresset/dtype"
	"cresset/internal/op"
)

type table [op.Count][dtype.Count]row

// rows is what GPUs can do: a missing row is the absence of an op.
var rows = build()

func build() *table {
	t := new(table)
	t.addMovement()
	t.addGenerated()
	t.addElementwise()
	t.addReductions()
	t.addRuns()
	t.addSoftmax()
	t.addProducts()
	t.addConvolutions()
	t.addPools()
	t.addNormalizations()
	t.addIndexing()
	t.addSorts()
	t.addLosses()
	t.addRandom()
	t.addOptimizers()
	t.addNarrow()
	return t
}

// The dtypes that kernels compute in.
var (
	floats   = []dtype.DType{dtype.Float32, dtype.Float64}
	integers = []dtype.DType{dtype.Int64, dtype.Int32, dtype.Uint8}
	numbers  = append(floats[:2:2], integers...)
)

// same adds elementwise kernels that have the dtype of their row.
func (t *table) same(dts []dtype.DType, functions map[op.Op]string) {
	for o, function := range functions {
		for _, dt := range dts {
			t[o][dt] = row{elementwise, typed(function, dt)}
		}
	}
}

func (t *table) addElementwise() {
	t.same(numbers, map[op.Op]string{
		op.Add: "add", op.Sub: "sub", op.Mul: "mul", op.Maximum: "maximum", op.Minimum: "minimum",
		op.Neg: "neg", op.Abs: "abs", op.Sign: "sign", op.Square: "square", op.Clamp: "clamp",
	})
	t.same(floats, map[op.Op]string{
		op.Div: "div", op.Reciprocal: "reciprocal", op.Sqrt: "sqrt",
		op.Floor: "floor", op.Ceil: "ceil", op.Round: "round", op.Trunc: "trunc",
	})
	t.same([]dtype.DType{dtype.Bool}, map[op.Op]string{op.Add: "add", op.Mul: "mul"})
	t.same(numbers, comparisons)
	for o, function := range comparisons { // bools compare as bytes
		t[o][dtype.Bool] = row{elementwise, typed(function, dtype.Uint8)}
	}
	t[op.Maximum][dtype.Bool], t[op.Minimum][dtype.Bool] = t[op.Maximum][dtype.Uint8], t[op.Minimum][dtype.Uint8]
	t.same(floats, map[op.Op]string{op.IsNaN: "isnan"})
	t.same(numbers, map[op.Op]string{
		op.FloorDivide: "floor_divide", op.DivTrunc: "div_trunc", op.Remainder: "remainder", op.Fmod: "fmod",
	})
	t.same(integers, map[op.Op]string{op.Pow: "pow"})
	t.same(floats, map[op.Op]string{
		op.Exp: "exp", op.Expm1: "expm1", op.Log: "log", op.Log1p: "log1p", op.Sin: "sin", op.Cos: "cos",
		op.Erf: "erf", op.Rsqrt: "rsqrt", op.Pow: "pow",
	})
	t.addLogic()
}

// addGenerated adds the ops whose kernels are generated: each is called as its op.
func (t *table) addGenerated() {
	for dt, ops := range generated {
		for _, o := range ops {
			t[o][dt] = row{elementwise, typed(o.String(), dtype.DType(dt))}
		}
	}
}

var comparisons = map[op.Op]string{op.Eq: "eq", op.Ne: "ne", op.Lt: "lt", op.Le: "le", op.Gt: "gt", op.Ge: "ge"}

func (t *table) addLogic() {
	bits := []dtype.DType{dtype.Int64, dtype.Int32, dtype.Uint8, dtype.Bool}
	t.same(bits, map[op.Op]string{op.BitwiseAnd: "and", op.BitwiseOr: "or", op.BitwiseXor: "xor", op.BitwiseNot: "not"})
	t.same([]dtype.DType{dtype.Bool}, map[op.Op]string{
		op.LogicalAnd: "and", op.LogicalOr: "or", op.LogicalXor: "xor", op.LogicalNot: "not",
	})
}
