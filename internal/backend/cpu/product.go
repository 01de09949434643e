package cpu

import (
	"cresset/dtype"
	"cresset/internal/backend"
	"cresset/internal/kern"
	"cresset/internal/mem"
	"cresset/internal/op"
	"cresset/internal/par"
)

func (t *table) addProducts() {
	addProductFloat[float32](t)
	addProductFloat[float64](t)
	t[op.MM][dtype.Float16], t[op.MM][dtype.BFloat16] = mmHalf[dtype.F16](mmViaFloat32), mmHalf[dtype.BF16](mmBF16)
	t[op.AddMM][dtype.Float16], t[op.AddMM][dtype.BFloat16] = addMMHalf[dtype.F16](addMMViaFloat32), addMMHalf[dtype.BF16](addMMBF16)
	t[op.BMM][dtype.Float16] = bmmHalf(kern.GemmHalf[dtype.F16], kern.GemmWidened)
	t[op.BMM][dtype.BFloat16] = bmmHalf(kern.GemmHalf[dtype.BF16], kern.GemmBF16)
	addProductInt[int32](t)
	addProductInt[int64](t)
}

func addProductFloat[T dtype.Float](t *table) {
	addProduct(t, multiply[T])
	t[op.AddMM][dtype.Of[T]()] = addMM[T]
}

// mmHalf widens B as it reads it where A has few rows.
func mmHalf[H kern.Half](otherwise Kernel) Kernel {
	return func(c *backend.Call) error {
		a, b := left[H](&c.In()[0]), right[H](&c.In()[1])
		if kern.GemmHalf(a.rows, b.cols, a.cols, a.Matrix, b.Matrix, nil, dense[H](&c.Out()[0]), b.cols) {
			return nil
		}
		return otherwise(c)
	}
}

// addMMHalf is mmHalf with a bias for each column.
func addMMHalf[H kern.Half](otherwise Kernel) Kernel {
	return func(c *backend.Call) error {
		p := c.Params.(op.Affine)
		in, a, b := &c.In()[0], left[H](&c.In()[1]), right[H](&c.In()[2])
		if p.Alpha == 1 && p.Beta == 1 && repeatsRow(in) && b.cols > 0 {
			bias := data[H](in)[in.Layout.Offset:][:b.cols]
			if kern.GemmHalf(a.rows, b.cols, a.cols, a.Matrix, b.Matrix, bias, dense[H](&c.Out()[0]), b.cols) {
				return nil
			}
		}
		return otherwise(c)
	}
}

// mmBF16 multiplies in bfloat16 where the machine can, else in float32.
func mmBF16(c *backend.Call) error {
	a, b := left[dtype.BF16](&c.In()[0]), right[dtype.BF16](&c.In()[1])
	if kern.GemmBF16(a.rows, b.cols, a.cols, a.Matrix, b.Matrix, nil, dense[dtype.BF16](&c.Out()[0]), b.cols) {
		return nil
	}
	return mmViaFloat32(c)
}

// addMMBF16 is addMM likewise, of a bias for each column.
func addMMBF16(c *backend.Call) error {
	p := c.Params.(op.Affine)
	in, a, b := &c.In()[0], left[dtype.BF16](&c.In()[1]), right[dtype.BF16](&c.In()[2])
	if p.Alpha == 1 && p.Beta == 1 && repeatsRow(in) && b.cols > 0 {
		bias := data[dtype.BF16](in)[in.Layout.Offset:][:b.cols]
		if kern.GemmBF16(a.rows, b.cols, a.cols, a.Matrix, b.Matrix, bias, dense[dtype.BF16](&c.Out()[0]), b.cols) {
			return nil
		}
	}
	return addMMViaFloat32(c)
}

// A halfProduct is C[m,n] = A·B and a bias of a half type, where it computes it.
type halfProduct[H kern.Half] func(m, n, k int, a, b kern.Matrix[H], bias, c []H, ldc int) bool

