package tensor_test

import (
	"math"

	"cresset/dtype"
	"cresset/tensor"
)

// copied returns the row of To with a dtype, copying even where x has it.
func copied(dt dtype.DType, ref func(v float64) float64) opRow {
	to := func(x *tensor.Tensor) *tensor.Tensor { return x.To(dt, tensor.Copy(true)) }
	return unary("to "+dt.Name(), to, ref).as(func(r *opRow) {
		r.dtypes = allTypes
		r.result = func(dtype.DType) dtype.DType { return dt }
	})
}

// copyRows are what copies elements, and what draws a mask for them.
var copyRows = []opRow{
	unary("clone", (*tensor.Tensor).Clone, func(v float64) float64 { return v }).as(everyType),
	copied(dtype.Float64, func(v float64) float64 { return v }),
	copied(dtype.Int32, math.Trunc).as(func(r *opRow) {
		r.noGrad, r.noSpecials = true, "casts of them are in TestToGoldens"
	}),
	unary("dropout", func(x *tensor.Tensor) *tensor.Tensor {
		tensor.ManualSeed(1)
		return x.Dropout(.5)
	}, nil).as(func(r *opRow) {
		r.ref, r.judge, r.noSpecials = nil, "TestDrawsArePyTorchs and TestDropout", "the mask decides"
		r.contiguousOnly = true // the mask follows the order of memory
		r.draws = true
	}),
}
