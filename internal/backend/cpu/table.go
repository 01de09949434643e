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
	t.addSoftmax()
	t.addProducts()
	t.addConvolutions()
	t.addPools()
	t.addNormalizations()
	t.addLosses()
	t.addIndexing()
	t.addGathers()
	t.addOptimizers()
	t.addRandom()
	t.addHalf()
	return t
}

// addHalf gives the half types, which are storage only, every kernel that float32 has: operands are widened, results
// rounded once.
func (t *table) addHalf() {
	for o := range t {
		wide := t[o][dtype.Float32]
		if wide != nil && !op.Op(o).IsElementwise() { // those convert their operands themselves
			wide = viaFloat32(wide)
		}
		for _, dt := range []dtype.DType{dtype.Float16, dtype.BFloat16} {
			if t[o][dt] == nil {
				t[o][dt] = wide
			}
		}
	}
	t.addHalfLoops()
}
