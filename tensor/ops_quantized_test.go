package tensor_test

import (
	"cresset/device"
	"cresset/dtype"
	"cresset/internal/op"
	"cresset/tensor"
)

// quantizedRows multiply with weights of small whole numbers.
var quantizedRows = []opRow{
	quantizedRow("quantized_linear of int8", op.Quantized{Bits: 8}, 3, 5, 70),
	quantizedRow("quantized_linear of int8 and many rows", op.Quantized{Bits: 8}, 3, 11, 70),
	quantizedRow("quantized_linear of int4", op.Quantized{Bits: 4, Group: 32}, 9, 2, 3, 96),
}

// quantizedRow is a row for x of a shape and a weight of n outputs.
func quantizedRow(name string, q op.Quantized, n int, shape ...int) opRow {
	k, groups := shape[len(shape)-1], 1
	if q.Bits == 4 {
		groups = k / q.Group
	}
	w, scale, zero, bias := newArray(n, k), newArray(n, groups), newArray((n+7)/8*8, groups), newArray(n)
	for i := range w.v {
		w.v[i] = float64(i * 7 % 16)
	}
	for i := range scale.v {
		scale.v[i] = float64(1+i%3) / 64
	}
	for i := range zero.v {
		zero.v[i] = float64(i * 5 % 16)
	}
	for i := range bias.v {
		bias.v[i] = float64(i) / 4
	}
	// weights are made once, for they belong to no scope.
	type place struct {
		dev device.Device
		dt  dtype.DType
	}
	made := make(map[place][4]*tensor.Tensor)
	weights := func(dev device.Device, dt dtype.DType) [4]*tensor.Tensor {
		of, done := made[place{dev, dt}]
		if !done {
			of[1], of[3] = scale.tensor(dev, dtype.Float32), bias.tensor(dev, dt)
			if of[0] = w.tensor(dev, dtype.Int8); q.Bits == 4 {
				of[0] = wordsOf(of[0])
				of[2] = wordsOf(zero.tensor(dev, dtype.Int8).T()).T().Contiguous()
			}
			made[place{dev, dt}] = of
		}
		return of
	}
	return opRow{
		name: name,
		f: func(x []*tensor.Tensor) *tensor.Tensor {
			of := weights(x[0].Device(), x[0].DType())
			return inner.QuantizedLinear(x[0], q, of[0], of[1], of[2], of[3])
		},
		in: []arg{{shape: shape}},
		naive: func(x []array) array {
			rows := len(x[0].v) / k
			y := newArray(append(append([]int(nil), x[0].shape[:len(x[0].shape)-1]...), n)...)
			for i := range rows {
				for j := range n {
					sum := bias.v[j]
					for l := range k {
						v, g := *w.at(j, l), 0
						if q.Bits == 4 {
							g = l / q.Group
							v -= *zero.at(j, g)
						}
						sum += x[0].v[i*k+l] * v * *scale.at(j, g)
					}
					y.v[i*n+j] = sum
				}
			}
			return y
		},
		scale: 64, noSpecials: "a row with a number that is not finite is NaN",
		noEmpty: "the weight has a shape of its own",
	}
}

// wordsOf returns words of eight neighbours along the last axis, of four bits each.
func wordsOf(x *tensor.Tensor) *tensor.Tensor {
	shifts := tensor.On(x.Device()).As(dtype.Int32).Arange(0, 32, 4)
	return x.To(dtype.Int32).Unflatten(-1, -1, 8).BitwiseLeftShift(shifts).SumAxes([]int{-1}).To(dtype.Int32)
}
