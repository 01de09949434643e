package cpu

import (
	"cresset/dtype"
	"cresset/internal/backend"
)

// via runs a kernel of a wider dtype: operands of the call's dtype are converted into temporaries, and results, which may also
// be read first, are converted back into their own layout.
func via(wide dtype.DType, kernel Kernel) Kernel {
	return func(c *backend.Call) error {
		w := widened{call: backend.NewCall(c.Op, wide), narrow: c.DType}
		defer w.free()
		defer w.call.Release()
		w.call.Params, w.call.Kept = c.Params, c.Kept
		for i := range c.Out() {
			if err := w.add(w.call.AddOut(), &c.Out()[i]); err != nil {
				return err
			}
		}
		for i := range c.In() {
			if err := w.add(w.call.AddIn(), &c.In()[i]); err != nil {
				return err
			}
		}
		if err := kernel(w.call); err != nil {
			return err
		}
		for i := range c.Out() {
			if c.Out()[i].DType == w.narrow {
				if err := convert(&c.Out()[i], &w.call.Out()[i]); err != nil {
					return err
				}
			}
		}
		return nil
	}
}

// widened is a call with operands of a wider dtype.
type widened struct {
	workspace
	call   *backend.Call
	narrow dtype.DType
}

func (w *widened) add(to, from *backend.View) error {
	*to = *from
	if from.IsConst() || from.DType != w.narrow {
		return nil
	}
	if err := w.like(to, from.Layout.Shape(), w.call.DType); err != nil {
		return err
	}
	return convert(to, from)
}
