package cpu

import (
	"cresset/dtype"
	"cresset/internal/backend"
	"cresset/internal/kern"
	"cresset/internal/op"
)

func (t *table) addProducts() {
	addProductFloat[float32](t)
	addProductFloat[float64](t)
}

func addProductFloat[T dtype.Float](t *table) {
	dt := dtype.Of[T]()
	t[op.MM][dt] = mm[T]
	t[op.AddMM][dt] = addMM[T]
}

// matrix describes a view of rank 2 to the product kernels, whatever its strides.
func matrix[T dtype.Float](v *backend.View) kern.Matrix[T] {
	return kern.Matrix[T]{Data: data[T](v)[v.Layout.Offset:], Row: v.Layout.Strides[0], Col: v.Layout.Strides[1]}
}

// mm is out[m,n] = a[m,k] · b[k,n].
func mm[T dtype.Float](c *backend.Call) error {
	a, b := &c.In()[0], &c.In()[1]
	m, k, n := a.Layout.Shape[0], a.Layout.Shape[1], b.Layout.Shape[1]
	kern.Gemm(m, n, k, 1, matrix[T](a), matrix[T](b), 0, dense[T](&c.Out()[0]), max(n, 1))
	return nil
}

// addMM is out[m,n] = Beta·in + Alpha·a[m,k]·b[k,n]; in is already broadcast to [m,n].
func addMM[T dtype.Float](c *backend.Call) error {
	p := c.Params.(op.Affine)
	in, a, b := &c.In()[0], &c.In()[1], &c.In()[2]
	m, k, n := a.Layout.Shape[0], a.Layout.Shape[1], b.Layout.Shape[1]
	out := dense[T](&c.Out()[0])
	if p.Alpha == 1 && p.Beta == 1 && in.Layout.Strides[0] == 0 && in.Layout.Strides[1] == 1 {
		at := in.Layout.Offset
		kern.GemmBias(m, n, k, matrix[T](a), matrix[T](b), data[T](in)[at:at+n], out, max(n, 1))
		return nil
	}
	copy(out, packed[T](in))
	kern.Gemm(m, n, k, T(p.Alpha), matrix[T](a), matrix[T](b), T(p.Beta), out, max(n, 1))
	return nil
}
