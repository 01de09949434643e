package selftest

import (
	"cresset/device"
	"cresset/dtype"
	"cresset/internal/friend"
	"cresset/internal/op"
	"cresset/tensor"
)

// elementwiseOp is what it takes to call an op.
type elementwiseOp struct {
	op       op.Op
	operands int
	params   any
	mask     bool // the result is bools
	divides  bool // by the second operand, of which a 0 is an error for integers
}

// elementwise has a check for each elementwise op and each dtype that the CPU computes it in.
func elementwise() []Check {
	var checks []Check
	host := tensor.Empty(1)
	for _, e := range elementwiseOps {
		for dt := dtype.Bool; dt < dtype.Count; dt++ {
			if friend.Of[*tensor.Tensor]().HasKernel(host, e.op, dt) {
				checks = append(checks, Check{"elementwise", e.op.String(), dt, func(dev device.Device) error { return e.check(dev, dt) }})
			}
		}
	}
	return checks
}

// check compares the op on operands that lie contiguously, begin between two vectors, are transposed, and repeat a row.
func (e elementwiseOp) check(dev device.Device, dt dtype.DType) error {
	const rows, columns = 37, 113 // 4181 elements, more than a block's and no multiple of a vector's
	const n = rows * columns
	operands := make([]*tensor.Tensor, e.operands)
	for i := range operands {
		operands[i] = e.operand(dt, n+1, i)
	}
	for _, view := range []func(x *tensor.Tensor, i int) *tensor.Tensor{
		func(x *tensor.Tensor, _ int) *tensor.Tensor { return x },
		func(x *tensor.Tensor, _ int) *tensor.Tensor { return x.Narrow(0, 1, n) },
		func(x *tensor.Tensor, i int) *tensor.Tensor {
			return x.Narrow(0, i%2, n).View(columns, rows).Transpose(0, 1)
		},
		func(x *tensor.Tensor, i int) *tensor.Tensor {
			if i == 0 {
				return x.Narrow(0, 0, n).View(rows, columns)
			}
			return x.Narrow(0, 0, columns).Expand(rows, columns)
		},
	} {
		if err := e.compare(dev, dt, operands, view); err != nil {
			return err
		}
	}
	return nil
}

func (e elementwiseOp) compare(dev device.Device, dt dtype.DType, operands []*tensor.Tensor, view func(x *tensor.Tensor, i int) *tensor.Tensor) error {
	results := [2]*tensor.Tensor{}
	for side, on := range []device.Device{device.CPU, dev} {
		ins := make([]*tensor.Tensor, len(operands))
		for i, x := range operands {
			ins[i] = view(x.To(on), i)
		}
		result := dt
		if e.mask {
			result = dtype.Bool
		}
		results[side] = tensor.On(on).As(result).Empty(ins[0].Shape()...)
		inner.Launch(e.op, dt, e.params, results[side:side+1], ins)
	}
	roundings := 0.0
	if e.op == op.Cube && dt == dtype.BFloat16 {
		roundings = 1 // the CPU rounds the square too
	}
	return compare(results[1], results[0], roundings)
}

// operand returns n elements of the i-th operand.
func (e elementwiseOp) operand(dt dtype.DType, n, i int) *tensor.Tensor {
	x := values(dt, n, int64(i))
	switch {
	case dt == dtype.Bool || dt.IsFloat() || i != 1:
		return x
	case e.divides:
		return x.Add(x.Eq(tensor.ZerosLike(x)).To(dt))
	case e.op == op.Pow || e.op == op.BitwiseLeftShift || e.op == op.BitwiseRightShift:
		return x.Abs().RemainderScalar(7)
	default:
		return x
	}
}
