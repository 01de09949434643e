package cpu

import (
	"cresset/dtype"
	"cresset/internal/backend"
	"cresset/internal/kern"
	"cresset/internal/op"
)

func addConvolutions[T dtype.Float](t *table) {
	dt := dtype.Of[T]()
	t[op.Conv][dt] = rowMajor(conv[T])
	t[op.ConvGradInput][dt] = rowMajor(convGradInput[T])
	t[op.ConvGradWeight][dt] = rowMajor(convGradWeight[T])
}

// addRoundedConvolutions adds those that compute in bfloat16 where the machine can.
func (t *table) addRoundedConvolutions() {
	t[op.Conv][dtype.BFloat16] = rowMajor(orWide(convBF16, t[op.Conv][dtype.Float32]))
	t[op.ConvGradInput][dtype.BFloat16] = rowMajor(orWide(convGradInputBF16, t[op.ConvGradInput][dtype.Float32]))
	t[op.ConvGradWeight][dtype.BFloat16] = rowMajor(orWide(convGradWeightBF16, t[op.ConvGradWeight][dtype.Float32]))
}

// conv is the convolution of x [N, C, H, W] with weights and perhaps a bias, and what follows it.
func conv[T dtype.Float](c *backend.Call) error {
	x, w, y := &c.In()[0], &c.In()[1], &c.Out()[0]
	return kern.Float[T]().Conv2D(convShape(c, x, w, y), dense[T](x), dense[T](w), optional[T](c, 2), following(c), dense[T](y))
}

// convBF16 is conv of bfloat16 on AMX, without what follows.
func convBF16(c *backend.Call) (bool, error) {
	x, w, y := &c.In()[0], &c.In()[1], &c.Out()[0]
	return kern.ConvBF16(convShape(c, x, w, y), dense[dtype.BF16](x), dense[dtype.BF16](w), optional[dtype.BF16](c, 2), dense[dtype.BF16](y))
}

// convGradInputBF16 is convGradInput likewise.
func convGradInputBF16(c *backend.Call) (bool, error) {
	dy, w, dx := &c.In()[0], &c.In()[1], &c.Out()[0]
	return kern.ConvBF16GradInput(convShape(c, dx, w, dy), dense[dtype.BF16](dy), dense[dtype.BF16](w), optional[dtype.BF16](c, 2), dense[dtype.BF16](dx))
}

// convGradWeightBF16 is convGradWeight likewise.
func convGradWeightBF16(c *backend.Call) (bool, error) {
	dy, x, dw := &c.In()[0], &c.In()[1], &c.Out()[0]
	return kern.ConvBF16GradWeight(convShape(c, x, dw, dy), dense[dtype.BF16](x), dense[dtype.BF16](dy), dense[dtype.BF16](dw))
}

// orWide is a kernel of bfloat16 that reports whether it has computed, else that of float32.
func orWide(try func(c *backend.Call) (bool, error), wide Kernel) Kernel {
	otherwise := via(dtype.Float32, wide)
	return func(c *backend.Call) error {
		if done, err := try(c); done || err != nil {
			return err
		}
		return otherwise(c)
	}
}

// convInt is conv of integers, without what follows.
func convInt[T int32 | int64](c *backend.Call) error {
	x, w, y := &c.In()[0], &c.In()[1], &c.Out()[0]
	kern.Conv2DInt(convShape(c, x, w, y), dense[T](x), dense[T](w), optional[T](c, 2), dense[T](y))
	return nil
}

// convTransposeInt is a transposed convolution of integers.
func convTransposeInt(c *backend.Call) error {
	x, w, y := &c.In()[0], &c.In()[1], &c.Out()[0]
	kern.Conv2DGradInputInt(convShape(c, y, w, x), dense[int64](x), dense[int64](w), optional[int64](c, 2), dense[int64](y))
	return nil
}

// convGradInput is the gradient for x, of dy and the weights, plus perhaps a bias: a transposed convolution has one.
func convGradInput[T dtype.Float](c *backend.Call) error {
	dy, w, dx := &c.In()[0], &c.In()[1], &c.Out()[0]
	return kern.Float[T]().Conv2DGradInput(convShape(c, dx, w, dy), dense[T](dy), dense[T](w), optional[T](c, 2), dense[T](dx))
}

// convGradWeight is the gradient for the weights, of dy and x.
func convGradWeight[T dtype.Float](c *backend.Call) error {
	dy, x, dw := &c.In()[0], &c.In()[1], &c.Out()[0]
	return kern.Float[T]().Conv2DGradWeight(convShape(c, x, dw, dy), dense[T](x), dense[T](dy), dense[T](dw))
}

// convShape describes the convolution of x with w to y.
func convShape(c *backend.Call, x, w, y *backend.View) *kern.ConvShape {
	p := c.Params.(op.Window)
	in, weight, out := x.Layout.Shape(), w.Layout.Shape(), y.Layout.Shape()
	return &kern.ConvShape{
		N: in[0], C: in[1], H: in[2], W: in[3],
		K: weight[0], R: weight[2], S: weight[3],
		StrideH: p.Stride[0], StrideW: p.Stride[1],
		PadH: p.Padding[0], PadW: p.Padding[1],
		DilationH: p.Dilation[0], DilationW: p.Dilation[1],
		Groups: p.Groups,
		OH:     out[2], OW: out[3],
		Fast: p.Fast,
	}
}
