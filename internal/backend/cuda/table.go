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
	t.addElementwise()
	t.addReductions()
	t.addRuns()
	t.addScans()
	t.addSoftmax()
	t.addProducts()
	t.addQuantized()
	t.addConvolutions()
	t.addPools()
	t.addResampling()
	t.addNormalizations()
	t.addAttention()
	t.addRotations()
	t.addIndexing()
	t.addSorts()
	t.addLosses()
	t.addRandom()
	t.addOptimizers()
	t.addClipping()
	t.addNarrow()
	return t
}

// The dtypes that kernels compute in.
var (
	floats   = []dtype.DType{dtype.Float32, dtype.Float64}
	halves   = []dtype.DType{dtype.Float16, dtype.BFloat16}
	integers = []dtype.DType{dtype.Int64, dtype.Int32, dtype.Uint8}
	numbers  = append(floats[:2:2], integers...)
)

// addElementwise adds the elementwise ops, each with the kernel of its name. A GPU's kernels of an op are generated, or stand in
// division.cu and logical.cu.
func (t *table) addElementwise() {
	for dt, ops := range generated {
		t.named(dtype.DType(dt), ops...)
	}
	for _, dt := range halves {
		for _, o := range generatedHalves {
			t[o][dt] = row{elementwiseHalf, typed(o.String(), dt)}
		}
	}
	for _, dt := range numbers {
		t.named(dt, op.FloorDivide, op.Remainder, op.Fmod)
	}
	for _, dt := range integers {
		t.named(dt, op.DivTrunc, op.Pow, op.BitwiseAnd, op.BitwiseOr, op.BitwiseXor, op.BitwiseNot,
			op.BitwiseLeftShift, op.BitwiseRightShift)
	}
	for o, as := range ofBools {
		t[o][dtype.Bool] = t[as][dtype.Uint8]
	}
	t.named(dtype.Bool, op.LogicalNot)
	t[op.BitwiseNot][dtype.Bool] = t[op.LogicalNot][dtype.Bool]
}

// named adds ops whose kernels for the dtype have their names.
func (t *table) named(dt dtype.DType, ops ...op.Op) {
	for _, o := range ops {
		t[o][dt] = row{elementwise, typed(o.String(), dt)}
	}
}

// ofBools names for an op on bools the op whose kernel for bytes computes it: bools are bytes of 0 or 1.
var ofBools = map[op.Op]op.Op{
	op.Add: op.Maximum, op.Mul: op.Minimum, op.Maximum: op.Maximum, op.Minimum: op.Minimum,
	op.Eq: op.Eq, op.Ne: op.Ne, op.Lt: op.Lt, op.Le: op.Le, op.Gt: op.Gt, op.Ge: op.Ge,
	op.LogicalAnd: op.BitwiseAnd, op.LogicalOr: op.BitwiseOr, op.LogicalXor: op.BitwiseXor,
	op.BitwiseAnd: op.BitwiseAnd, op.BitwiseOr: op.BitwiseOr, op.BitwiseXor: op.BitwiseXor, op.Heaviside: op.BitwiseOr,
}
