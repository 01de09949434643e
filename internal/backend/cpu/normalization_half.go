package cpu

import (
	"cresset/dtype"
	"cresset/internal/backend"
	"cresset/internal/kern"
	"cresset/internal/op"
)

func addNormsOfHalves(t *table) {
	for _, o := range []op.Op{op.LayerNorm, op.RMSNorm} {
		t[o][dtype.Float16] = layerNormHalf[dtype.F16](t[o][dtype.Float16])
		t[o][dtype.BFloat16] = layerNormHalf[dtype.BF16](t[o][dtype.BFloat16])
	}
}

// layerNormHalf is layerNorm of rows of a half type, of which only weight, bias and the figures of rows are copied as a whole.
func layerNormHalf[H kern.Half](otherwise Kernel) Kernel {
	return func(c *backend.Call) error {
		x, y := &c.In()[0], &c.Out()[0]
		if half := dtype.Of[H](); c.Has(3) || x.IsConst() || x.DType != half || y.DType != half || !x.Layout.IsContiguous() || !y.Layout.IsContiguous() {
			return otherwise(c)
		}
		w := widened{call: backend.NewCall(c.Op, dtype.Float32), narrow: c.DType}
		defer w.free()
		defer w.call.Release()
		figures := c.Out()[1:]
		for i := range figures {
			if err := w.add(w.call.AddOut(), &figures[i]); err != nil {
				return err
			}
		}
		for i := range c.In()[1:] {
			v := w.call.AddIn()
			if !c.Has(1 + i) {
				*v = backend.View{}
				continue
			}
			if err := w.add(v, &c.In()[1+i]); err != nil {
				return err
			}
			if err := w.pack(v); err != nil {
				return err
			}
		}
		p, last := c.Params.(op.Normalize), len(figures)-1
		var mean []float32
		if c.Op == op.LayerNorm {
			mean = dense[float32](&w.call.Out()[0])
		}
		rows, cols := rowsOf(x, p.Axes)
		err := kern.LayerNormHalf(rows, cols, dense[H](x), optional[float32](w.call, 0), optional[float32](w.call, 1), p.Eps, dense[H](y), mean, dense[float32](&w.call.Out()[last]))
		if err != nil {
			return err
		}
		for i := range figures {
			if err := unpack(&figures[i], &w.call.Out()[i]); err != nil {
				return err
			}
		}
		return nil
	}
}
