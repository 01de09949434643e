package cpu

import (
	"errors"

	"cresset/dtype"
	"cresset/internal/backend"
	"cresset/internal/kern"
	"cresset/internal/op"
)

func (t *table) addDivision() {
	addIntegerDivision[uint8](t)
	addIntegerDivision[int8](t)
	addIntegerDivision[int16](t)
	addIntegerDivision[int32](t)
	addIntegerDivision[int64](t)
}

func addIntegerDivision[T dtype.Integer](t *table) {
	dt := dtype.Of[T]()
	t[op.FloorDivide][dt] = divisor[T](binary(kern.FloorDivideInt[T]))
	t[op.DivTrunc][dt] = divisor[T](binary(kern.DivTruncInt[T]))
	t[op.Remainder][dt] = divisor[T](binary(kern.RemainderInt[T]))
	t[op.Fmod][dt] = divisor[T](binary(kern.FmodInt[T]))
	t[op.Pow][dt] = binary(kern.PowInt[T])
}

// errZeroDivision has PyTorch's text.
var errZeroDivision = errors.New("ZeroDivisionError")

// divisor refuses a second operand with a zero before anything is written.
func divisor[T dtype.Integer](kernel Kernel) Kernel {
	return func(c *backend.Call) error {
		v := &c.In()[1]
		switch {
		case c.Out()[0].Layout.Size() == 0:
		case v.IsConst():
			if T(v.Const.Int()) == 0 {
				return errZeroDivision
			}
		default:
			var w workspace
			defer w.free()
			packed := *v
			if err := w.pack(&packed); err != nil {
				return err
			}
			if kern.HasZero(dense[T](&packed)) {
				return errZeroDivision
			}
		}
		return kernel(c)
	}
}
