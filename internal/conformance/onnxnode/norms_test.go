package onnxnode

import (
	"cresset/dtype"
	"cresset/tensor"
)

// norms bring elements to mean 0 and variance 1, or lines to length 1.
var norms = map[string]operator{
	"BatchNormalization": batchNorm,
	"InstanceNormalization": func(n *node) []*tensor.Tensor {
		return one(n.input(0).InstanceNorm(n.input(1), n.input(2), nil, nil, tensor.Eps(n.float("epsilon", 1e-5))))
	},
	"GroupNormalization": func(n *node) []*tensor.Tensor {
		x, groups, eps := n.input(0), n.integer("num_groups", 1), tensor.Eps(n.float("epsilon", 1e-5))
		scale, bias := n.input(1), n.input(2)
		if scale.NumEl() != x.Size(1) { // before version 21 they are of groups
			each := x.Size(1) / groups
			scale, bias = scale.RepeatInterleave(each, 0), bias.RepeatInterleave(each, 0)
		}
		return one(x.GroupNorm(groups, scale, bias, eps))
	},
	"LayerNormalization":        layerNorm,
	"RMSNormalization":          rmsNorm,
	"MeanVarianceNormalization": meanVariance,
	"LpNormalization": func(n *node) []*tensor.Tensor {
		return one(n.input(0).Normalize(float64(n.integer("p", 2)), n.integer("axis", -1)))
	},
	"LRN": func(n *node) []*tensor.Tensor {
		return one(n.input(0).LocalResponseNorm(n.integer("size", 1), tensor.Alpha(n.float("alpha", 1e-4)), tensor.Beta(n.float("beta", 0.75)),
			tensor.K(n.float("bias", 1))))
	},
	"QuantizeLinear":        quantizeLinear,
	"DequantizeLinear":      dequantizeLinear,
	"DynamicQuantizeLinear": dynamicQuantize,
	"QLinearMatMul":         qLinearMatMul,
	"QLinearConv":           qLinearConv,
}

func batchNorm(n *node) []*tensor.Tensor {
	x, mean, variance := n.input(0), n.input(3).Clone(), n.input(4).Clone()
	eps := tensor.Eps(n.float("epsilon", 1e-5))
	if !n.flag("training_mode", 0) {
		return one(x.BatchNorm(n.input(1), n.input(2), mean, variance, eps))
	}
	y := x.BatchNorm(n.input(1), n.input(2), nil, nil, eps, tensor.Training(true))
	axes := append([]int{0}, pixels(x)...)
	keep := n.float("momentum", 0.9)
	follow := func(running, batch *tensor.Tensor) *tensor.Tensor {
		return running.MulScalar(keep).Add(batch.MulScalar(1 - keep))
	}
	return []*tensor.Tensor{y, follow(mean, x.MeanAxes(axes)), follow(variance, x.VarAxes(axes, tensor.Correction(0)))}
}

func layerNorm(n *node) []*tensor.Tensor {
	x := n.input(0)
	axis := bound(n.integer("axis", -1), x.Dim())
	if n.integer("axis", -1) < 0 {
		axis = x.Dim() + n.integer("axis", -1)
	}
	eps := n.float("epsilon", 1e-5)
	shape := x.Shape()[axis:]
	fit := func(t *tensor.Tensor) *tensor.Tensor {
		if t == nil {
			return nil
		}
		return tensor.BroadcastTensors(t, tensor.Empty(shape...))[0].Contiguous()
	}
	y := x.LayerNorm(shape, fit(n.input(1)), fit(n.input(2)), tensor.Eps(eps))
	axes := everyAxis(x)[axis:]
	mean := x.MeanAxes(axes, true)
	return []*tensor.Tensor{y, mean, x.VarAxes(axes, tensor.Correction(0), tensor.KeepDim(true)).AddScalar(eps).Rsqrt()}
}

