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

// multiplyQuantized writes y in float32, of contiguous operands, a block of rows after the other.
func (w *workspace) multiplyQuantized(c *backend.Call, y *backend.View) error {
	product := w.int8Product
	if c.Params.(op.Quantized).Bits == 4 {
		product = w.int4Product
	}
	x, result := &c.In()[0], dense[float32](y)
	m, k, n := x.Layout.Shape()[0], x.Layout.Shape()[1], y.Layout.Shape()[1]
	block := min(m, kern.FixedRows)
	multiply, err := product(c, block, k, n)
	if err != nil {
		return err
	}
	for i := 0; i < m; i += block {
		rows := min(block, m-i)
		multiply(rows, dense[float32](x)[i*k:][:rows*k], result[i*n:][:rows*n])
	}
	return nil
}

// int8Product returns what multiplies up to block rows of k with a weight of int8.
func (w *workspace) int8Product(c *backend.Call, block, k, n int) (func(m int, x, y []float32), error) {
	digits := 3
	if c.Params.(op.Quantized).Dynamic {
		digits = 1
	}
	held, err := room[int8](w, block*digits*kern.FixedRow(k))
	weight, scale, bias := dense[int8](&c.In()[1]), dense[float32](&c.In()[2]), optional[float32](c, 4)
	return func(m int, x, y []float32) {
		l := kern.Int8Linear{X: kern.NewFixed(m, k, digits, held), N: n, W: weight, Scale: scale, Bias: bias, Y: y}
		eachRow(m, k, x, l.X.Set)
		l.Run()
	}, err
}

// int4Product is int8Product of a weight of int4.
func (w *workspace) int4Product(c *backend.Call, block, k, n int) (func(m int, x, y []float32), error) {
	group := c.Params.(op.Quantized).Group
	digits, err := room[int8](w, block*kern.FixedPairsLen(k))
	if err != nil {
		return nil, err
	}
	eights, err := room[int32](w, len(digits)/24)
	if err != nil {
		return nil, err
	}
	sums, err := room[float32](w, block*kern.PaddedGroups(k, group))
	clear(sums)
	weight, scale, zero, bias := dense[int32](&c.In()[1]), dense[float32](&c.In()[2]), optional[int32](c, 3), optional[float32](c, 4)
	return func(m int, x, y []float32) {
		l := kern.Int4Linear{X: kern.NewFixedPairs(m, k, group, digits, eights, sums), N: n, W: weight, Scale: scale, Zero: zero, Bias: bias, Y: y}
		eachRow(m, k, x, l.X.Set)
		l.Run()
	}, err
}

// eachRow calls set for each of m rows of k numbers, on several threads.
func eachRow(m, k int, x []float32, set func(i int, x []float32)) {
	par.For(m, max(1, grain/max(k, 1)), func(lo, hi int) {
		for i := lo; i < hi; i++ {
			set(i, x[i*k:][:k])
		}
	})
}

// room returns memory for n elements, of undefined content.
func room[T dtype.Element](w *workspace, n int) ([]T, error) {
	var v backend.View
	if err := w.like(&v, layout.Shape{n}, dtype.Of[T]()); err != nil || n == 0 {
		return nil, err
	}
	return dense[T](&v), nil
}
