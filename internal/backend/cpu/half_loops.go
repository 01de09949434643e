package cpu

import (
	"cresset/dtype"
	"cresset/internal/backend"
	"cresset/internal/kern"
	"cresset/internal/op"
)

// overHalves gives an op kernels over the half types themselves, which save add_bf16/1e5 a quarter. They read no constants, which half types cannot hold as they
// are.
func overHalves(t *table, o op.Op, f16, bf16 Kernel) {
	t[o][dtype.Float16] = ofElements(f16, t[o][dtype.Float16])
	t[o][dtype.BFloat16] = ofElements(bf16, t[o][dtype.BFloat16])
}

func addSumsOfHalves(t *table) {
	f16, bf16, again := kern.SumHalves[dtype.F16](), kern.SumHalves[dtype.BF16](), kern.Sum[float64, float64]()
	for _, o := range []op.Op{op.Sum, op.SumAxes} {
		overHalves(t, o, folded(f16, again, kern.FinishHalf[dtype.F16]), folded(bf16, again, kern.FinishHalf[dtype.BF16]))
	}
	for _, o := range []op.Op{op.Mean, op.MeanAxes} {
		overHalves(t, o, folded(f16, again, kern.FinishHalfMean[dtype.F16]), folded(bf16, again, kern.FinishHalfMean[dtype.BF16]))
	}
}

// ofElements runs one kernel where all operands have elements of one type, else another. Like rowMajor it is not inlined.
//
//go:noinline
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
