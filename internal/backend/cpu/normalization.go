package cpu

import (
	"cresset/dtype"
	"cresset/internal/backend"
	"cresset/internal/kern"
	"cresset/internal/layout"
	"cresset/internal/op"
)

func addNormalizations[T dtype.Float](t *table) {
	dt := dtype.Of[T]()
	t[op.BatchNorm][dt] = rowMajor(batchNorm[T])
	t[op.BatchNormGrad][dt] = rowMajor(batchNormGrad[T])
	t[op.GroupNorm][dt] = rowMajor(groupNorm[T])
	t[op.GroupNormGrad][dt] = rowMajor(groupNormGrad[T])
	for _, o := range []op.Op{op.LayerNorm, op.RMSNorm} {
		t[o][dt] = rowMajor(layerNorm[T])
	}
	for _, o := range []op.Op{op.LayerNormGrad, op.RMSNormGrad} {
		t[o][dt] = rowMajor(layerNormGrad[T])
	}
}

// batchNorm writes y, mean and 1/√(variance + eps) of x, weight and bias. In training these are the batch's, which
// update the running ones in out[3] and out[4] where given; in evaluation in[3] and in[4] hold mean and variance.
func batchNorm[T dtype.Float](c *backend.Call) error {
	p := c.Params.(op.Normalize)
	in, outs := &c.In()[0], c.Out()
	s, x := channelsOf(in.Layout.Shape()), dense[T](in)
	mean, invstd := dense[T](&outs[1]), dense[T](&outs[2])
	if p.Training {
		if err := batchMoments(c, s, x, mean, invstd); err != nil {
			return err
		}
	} else {
		copy(mean, dense[T](&c.In()[3]))
		kern.InvStd(dense[T](&c.In()[4]), p.Eps, invstd)
	}
	kern.Float[T]().BatchNorm(s, x, mean, invstd, optional[T](c, 1), optional[T](c, 2), dense[T](&outs[0]))
	return nil
}

// batchMoments computes the moments of a batch in training, and updates the running ones where they are given.
func batchMoments[T dtype.Float](c *backend.Call, s kern.ChannelShape, x, mean, invstd []T) error {
	p := c.Params.(op.Normalize)
	if len(c.Out()) <= 3 {
		kern.Float[T]().BatchNormMoments(s, x, p.Eps, mean, invstd, nil)
		return nil
	}
	var w workspace
	defer w.free()
	var variance backend.View
	if err := w.like(&variance, c.Out()[1].Layout.Shape(), c.DType); err != nil {
		return err
	}
	runningMean, runningVar := c.Out()[3], c.Out()[4]
	for _, v := range []*backend.View{&runningMean, &runningVar} {
		if err := w.pack(v); err != nil {
			return err
		}
	}
	unbiased := dense[T](&variance)
	kern.Float[T]().BatchNormMoments(s, x, p.Eps, mean, invstd, unbiased)
	follow(dense[T](&runningMean), mean, p.Momentum)
	follow(dense[T](&runningVar), unbiased, p.Momentum)
	if err := unpack(&c.Out()[3], &runningMean); err != nil {
		return err
	}
	return unpack(&c.Out()[4], &runningVar)
}

// follow updates running moments by those of a batch: running = momentum·batch + (1 - momentum)·running.
func follow[T dtype.Float](running, batch []T, momentum float64) {
	for i, b := range batch {
		running[i] = T(float64(momentum*float64(b)) + float64((1-momentum)*float64(running[i])))
	}
}

// batchNormGrad writes the gradients for x, weight and bias, of dy, x, weight, mean and 1/√(variance + eps).
func batchNormGrad[T dtype.Float](c *backend.Call) error {
	in, outs := c.In(), c.Out()
	kern.Float[T]().BatchNormBackward(channelsOf(in[1].Layout.Shape()), c.Params.(op.Normalize).Training,
		dense[T](&in[0]), dense[T](&in[1]), optional[T](c, 2), dense[T](&in[3]), dense[T](&in[4]),
		dense[T](&outs[0]), dense[T](&outs[1]), dense[T](&outs[2]))
	return nil
}

// groupNorm writes y, mean and 1/√(variance + eps) of x, weight and bias.
func groupNorm[T dtype.Float](c *backend.Call) error {
	p, x, outs := c.Params.(op.Normalize), &c.In()[0], c.Out()
	kern.Float[T]().GroupNorm(channelsOf(x.Layout.Shape()), p.Groups, dense[T](x), optional[T](c, 1), optional[T](c, 2), p.Eps,
		dense[T](&outs[0]), dense[T](&outs[1]), dense[T](&outs[2]))
	return nil
}

// groupNormGrad writes the gradients for x and, where out[1] and out[2] are given, for weight and bias, of dy, x, weight, mean and
// 1/√(variance + eps).
func groupNormGrad[T dtype.Float](c *backend.Call) error {
	p, in := c.Params.(op.Normalize), c.In()
	s := channelsOf(in[1].Layout.Shape())
	var w workspace
	defer w.free()
	var sums backend.View
	if err := w.like(&sums, layout.Shape{s.N, s.C, 2}, dtype.Float64); err != nil {
		return err
	}
	kern.Float[T]().GroupNormBackward(s, p.Groups, dense[T](&in[0]), dense[T](&in[1]), optional[T](c, 2),
		dense[T](&in[3]), dense[T](&in[4]), result[T](c, 0), result[T](c, 1), result[T](c, 2), dense[float64](&sums))
	return nil
}

// layerNorm writes y, mean and 1/√(variance + eps) of x, weight and bias; RMSNorm has no mean. Where in[3] is given, it is added to x first, and
// the sum is written last.
func layerNorm[T dtype.Float](c *backend.Call) error {
	p, x, outs := c.Params.(op.Normalize), &c.In()[0], c.Out()
	rows, cols := rowsOf(x, p.Axes)
	figures := 2
	var mean []T
	if c.Op == op.LayerNorm {
		figures, mean = 3, dense[T](&outs[1])
	}
	kern.Float[T]().LayerNorm(rows, cols, dense[T](x), optional[T](c, 3), result[T](c, figures), optional[T](c, 1), optional[T](c, 2), p.Eps,
		dense[T](&outs[0]), mean, dense[T](&outs[figures-1]))
	return nil
}

// layerNormGrad writes the gradients for x and, where further results are given, for weight and bias, of dy, x, weight, mean and
// 1/√(variance + eps); RMSNorm has neither mean nor bias. Where in[5] is given, it is added to the gradient for x.
func layerNormGrad[T dtype.Float](c *backend.Call) error {
	in := c.In()
	rows, cols := rowsOf(&in[1], c.Params.(op.Normalize).Axes)
	kern.Float[T]().LayerNormBackward(rows, cols, dense[T](&in[0]), dense[T](&in[1]), optional[T](c, 2), optional[T](c, 3), dense[T](&in[4]),
		optional[T](c, 5), result[T](c, 0), result[T](c, 1), result[T](c, 2))
	return nil
}

// result returns the elements of out[i], nil where there are not so many.
func result[T dtype.Float](c *backend.Call, i int) []T {
	if len(c.Out()) <= i {
		return nil
	}
	return dense[T](&c.Out()[i])
}

// rowsOf sees the last axes of a view as rows.
func rowsOf(v *backend.View, axes int) (rows, cols int) {
	shape := v.Layout.Shape()
	rows, cols = 1, 1
	for i, d := range shape {
		if i < len(shape)-axes {
			rows *= d
		} else {
			cols *= d
		}
	}
	return rows, cols
}
