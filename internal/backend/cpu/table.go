package cpu

import (
	"cresset/dtype"
	"cresset/internal/backend"
	"cresset/internal/op"
)

// Kernel computes one call. Errors are those that the data cause, an index out of range for example; shapes and dtypes
// were checked above.
type Kernel func(c *backend.Call) error

type table [op.Count][dtype.Count]Kernel

// kernels is what the CPU can do: a missing row is the absence of an op.
var kernels = build()

func build() *table {
	t := new(table)
	t.addMovement()
	t.addCreation()
	t.addElementwise()
	t.addSelection()
	t.addReductions()
	t.addProducts()
	t.addQuantized()
	t.addIndexing()
	t.addGathers()
	t.addRandom()
	t.addRotations()
	addFloats[float32](t)
	addFloats[float64](t)
	t.addIntegerWindows()
	t.addRoundedConvolutions()
	t.addRoundedAttention()
	t.addConverted()
	return t
}

// addFloats adds what only floats have.
func addFloats[T dtype.Float](t *table) {
	addReductionFloat[T](t)
	addSoftmax[T](t)
	addConvolutions[T](t)
	addPools[T](t)
	addNormalizations[T](t)
	addAttention[T](t)
	addLosses[T](t)
	addFactorizations[T](t)
	addOptimizers[T](t)
}

// addConverted gives dtypes that an op lacks the kernel of a wider one: operands are widened, results rounded or wrapped once.
// The half types are storage only; sums, products and orders of narrow integers are those of int32, which wraps to the same bits.
func (t *table) addConverted() {
	for o := range t {
		for _, dt := range []dtype.DType{dtype.Float16, dtype.BFloat16} {
			t.addVia(op.Op(o), dt, dtype.Float32)
		}
		for _, dt := range []dtype.DType{dtype.Uint8, dtype.Int8, dtype.Int16} {
			t.addVia(op.Op(o), dt, dtype.Int32)
		}
	}
	t.addHalfLoops()
	addSumsOfHalves(t)
	addNormsOfHalves(t)
	addSoftmaxOfHalves(t)
}

func (t *table) addVia(o op.Op, narrow, wide dtype.DType) {
	switch kernel := t[o][wide]; {
	case t[o][narrow] != nil || kernel == nil:
	case o.IsElementwise(): // converts its operands itself
		t[o][narrow] = kernel
	default:
		t[o][narrow] = via(wide, kernel)
	}
}