// bmmHalf multiplies each pair of a batch by the first product that takes it, which all of one shape have in common, else in float32.
// bmm_bf16/64x128x64x128 takes less than half the time so.
//
//go:noinline
func bmmHalf[H kern.Half](products ...halfProduct[H]) Kernel {
	return func(c *backend.Call) error {
		a, b, out := left[H](&c.In()[0]), right[H](&c.In()[1]), dense[H](&c.Out()[0])
		if len(out) == 0 || a.cols == 0 {
			return mmViaFloat32(c)
		}
		m, k, n := a.rows, a.cols, b.cols
		for _, product := range products {
			one := func(i int) bool {
				p, q := a.Matrix, b.Matrix
				p.Data, q.Data = p.Data[i*a.step:], q.Data[i*b.step:]
				return product(m, n, k, p, q, nil, out[i*m*n:][:m*n], n)
			}
			if !one(0) {
				continue
			}
			each := func(lo, hi int) {
				for i := lo; i < hi; i++ {
					one(1 + i)
				}
			}
			if work := m * n * k; work < wholeProduct {
				par.For(a.count-1, max(1, leastProduct/work), each)
			} else {
				each(0, a.count-1)
			}
			return nil
		}
		return mmViaFloat32(c)
	}
}

const (
	leastProduct = 1 << 18 // multiplications in bfloat16 that are worth a thread
	wholeProduct = 1 << 25 // that are worth all threads
)

// repeatsRow reports whether a matrix has one row for all, whose elements are contiguous.
func repeatsRow(v *backend.View) bool {
	return v.Layout.Strides()[0] == 0 && v.Layout.Strides()[1] == 1
}

var addMMViaFloat32 = via(dtype.Float32, addMM[float32])

var mmViaFloat32 = via(dtype.Float32, productOf(multiply[float32]))

func addProductInt[T dtype.Integer](t *table) {
	addProduct(t, multiplyInt[T])
	t[op.AddMM][dtype.Of[T]()] = addMMInt[T]
}

// addProduct gives all products one kernel: they differ in the ranks of their operands alone.
func addProduct[T dtype.Number](t *table, multiply func(a, b factor[T], out []T)) {
	kernel := productOf(multiply)
	for _, o := range []op.Op{op.MM, op.MV, op.Dot, op.BMM} {
		t[o][dtype.Of[T]()] = kernel
	}
}

//go:noinline
func productOf[T dtype.Number](multiply func(a, b factor[T], out []T)) Kernel {
	return func(c *backend.Call) error {
		multiply(left[T](&c.In()[0]), right[T](&c.In()[1]), dense[T](&c.Out()[0]))
		return nil
	}
}

// factor is an operand of a product: count matrices, step elements apart, of any strides.
type factor[T dtype.Element] struct {
	kern.Matrix[T]
	rows, cols, count, step int
}

// left sees a vector as one row.
//
//go:noinline
func left[T dtype.Element](v *backend.View) factor[T] {
	f := right[T](v)
	if v.Layout.Rank() == 1 {
		f.rows, f.cols, f.Matrix = f.cols, f.rows, f.Transposed()
	}
	return f
}

// right sees a vector as one column.
//
//go:noinline
func right[T dtype.Element](v *backend.View) factor[T] {
	shape, strides := v.Layout.Shape(), v.Layout.Strides()
	f := factor[T]{count: 1}
	if len(shape) == 3 {
		f.count, f.step = shape[0], strides[0]
		shape, strides = shape[1:], strides[1:]
	}
	f.rows, f.Row, f.cols = shape[0], strides[0], 1
	if len(shape) == 2 {
		f.cols, f.Col = shape[1], strides[1]
	}
	if v.Layout.Size() > 0 { // the offset of an empty view may be behind its buffer
		f.Data = data[T](v)[v.Layout.Offset:]
	}
	return f
}

func multiply[T dtype.Float](a, b factor[T], out []T) {
	m, k, n := a.rows, a.cols, b.cols
	if roundsProduct[T](m, n, k) {
		for i := range a.count {
			p, q := a.Matrix, b.Matrix
			p.Data, q.Data = p.Data[i*a.step:], q.Data[i*b.step:]
			multiplyRounded(m, n, k, p, q, nil, 0, op.Invalid, out[i*m*n:])
		}
		return
	}
	if a.count == 1 {
		kern.Float[T]().Gemm(m, n, k, 1, a.Matrix, b.Matrix, 0, out, n)
		return
	}
	kern.Float[T]().GemmBatch(a.count, m, n, k, 1, a.Matrix, a.step, b.Matrix, b.step, 0, out, m*n, n)
}

