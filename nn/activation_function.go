package nn

import (
	"fmt"

	"cresset/tensor"
)

// Activation is a function of its input alone, without parameters.
type Activation struct {
	text string
	f    func(x *tensor.Tensor) *tensor.Tensor
}

// Forward returns the function's value.
func (a *Activation) Forward(x *tensor.Tensor) *tensor.Tensor { return a.f(x) }

// String prints the layer as PyTorch does.
func (a *Activation) String() string { return a.text }

// NewTanh returns a layer for tensor's Tanh.
func NewTanh() *Activation { return &Activation{"Tanh()", (*tensor.Tensor).Tanh} }

// NewSigmoid returns a layer for tensor's Sigmoid, 1/(1+e⁻ˣ).
func NewSigmoid() *Activation { return &Activation{"Sigmoid()", (*tensor.Tensor).Sigmoid} }

// NewSiLU returns a layer for tensor's SiLU, x·sigmoid(x).
func NewSiLU() *Activation { return &Activation{"SiLU()", (*tensor.Tensor).SiLU} }

// NewSELU returns a layer for tensor's SELU.
func NewSELU() *Activation { return &Activation{"SELU()", (*tensor.Tensor).SELU} }

// NewReLU6 returns a layer for tensor's ReLU6, min(max(x, 0), 6).
func NewReLU6() *Activation { return &Activation{"ReLU6()", (*tensor.Tensor).ReLU6} }

// NewHardswish returns a layer for tensor's Hardswish.
func NewHardswish() *Activation { return &Activation{"Hardswish()", (*tensor.Tensor).Hardswish} }

// NewHardsigmoid returns a layer for tensor's Hardsigmoid.
func NewHardsigmoid() *Activation { return &Activation{"Hardsigmoid()", (*tensor.Tensor).Hardsigmoid} }

// NewLogSigmoid returns a layer for tensor's LogSigmoid, log(1/(1+e⁻ˣ)).
func NewLogSigmoid() *Activation { return &Activation{"LogSigmoid()", (*tensor.Tensor).LogSigmoid} }

// NewMish returns a layer for tensor's Mish, x·tanh(log(1+eˣ)).
func NewMish() *Activation { return &Activation{"Mish()", (*tensor.Tensor).Mish} }

// NewSoftsign returns a layer for tensor's Softsign, x/(1+|x|).
func NewSoftsign() *Activation { return &Activation{"Softsign()", (*tensor.Tensor).Softsign} }

// NewTanhshrink returns a layer for tensor's Tanhshrink, x - tanh(x).
func NewTanhshrink() *Activation { return &Activation{"Tanhshrink()", (*tensor.Tensor).Tanhshrink} }

// NewSoftmax2D returns a layer for the softmax over the channels of x [N, C, H, W] or [C, H, W].
func NewSoftmax2D() *Activation {
	return &Activation{"Softmax2d()", func(x *tensor.Tensor) *tensor.Tensor {
		if x.Dim() != 3 && x.Dim() != 4 {
			panic(fault("softmax2d", fmt.Sprintf("Softmax2d: expected input to be 3D or 4D, got %dD instead", x.Dim())))
		}
		return x.Softmax(-3)
	}}
}

// NewCELU returns a layer for tensor's CELU; PyTorch's alpha is 1.
func NewCELU(alpha float64) *Activation {
	return &Activation{"CELU(alpha=" + number(alpha) + ")", func(x *tensor.Tensor) *tensor.Tensor { return x.CELU(alpha) }}
}

// NewHardtanh returns a layer for tensor's Hardtanh, min(max(x, low), high); PyTorch's bounds are -1 and 1.
func NewHardtanh(low, high float64) *Activation {
	if !(high > low) {
		panic(fault("hardtanh", "max_val must be larger than min_val"))
	}
	return &Activation{"Hardtanh(min_val=" + number(low) + ", max_val=" + number(high) + ")", func(x *tensor.Tensor) *tensor.Tensor {
		return x.Hardtanh(low, high)
	}}
}

// NewThreshold returns a layer for tensor's Threshold, x where x > threshold, else value.
func NewThreshold(threshold, value float64) *Activation {
	return &Activation{"Threshold(threshold=" + number(threshold) + ", value=" + number(value) + ")", func(x *tensor.Tensor) *tensor.Tensor {
		return x.Threshold(threshold, value)
	}}
}

// NewHardshrink returns a layer for tensor's Hardshrink, x where |x| > lambda, else 0; PyTorch's lambda is 0.5.
func NewHardshrink(lambda float64) *Activation {
	return &Activation{"Hardshrink(" + number(lambda) + ")", func(x *tensor.Tensor) *tensor.Tensor { return x.Hardshrink(lambda) }}
}

// NewSoftshrink returns a layer for tensor's Softshrink, x nearer to 0 by lambda, or 0; PyTorch's lambda is 0.5.
func NewSoftshrink(lambda float64) *Activation {
	return &Activation{"Softshrink(" + number(lambda) + ")", func(x *tensor.Tensor) *tensor.Tensor { return x.Softshrink(lambda) }}
}

// NewGLU returns a layer for tensor's GLU: one half of x along axis, times the sigmoid of the other; PyTorch's axis is -1.
func NewGLU(axis int) *Activation {
	return &Activation{fmt.Sprintf("GLU(dim=%d)", axis), func(x *tensor.Tensor) *tensor.Tensor { return x.GLU(axis) }}
}

// NewLogSoftmax returns a layer for tensor's LogSoftmax along axis.
func NewLogSoftmax(axis int) *Activation {
	return &Activation{fmt.Sprintf("LogSoftmax(dim=%d)", axis), func(x *tensor.Tensor) *tensor.Tensor { return x.LogSoftmax(axis) }}
}

// NewSoftmin returns a layer for the softmax of -x along axis.
func NewSoftmin(axis int) *Activation {
	return &Activation{fmt.Sprintf("Softmin(dim=%d)", axis), func(x *tensor.Tensor) *tensor.Tensor { return x.Neg().Softmax(axis) }}
}

// NewIdentity returns a layer that returns its input.
func NewIdentity() *Activation {
	return &Activation{"Identity()", func(x *tensor.Tensor) *tensor.Tensor { return x }}
}