func rmsNorm(n *node) []*tensor.Tensor {
	x := n.input(0)
	axis := n.integer("axis", -1)
	if axis < 0 {
		axis += x.Dim()
	}
	shape := x.Shape()[axis:]
	weight := tensor.BroadcastTensors(n.input(1), tensor.Empty(shape...))[0].Contiguous()
	return one(x.RMSNorm(shape, weight, tensor.Eps(n.float("epsilon", 1e-5))))
}

func meanVariance(n *node) []*tensor.Tensor {
	x, axes := n.input(0), n.ints("axes", 0, 2, 3)
	centered := x.Sub(x.MeanAxes(axes, true))
	return one(centered.Div(centered.Square().MeanAxes(axes, true).Sqrt().AddScalar(1e-9)))
}

// limits of the bytes that numbers are quantized to.
var limits = map[dtype.DType][2]int{dtype.Uint8: {0, 255}, dtype.Int8: {-128, 127}, dtype.Int16: {-32768, 32767}}

// spread gives scales and zero points the shape of x: one for all, for each element of an axis, or for blocks of one.
func spread(n *node, t, x *tensor.Tensor) *tensor.Tensor {
	axis := n.integer("axis", 1)
	if axis < 0 {
		axis += x.Dim()
	}
	switch block := n.integer("block_size", 0); {
	case block > 0:
		return t.RepeatInterleave(block, axis).Narrow(axis, 0, x.Size(axis))
	case t.Dim() == 1 && t.NumEl() > 1:
		return t.View(lined(x.Dim(), axis, t.NumEl())...)
	}
	return t
}

func quantize(x, scale, zero *tensor.Tensor, dt dtype.DType) *tensor.Tensor {
	y := x.Div(scale).Round()
	if zero != nil {
		y = y.Add(zero.To(y.DType()))
	}
	return y.Clamp(limits[dt][0], limits[dt][1]).To(dt)
}

func quantizeLinear(n *node) []*tensor.Tensor {
	x := n.input(0)
	dt, zero := dtype.Uint8, (*tensor.Tensor)(nil)
	if n.has(2) {
		zero = spread(n, n.input(2), x)
		dt = zero.DType()
	} else if n.given("output_dtype") {
		dt = dtypes[n.integer("output_dtype", 2)]
	}
	return one(quantize(x, spread(n, n.input(1), x), zero, dt))
}

func dequantize(x, scale, zero *tensor.Tensor) *tensor.Tensor {
	y := x.Double()
	if zero != nil {
		y = y.Sub(zero.Double())
	}
	return y.Mul(scale.Double())
}

func dequantizeLinear(n *node) []*tensor.Tensor {
	x, zero := n.input(0), n.input(2)
	if zero != nil {
		zero = spread(n, zero, x)
	}
	return one(dequantize(x, spread(n, n.input(1), x), zero).To(n.input(1).DType()))
}

func dynamicQuantize(n *node) []*tensor.Tensor {
	x := n.input(0)
	low, high := x.Min().Clamp(nil, 0), x.Max().Clamp(0, nil)
	scale := high.Sub(low).DivScalar(255)
	zero := low.Div(scale).Neg().Round().Clamp(0, 255).To(dtype.Uint8)
	return []*tensor.Tensor{quantize(x, scale, zero, dtype.Uint8), scale, zero}
}

func qLinearMatMul(n *node) []*tensor.Tensor {
	a, b := dequantize(n.input(0), n.input(1), n.input(2)), dequantize(n.input(3), n.input(4), n.input(5))
	return one(quantize(a.MatMul(b), n.input(6).Double(), n.input(7), n.input(7).DType()))
}

func qLinearConv(n *node) []*tensor.Tensor {
	x := dequantize(n.input(0), n.input(1), n.input(2))
	each := func(t *tensor.Tensor) *tensor.Tensor { return t.View(lined(n.input(3).Dim(), 0, t.NumEl())...) }
	w := dequantize(n.input(3), each(n.input(4)), each(n.input(5)))
	return one(quantize(convolve(n, x, w, nil), n.input(6).Double(), n.input(7), n.input(7).DType()))
}
