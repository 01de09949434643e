package cpu

import (
	"cresset/dtype"
	"cresset/internal/backend"
)

// viaFloat32 runs a float32 kernel on half operands: those are widened into temporaries, and results, which may
// also be read first, are rounded back into their own layout.
func viaFloat32(kernel Kernel) Kernel {
	return func(c *backend.Call) error {
		wide := backend.NewCall(c.Op, dtype.Float32)
		defer wide.Release()
		wide.Params = c.Params
		var w workspace
		defer w.free()
		widen := func(to, from *backend.View) error {
			*to = *from
			if from.IsConst() || !isHalf(from.DType) {
				return nil
			}
			if err := w.like(to, from.Layout.Shape(), dtype.Float32); err != nil {
				return err
			}
			return convert(to, from)
		}
		for i := range c.Out() {
			if err := widen(wide.AddOut(), &c.Out()[i]); err != nil {
				return err
			}
		}
		for i := range c.In() {
			if err := widen(wide.AddIn(), &c.In()[i]); err != nil {
				return err
			}
		}
		if err := kernel(wide); err != nil {
			return err
		}
		for i := range c.Out() {
			if isHalf(c.Out()[i].DType) {
				if err := convert(&c.Out()[i], &wide.Out()[i]); err != nil {
					return err
				}
			}
		}
		return nil
	}
}

func isHalf(dt dtype.DType) bool { return dt == dtype.Float16 || dt == dtype.BFloat16 }
