package cpu

import (
	"cresset/dtype"
	"cresset/internal/backend"
	"cresset/internal/kern"
	"cresset/internal/mem"
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
	q, x := c.Params.(op.Quantized), &c.In()[0]
	m, k, n := x.Layout.Shape()[0], x.Layout.Shape()[1], y.Layout.Shape()[1]
	digits := 3
	if q.Dynamic {
		digits = 1
	}
	block := min(m, kern.FixedRows)
	bytes := kern.FixedBytes(block, k, digits)
	if q.Bits == 4 {
		bytes = kern.FixedPairsBytes(block, k, q.Group)
	}
	memory, err := mem.Alloc(bytes)
	if err != nil {
		return err
	}
	defer memory.Free()
	numbers, results := dense[float32](x), dense[float32](y)
	for i := 0; i < m; i += block {
		rows := min(block, m-i)
		x, y := numbers[i*k:][:rows*k], results[i*n:][:rows*n]
		if q.Bits == 4 {
			f := kern.NewFixedPairs(rows, k, q.Group, memory)
			eachRow(rows, k, x, &f)
			kern.Int4Linear{X: f, N: n, W: dense[int32](&c.In()[1]), Scale: dense[float32](&c.In()[2]), Zero: optional[int32](c, 3), Bias: optional[float32](c, 4), Y: y}.Run()
		} else {
			f := kern.NewFixed(rows, k, digits, memory)
			eachRow(rows, k, x, &f)
			kern.Int8Linear{X: f, N: n, W: dense[int8](&c.In()[1]), Scale: dense[float32](&c.In()[2]), Bias: optional[float32](c, 4), Y: y}.Run()
		}
	}
	return nil
}

// eachRow writes each of m rows of k numbers, on several threads.
func eachRow[F interface{ Set(i int, x []float32) }](m, k int, x []float32, f F) {
	grain := max(1, grain/max(k, 1))
	if par.Inline(m, grain) {
		for i := range m {
			f.Set(i, x[i*k:][:k])
		}
		return
	}
	par.For(m, grain, func(lo, hi int) {
		for i := lo; i < hi; i++ {
			f.Set(i, x[i*k:][:k])
		}
	})
}
