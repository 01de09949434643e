package dist

import (
	"cresset/dtype"
	"cresset/tensor"
)

// join fills out with parts joined in their order. Halves are joined in float32 and rounded once.
func (o ReduceOp) join(out *tensor.Tensor, parts []*tensor.Tensor) {
	dt, op := out.DType(), o
	switch dt {
	case dtype.Float16, dtype.BFloat16:
		dt = dtype.Float32
	case dtype.Bool:
		dt, op = dtype.Uint8, o.ofBools()
	}
	parts = flat(parts) // those of other processes have no shape
	joined := parts[0].Clone().To(dt)
	for _, part := range parts[1:] {
		part = part.To(dt)
		switch op {
		case Sum, Avg:
			joined.AddInPlace(part)
		case Product:
			joined.MulInPlace(part)
		case Min:
			joined = joined.Minimum(part)
		case Max:
			joined = joined.Maximum(part)
		}
	}
	if op == Avg {
		average(joined, len(parts))
	}
	out.CopyInPlace(joined.View(out.Shape()...))
}

// average divides sums by the number of ranks. A power of two is multiplied by its inverse, which gives the same bits in a third of the time.
func average(sums *tensor.Tensor, ranks int) {
	switch {
	case ranks == 1:
	case ranks&(ranks-1) == 0:
		sums.MulScalarInPlace(1 / float64(ranks))
	default:
		sums.DivInPlace(tensor.Of(ranks))
	}
}

// ofBools returns what the operation is for numbers that are 0 or 1.
func (o ReduceOp) ofBools() ReduceOp {
	switch o {
	case Sum:
		return Max
	case Product:
		return Min
	}
	return o
}
