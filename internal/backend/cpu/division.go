package cpu

import (
	"errors"

	"cresset/internal/backend"
	"cresset/internal/kern"
)

// errZeroDivision has PyTorch's text.
var errZeroDivision = errors.New("ZeroDivisionError")

// divisor refuses a second operand with a zero before anything is written. Like rowMajor it is not inlined.
//
//go:noinline
func divisor(kernel Kernel) Kernel {
	return func(c *backend.Call) error {
		v := &c.In()[1]
		switch {
		case c.Out()[0].Layout.Size() == 0:
		case v.IsConst():
			var word uint64
			if putConstant(wordAt(&word), c.DType, v.Const); word == 0 {
				return errZeroDivision
			}
		default:
			var w workspace
			defer w.free()
			packed := *v
			if err := w.pack(&packed); err != nil {
				return err
			}
			if hasZero(&packed) {
				return errZeroDivision
			}
		}
		return kernel(c)
	}
}

// hasZero reports whether an element of a contiguous view of integers is zero.
func hasZero(v *backend.View) bool {
	switch v.DType.Size() {
	case 1:
		return kern.HasZero(dense[uint8](v))
	case 2:
		return kern.HasZero(dense[int16](v))
	case 4:
		return kern.HasZero(dense[int32](v))
	}
	return kern.HasZero(dense[int64](v))
}
