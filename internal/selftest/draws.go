package selftest

import (
	"fmt"
	"math"

	"cresset/device"
	"cresset/dtype"
	"cresset/tensor"
)

// A draw fills a tensor with random numbers, whose range and mean are known. For numbers that are cut or rounded the range is wide.
type draw struct {
	name       string
	dtypes     []dtype.DType
	fill       func(x *tensor.Tensor, g *tensor.Generator) *tensor.Tensor
	low, high  float64
	mean, sdev float64
}

var drawn = []draw{
	{"uniform", floats, func(x *tensor.Tensor, g *tensor.Generator) *tensor.Tensor { return x.UniformInPlace(-1, 3, g) }, -1, 3, 1, 1.155},
	{"normal", floats, func(x *tensor.Tensor, g *tensor.Generator) *tensor.Tensor { return x.NormalInPlace(2, 3, g) }, -20, 24, 2, 3},
	{"exponential", floats, func(x *tensor.Tensor, g *tensor.Generator) *tensor.Tensor { return x.ExponentialInPlace(2, g) }, 0, 16, 0.5, 0.5},
	{"bernoulli", each, func(x *tensor.Tensor, g *tensor.Generator) *tensor.Tensor { return x.BernoulliInPlace(0.3, g) }, 0, 1, 0.3, 0.46},
	{"randint", each[:9], func(x *tensor.Tensor, g *tensor.Generator) *tensor.Tensor { return x.RandIntInPlace(2, 12, g) }, 2, 11, 6.5, 2.9},
	{"randint of bools", []dtype.DType{dtype.Bool}, func(x *tensor.Tensor, g *tensor.Generator) *tensor.Tensor { return x.RandIntInPlace(0, 2, g) }, 0, 1, 0.5, 0.5},
	{"bernoulli of each", floats, func(x *tensor.Tensor, g *tensor.Generator) *tensor.Tensor {
		return tensor.Bernoulli(x.FillInPlace(0.25), g)
	}, 0, 1, 0.25, 0.44},
	{"dropout", floats, func(x *tensor.Tensor, g *tensor.Generator) *tensor.Tensor { return x.FillInPlace(1).Dropout(0.5, g) }, 0, 2, 1, 1},
	{"gradient of dropout", floats, func(x *tensor.Tensor, g *tensor.Generator) *tensor.Tensor {
		x = x.FillInPlace(1).Detach().SetRequiresGrad(true)
		x.Dropout(0.5, g).Backward(tensor.Gradient(tensor.OnesLike(x)))
		return x.Grad()
	}, 0, 2, 1, 1},
	{"dropout and its gradient, added to float32", []dtype.DType{dtype.Float16, dtype.BFloat16}, func(x *tensor.Tensor, g *tensor.Generator) *tensor.Tensor {
		x = x.FillInPlace(1).Detach().SetRequiresGrad(true)
		y := inner.DropoutAdded(x, 0.5, x.Detach().Float(), g)
		y.Backward(tensor.Gradient(tensor.OnesLike(y)))
		return y.Detach().Add(x.Grad())
	}, 1, 5, 3, 2},
}

// draws has a check for each kind of random number and each dtype.
func draws() []Check {
	var checks []Check
	for _, d := range drawn {
		for _, dt := range d.dtypes {
			checks = append(checks, Check{"random numbers", d.name, dt, func(dev device.Device) error { return d.check(dev, dt) }})
		}
	}
	return checks
}

// check wants the same numbers of the same seed, others of another, all in the range, and their mean within five of its deviations.
func (d draw) check(dev device.Device, dt dtype.DType) error {
	const n = 10007
	of := func(seed int64) *tensor.Tensor {
		return d.fill(tensor.On(dev).As(dt).Empty(n), tensor.NewGeneratorOn(dev, seed))
	}
	first := of(1)
	if !first.Equal(of(1)) {
		return fmt.Errorf("two draws of one seed differ")
	}
	if first.Equal(of(2)) {
		return fmt.Errorf("draws of two seeds are the same")
	}
	sum := 0.0
	for i, v := range numbers(first) {
		if !(v >= d.low && v <= d.high) {
			return fmt.Errorf("element %d is %v, outside of [%v, %v]", i, v, d.low, d.high)
		}
		sum += v
	}
	if off := math.Abs(sum/n - d.mean); off > 5*d.sdev/math.Sqrt(n)+epsilons[dt] {
		return fmt.Errorf("the mean is %v, want %v", sum/n, d.mean)
	}
	return nil
}
