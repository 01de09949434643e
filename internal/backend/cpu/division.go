package cpu

import (
	"errors"

	"cresset/dtype"
	"cresset/internal/backend"
	"cresset/internal/kern"
)

// errZeroDivision has PyTorch's text.
var errZeroDivision = errors.New("ZeroDivisionError")

// divisor refuses a second operand with a zero before anything is written.
//
//go:noinline
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