func multiplyInt[T dtype.Integer](a, b factor[T], out []T) {
	m, k, n := a.rows, a.cols, b.cols
	if len(out) == 0 {
		return
	}
	for i := range a.count {
		p, q := a.Matrix, b.Matrix
		if k > 0 {
			p.Data, q.Data = p.Data[i*a.step:], q.Data[i*b.step:]
		}
		kern.MatMulInt(m, n, k, p, q, out[i*m*n:], n)
	}
}

// following takes over the op that follows c where the loops of a product apply it, and returns it.
func following(c *backend.Call) op.Op {
	then := c.Then
	if c.Epilogue != nil || !kern.Follows(then) {
		return op.Invalid
	}
	c.Then = op.Invalid
	return then
}

// addMM is out[m,n] = Beta·in + Alpha·a[m,k]·b[k,n]; in is already broadcast to [m,n].
func addMM[T dtype.Float](c *backend.Call) error {
	p := c.Params.(op.Affine)
	in, a, b := &c.In()[0], left[T](&c.In()[1]), right[T](&c.In()[2])
	m, k, n := a.rows, a.cols, b.cols
	out := dense[T](&c.Out()[0])
	if len(out) == 0 {
		return nil
	}
	if p.Alpha == 1 && p.Beta == 1 && in.Layout.Strides()[1] == 1 { // saves linear/64x128x10 a seventh
		bias, row := data[T](in)[in.Layout.Offset:], in.Layout.Strides()[0]
		if roundsProduct[T](m, n, k) {
			multiplyRounded(m, n, k, a.Matrix, b.Matrix, bias, row, following(c), out)
			return nil
		}
		panels, err := keptPanels(c.Kept, m, n, k, a.Matrix, b.Matrix)
		switch {
		case err != nil:
			return err
		case panels != nil:
			kern.Float[T]().GemmPanels(m, n, k, a.Matrix, panels, bias, row, following(c), out, n)
		default:
			kern.Float[T]().GemmBias(m, n, k, a.Matrix, b.Matrix, bias, row, following(c), out, n)
		}
		return nil
	}
	if err := convert(&c.Out()[0], in); err != nil {
		return err
	}
	kern.Float[T]().Gemm(m, n, k, T(p.Alpha), a.Matrix, b.Matrix, T(p.Beta), out, n)
	return nil
}

// keptPanels returns b as panels that other products share too, nil where it is not kept or the product has no use for them.
func keptPanels[T dtype.Float](kept *backend.Kept, m, n, k int, a, b kern.Matrix[T]) ([]T, error) {
	if kept == nil {
		return nil, nil
	}
	size := kern.Float[T]().PanelsLen(m, n, k, a, b)
	if size == 0 {
		return nil, nil
	}
	if kept.Buf == nil {
		block, err := mem.Alloc(size * dtype.Of[T]().Size())
		if err != nil {
			return nil, err
		}
		kern.Float[T]().Pack(mem.Slice[T](block), n, k, b)
		kept.Buf = block
	}
	return mem.Slice[T](kept.Buf.(*mem.Block))[:size], nil
}

// addMMInt is addMM in wrapping integer arithmetic.
func addMMInt[T dtype.Integer](c *backend.Call) error {
	p := c.Params.(op.Affine)
	in, out := c.In()[0], dense[T](&c.Out()[0])
	var w workspace
	defer w.free()
	if err := w.pack(&in); err != nil {
		return err
	}
	multiplyInt(left[T](&c.In()[1]), right[T](&c.In()[2]), out)
	alpha, beta := T(int64(p.Alpha)), T(int64(p.Beta))
	for i, v := range dense[T](&in) {
		out[i] = beta*v + alpha*out[i]
	}
	return nil
}
