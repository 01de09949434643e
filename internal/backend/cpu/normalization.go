package cpu

import (
	"cresset/dtype"
	"cresset/internal/backend"
	"cresset/internal/kern"
	"cresset/internal/op"
)

func addNormalizations[T dtype.Float](t *table) {
	dt := dtype.Of[T]()
	t[op.BatchNorm][dt] = rowMajor(batchNorm[T])
	t[op.BatchNormGrad][dt] = rowMajor(batchNormGrad[T])
	t[op.GroupNorm][dt] = rowMajor(groupNorm[T])
	t[op.LayerNorm][dt] = rowMajor(layerNorm[T])
	t[op.LayerNormGrad][dt] = rowMajor(layerNormGrad[T])
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

// layerNorm writes y, mean and 1/√(variance + eps) of x, weight and bias.
func layerNorm[T dtype.Float](c *backend.Call) error {
	p, x, outs := c.Params.(op.Normalize), &c.In()[0], c.Out()
	rows, cols := rowsOf(x, p.Axes)
	kern.Float[T]().LayerNorm(rows, cols, dense[T](x), optional[T](c, 1), optional[T](c, 2), p.Eps,
		dense[T](&outs[0]), dense[T](&outs[1]), dense[T](&outs[2]))
	return nil
}

// layerNormGrad writes the gradients for x and, where out[1] and out[2] are given, for weight and bias, of dy, x, weight,
// mean and 1/√(variance + eps).
func layerNormGrad[T dtype.Float](c *backend.Call) error {
	in, outs := c.In(), c.Out()
	rows, cols := rowsOf(&in[1], c.Params.(op.Normalize).Axes)
	var dweight, dbias []T
	if len(outs) > 1 {
		dweight, dbias = dense[T](&outs[1]), dense[T](&outs[2])
	}
	kern.Float[T]().LayerNormBackward(rows, cols, dense[T](&in[0]), dense[T](&in[1]), optional[T](c, 2), dense[T](&in[3]), dense[T](&in[4]),
		dense[T](&outs[0]), dweight, dbias)
	return nil
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
