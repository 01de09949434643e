// Package nninit draws the initial values of parameters, as torch.nn.init does: in place, unrecorded, with PyTorch's numbers for
// a seed. Each function returns its tensor.
//
//	for name, p := range nn.Parameters(net) {
//		if strings.HasSuffix(name, "weight") {
//			nninit.KaimingNormal(p, nninit.FanOut, nninit.ReLU)
//		}
//	}
package nninit

import (
	"errors"
	"math"
	"slices"

	"cresset/tensor"
)

// Uniform draws t from U(from, to).
func Uniform(t *tensor.Tensor, from, to float64, g ...*tensor.Generator) *tensor.Tensor {
	t.Detach().UniformInPlace(from, to, g...)
	return t
}

// Normal draws t from the normal distribution.
func Normal(t *tensor.Tensor, mean, std float64, g ...*tensor.Generator) *tensor.Tensor {
	t.Detach().NormalInPlace(mean, std, g...)
	return t
}

// Constant fills t with v.
func Constant(t *tensor.Tensor, v any) *tensor.Tensor {
	t.Detach().FillInPlace(v)
	return t
}

// Ones fills t with 1.
func Ones(t *tensor.Tensor) *tensor.Tensor { return Constant(t, 1) }

// Zeros fills t with 0.
func Zeros(t *tensor.Tensor) *tensor.Tensor { return Constant(t, 0) }

// Eye makes t [n, m] the identity matrix. It panics where t has another number of axes.
func Eye(t *tensor.Tensor) *tensor.Tensor {
	matrix(t)
	t.Detach().CopyInPlace(tensor.Like(t).Eye(t.Size(0), t.Size(1)))
	return t
}

// Dirac makes the convolution with the weight t [out, in, ...] of one to three axes the identity on as many channels as there
// are, in each of groups groups of output channels.
func Dirac(t *tensor.Tensor, groups int) *tensor.Tensor {
	switch {
	case t.Dim() < 3 || t.Dim() > 5:
		refuse("Only tensors with 3, 4, or 5 dimensions are supported")
	case groups < 1 || t.Size(0)%groups != 0:
		refuse("dim 0 must be divisible by groups")
	}
	Zeros(t)
	perGroup := t.Size(0) / groups
	for out := range t.Size(0) {
		in := out % perGroup
		if in >= t.Size(1) {
			continue
		}
		at := t.Detach().Select(0, out).Select(0, in)
		for at.Dim() > 0 {
			at = at.Select(0, at.Size(0)/2)
		}
		at.FillInPlace(1)
	}
	return t
}

// XavierUniform draws t [out, in, ...] from U(-a, a) with a = Gain·√(6/(fanIn+fanOut)). It takes Gain and With.
func XavierUniform(t *tensor.Tensor, opts ...GainOption) *tensor.Tensor {
	o := readGain(opts)
	bound := math.Sqrt(3) * o.xavier(t)
	return Uniform(t, -bound, bound, o.generator)
}

// XavierNormal draws t [out, in, ...] from the normal distribution of mean 0 and standard deviation Gain·√(2/(fanIn+fanOut)).
// It takes Gain and With.
func XavierNormal(t *tensor.Tensor, opts ...GainOption) *tensor.Tensor {
	o := readGain(opts)
	return Normal(t, 0, o.xavier(t), o.generator)
}

func (o *options) xavier(t *tensor.Tensor) float64 {
	in, out := fans(t)
	return o.gain * math.Sqrt(2/float64(in+out))
}

// KaimingUniform draws t [out, in, ...] from U(-a, a) with a = √3·gain/√fan: gain is CalculateGain of the Nonlinearity, LeakyReLU
// unless given, with Slope, 0 unless given; fan is FanIn unless FanOut is given. It takes With too.
func KaimingUniform(t *tensor.Tensor, opts ...KaimingOption) *tensor.Tensor {
	if t.NumEl() == 0 {
		return t
	}
	o := readKaiming(opts)
	bound := math.Sqrt(3) * o.kaiming(t)
	return Uniform(t, -bound, bound, o.generator)
}

// KaimingNormal draws t [out, in, ...] from the normal distribution of mean 0 and standard deviation gain/√fan, both as for
// KaimingUniform.
func KaimingNormal(t *tensor.Tensor, opts ...KaimingOption) *tensor.Tensor {
	if t.NumEl() == 0 {
		return t
	}
	o := readKaiming(opts)
	return Normal(t, 0, o.kaiming(t), o.generator)
}

func (o *options) kaiming(t *tensor.Tensor) float64 {
	if o.fan != FanIn && o.fan != FanOut {
		refuse("Mode " + string(o.fan) + " not supported, please use one of ['fan_in', 'fan_out']")
	}
	fan, out := fans(t)
	if o.fan == FanOut {
		fan = out
	}
	return CalculateGain(o.nonlinearity, o.slope) / math.Sqrt(float64(fan))
}

// fans returns how many inputs an output of a layer with the weight t depends on, and how many outputs an input has.
func fans(t *tensor.Tensor) (in, out int) {
	if t.Dim() < 2 {
		refuse("Fan in and fan out can not be computed for tensor with fewer than 2 dimensions")
	}
	field := 1
	for _, n := range t.Shape()[2:] {
		field *= n
	}
	return t.Size(1) * field, t.Size(0) * field
}

// CalculateGain returns by how much a layer before the nonlinearity is scaled so that variances stay: √2 for ReLU, 5/3 for Tanh,
// √(2/(1+slope²)) for LeakyReLU, whose slope is 0.01 unless given, 3/4 for SELU and 1 for Sigmoid, Linear and convolutions by
// PyTorch's names, "conv2d". It panics for others.
func CalculateGain(n Nonlinearity, slope ...float64) float64 {
	linear := []Nonlinearity{Linear, Sigmoid, "conv1d", "conv2d", "conv3d", "conv_transpose1d", "conv_transpose2d", "conv_transpose3d"}
	switch {
	case slices.Contains(linear, n):
		return 1
	case n == Tanh:
		return 5.0 / 3
	case n == ReLU:
		return math.Sqrt(2)
	case n == LeakyReLU:
		a := append(slope, 0.01)[0]
		return math.Sqrt(2 / (1 + a*a))
	case n == SELU:
		return 3.0 / 4
	}
	refuse("Unsupported nonlinearity " + string(n))
	return 0
}

// matrix panics where t has other than two axes.
func matrix(t *tensor.Tensor) {
	if t.Dim() != 2 {
		refuse("Only tensors with 2 dimensions are supported")
	}
}

// refuse panics with PyTorch's text.
func refuse(text string) {
	panic(&tensor.Error{Op: "init", Kind: tensor.ErrValue, Err: errors.New(text)})
}
