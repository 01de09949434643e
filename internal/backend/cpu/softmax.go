package cpu

import (
	"cresset/dtype"
	"cresset/internal/backend"
	"cresset/internal/kern"
	"cresset/internal/layout"
	"cresset/internal/op"
)

func addSoftmax[T dtype.Float](t *table) {
	dt := dtype.Of[T]()
	t[op.Softmax][dt] = alongAxis(kern.Float[T]().Softmax)
	t[op.LogSoftmax][dt] = alongAxis(kern.Float[T]().LogSoftmax)
	t[op.SoftmaxGrad][dt] = alongAxisGrad(kern.Float[T]().SoftmaxBackward)
	t[op.LogSoftmaxGrad][dt] = alongAxisGrad(kern.Float[T]().LogSoftmaxBackward)
}

// alongAxis makes a kernel of a loop that maps runs along one axis to runs of the same length.
//
//go:noinline
func alongAxis[D, S dtype.Element](loop func(outer, n, inner int, x []S, y []D) error) Kernel {
	return rowMajor(func(c *backend.Call) error {
		in := &c.In()[0]
		outer, n, inner := layout.Around(in.Layout.Shape(), c.Params.(op.Axis).Axis)
		return loop(outer, n, inner, dense[S](in), dense[D](&c.Out()[0])) // the result is fresh
	})
}

// alongAxisGrad makes a kernel of the gradient of such a loop, of dy and the result y.
//
//go:noinline
func alongAxisGrad[T dtype.Float](loop func(outer, n, inner int, dy, y, dx []T) error) Kernel {
	return rowMajor(func(c *backend.Call) error {
		dy, y := &c.In()[0], &c.In()[1]
		outer, n, inner := layout.Around(dy.Layout.Shape(), c.Params.(op.Axis).Axis)
		return loop(outer, n, inner, dense[T](dy), dense[T](y), dense[T](&c.Out()[0]))
	})
}
