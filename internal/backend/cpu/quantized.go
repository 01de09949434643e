package cpu

import (
	"cresset/dtype"
	"cresset/internal/backend"
	"cresset/internal/kern"
	"cresset/internal/layout"
	"cresset/internal/op"
	"cresset/internal/par"
)

// addQuantized adds products with quantized weights. The half types are widened as x is read, and results are rounded once.
func (t *table) addQuantized() {
	for _, dt := range []dtype.DType{dtype.Float32, dtype.Float16, dtype.BFloat16} {
		t[op.QuantizedLinear][dt] = quantizedLinear
	}
}

// quantizedLinear multiplies x with a quantized weight.
func quantizedLinear(c *backend.Call) error {
	var w workspace
	defer w.free()
	in, out := c.In(), c.Out()[0]
	if out.Layout.Size() == 0 {
		return nil
	}
	for i := range in {
		if !c.Has(i) {
			continue
		}
		if err := w.pack(&in[i]); err != nil {
			return err
		}
		if i == 0 || i == 4 { // x and the bias
			if err := w.widen(&in[i]); err != nil {
				return err
			}
		}
	}
	y := out
	if out.DType != dtype.Float32 {
		if err := w.like(&y, out.Layout.Shape(), dtype.Float32); err != nil {
			return err
		}
	}
	if err := w.multiplyQuantized(c, &y); err != nil {
		return err
	}
	return unpack(&c.Out()[0], &y)
}

// widen makes v a view of its elements as float32.
func (w *workspace) widen(v *backend.View) error {
	if v.DType == dtype.Float32 {
		return nil
	}
	from := *v
	if err := w.like(v, from.Layout.Shape(), dtype.Float32); err != nil {
		return err
	}
	return convert(v, &from)
}

// multiplyQuantized writes y in float32, of contiguous operands.
func (w *workspace) multiplyQuantized(c *backend.Call, y *backend.View) error {
	p, in := c.Params.(op.Quantized), c.In()
	x, scale, result := dense[float32](&in[0]), dense[float32](&in[2]), dense[float32](y)
	m, k, n := in[0].Layout.Shape()[0], in[0].Layout.Shape()[1], y.Layout.Shape()[1]
	var bias []float32
	if c.Has(4) {
		bias = dense[float32](&in[4])
	}
	each := func(set func(i int, x []float32)) {
		par.For(m, max(1, grain/max(k, 1)), func(lo, hi int) {
			for i := lo; i < hi; i++ {
				set(i, x[i*k:][:k])
			}
		})
	}
	digits := 3
	if p.Dynamic {
		digits = 1
	}
	if p.Bits == 4 {
		room, err := w.digits(m * kern.FixedPairsLen(k))
		if err != nil {
			return err
		}
		l := kern.Int4Linear{X: kern.NewFixedPairs(m, k, p.Group, room), N: n, W: dense[int32](&in[1]), Scale: scale, Bias: bias, Y: result}
		if c.Has(3) {
			l.Zero = dense[int32](&in[3])
		}
		each(l.X.Set)
		l.Run()
		return nil
	}
	room, err := w.digits(m * digits * kern.FixedRow(k))
	if err != nil {
		return err
	}
	l := kern.Int8Linear{X: kern.NewFixed(m, k, digits, room), N: n, W: dense[int8](&in[1]), Scale: scale, Bias: bias, Y: result}
	each(l.X.Set)
	l.Run()
	return nil
}

// digits returns room for n digits.
func (w *workspace) digits(n int) ([]int8, error) {
	var v backend.View
	if err := w.like(&v, layout.Shape{n}, dtype.Int8); err != nil || n == 0 {
		return nil, err
	}
	return dense[int8](&v), nil
}
