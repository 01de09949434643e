package cpu

import (
	"cresset/dtype"
	"cresset/internal/backend"
	"cresset/internal/kern"
	"cresset/internal/layout"
	"cresset/internal/op"
)

func addPools[T dtype.Float](t *table) {
	dt := dtype.Of[T]()
	t[op.Interpolate][dt] = rowMajor(resample[T])
	t[op.MaxPool2D][dt] = rowMajor(maxPool[T])
	t[op.MaxPool2DGrad][dt] = rowMajor(maxPoolGrad[T])
	t[op.AdaptiveMaxPool2D][dt] = rowMajor(maxPool[T])
	t[op.AdaptiveMaxPool2DGrad][dt] = rowMajor(maxPoolGrad[T])
	t[op.AvgPool2D][dt] = pool(func(s *kern.PoolShape, p op.Window, x, y []T) { kern.Float[T]().AvgPool2D(s, counts(p), x, y) })
	t[op.AvgPool2DGrad][dt] = poolGrad(func(s *kern.PoolShape, p op.Window, dy, dx []T) error {
		return kern.Float[T]().AvgPool2DBackward(s, counts(p), dy, dx)
	})
	t[op.AdaptiveAvgPool2D][dt] = pool(func(s *kern.PoolShape, _ op.Window, x, y []T) { kern.Float[T]().AdaptiveAvgPool2D(s, x, y) })
	t[op.AdaptiveAvgPool2DGrad][dt] = poolGrad(func(s *kern.PoolShape, _ op.Window, dy, dx []T) error {
		return kern.Float[T]().AdaptiveAvgPool2DBackward(s, dy, dx)
	})
}

// addIntegerWindows adds the convolutions and pools of integers that PyTorch's CPU has.
func (t *table) addIntegerWindows() {
	t[op.Conv][dtype.Int32], t[op.Conv][dtype.Int64] = rowMajor(convInt[int32]), rowMajor(convInt[int64])
	t[op.ConvGradInput][dtype.Int64] = rowMajor(convTransposeInt)
	t[op.AvgPool2D][dtype.Int64] = pool(func(s *kern.PoolShape, p op.Window, x, y []int64) { kern.AvgPool2DInt(s, counts(p), x, y) })
	addMaxPoolInt[uint8](t)
	addMaxPoolInt[int8](t)
	addMaxPoolInt[int16](t)
	addMaxPoolInt[int32](t)
	addMaxPoolInt[int64](t)
}

func addMaxPoolInt[T dtype.Integer](t *table) {
	t[op.MaxPool2D][dtype.Of[T]()] = rowMajor(func(c *backend.Call) error {
		x, y := &c.In()[0], &c.Out()[0]
		kern.MaxPool2DInt(poolShape(c.Params.(op.Window), x.Layout.Shape(), y.Layout.Shape()), dense[T](x), dense[T](y), poolIndex(c))
		return nil
	})
}

// poolIndex is where a pool writes the indices of the largest elements, nil where they are not wanted.
func poolIndex(c *backend.Call) []int64 {
	if len(c.Out()) == 1 {
		return nil
	}
	return dense[int64](&c.Out()[1])
}

// pool makes a kernel of a loop from the last two axes of in[0] to those of out[0].
//
//go:noinline
func pool[T dtype.Float | int64](loop func(s *kern.PoolShape, p op.Window, x, y []T)) Kernel {
	return rowMajor(func(c *backend.Call) error {
		x, y := &c.In()[0], &c.Out()[0]
		if y.Layout.Size() == 0 {
			return nil // whatever its extents, which may be huge
		}
		p := c.Params.(op.Window)
		loop(poolShape(p, x.Layout.Shape(), y.Layout.Shape()), p, dense[T](x), dense[T](y))
		return nil
	})
}

// poolGrad makes a kernel of the gradient of such a loop, from dy to dx.
//
//go:noinline
func poolGrad[T dtype.Float](loop func(s *kern.PoolShape, p op.Window, dy, dx []T) error) Kernel {
	return rowMajor(func(c *backend.Call) error {
		dy, dx := &c.In()[0], &c.Out()[0]
		if dy.Layout.Size() == 0 {
			clear(dense[T](dx))
			return nil
		}
		p := c.Params.(op.Window)
		return loop(poolShape(p, dx.Layout.Shape(), dy.Layout.Shape()), p, dense[T](dy), dense[T](dx))
	})
}

// counts says what divides the sum of a window.
func counts(p op.Window) kern.Counts { return kern.Counts{Padding: p.CountPadding, All: p.Divisor} }

// maxPool writes the largest element of each window to out[0] and its index in its plane to out[1], where there is one.
func maxPool[T dtype.Float](c *backend.Call) error {
	x, y := &c.In()[0], &c.Out()[0]
	s := poolShape(c.Params.(op.Window), x.Layout.Shape(), y.Layout.Shape())
	index := poolIndex(c)
	if c.Op == op.AdaptiveMaxPool2D {
		kern.Float[T]().AdaptiveMaxPool2D(s, dense[T](x), dense[T](y), index)
		return nil
	}
	kern.Float[T]().MaxPool2D(s, dense[T](x), dense[T](y), index)
	return nil
}

// maxPoolGrad is the gradient for x, of dy and the indices of the largest elements.
func maxPoolGrad[T dtype.Float](c *backend.Call) error {
	dy, dx := &c.In()[0], &c.Out()[0]
	s := poolShape(c.Params.(op.Window), dx.Layout.Shape(), dy.Layout.Shape())
	kern.Float[T]().MaxPool2DBackward(s, dense[T](dy), dense[int64](&c.In()[1]), dense[T](dx))
	return nil
}

// poolShape describes pooling from one shape to another; all axes but the last two count as planes.
func poolShape(p op.Window, in, out layout.Shape) *kern.PoolShape {
	last := len(in) - 2
	planes := 1
	for _, d := range in[:last] {
		planes *= d
	}
	return &kern.PoolShape{
		Planes: planes, H: in[last], W: in[last+1],
		R: p.Kernel[0], S: p.Kernel[1],
		StrideH: p.Stride[0], StrideW: p.Stride[1],
		PadH: p.Padding[0], PadW: p.Padding[1],
		DilationH: p.Dilation[0], DilationW: p.Dilation[1],
		OH: out[last], OW: out[last+1],
	}
}
