package nn

import (
	"fmt"

	"cresset/internal/op"
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

// NewSiLU returns a layer for tensor's SiLU, x·sigmoid(x). It takes InPlace.
func NewSiLU(inPlace ...InPlace) *Activation {
	return rewriting("SiLU", "", op.SiLU, (*tensor.Tensor).SiLU, inPlace)
}

// NewSELU returns a layer for tensor's SELU. It takes InPlace.
func NewSELU(inPlace ...InPlace) *Activation {
	return rewriting("SELU", "", op.SELU, (*tensor.Tensor).SELU, inPlace)
}

// NewReLU6 returns a layer for tensor's ReLU6, min(max(x, 0), 6). It takes InPlace.
func NewReLU6(inPlace ...InPlace) *Activation {
	return rewriting("ReLU6", "", op.Hardtanh, (*tensor.Tensor).ReLU6, inPlace)
}

// NewHardswish returns a layer for tensor's Hardswish. It takes InPlace.
func NewHardswish(inPlace ...InPlace) *Activation {
	a := rewriting("Hardswish", "", op.Hardswish, (*tensor.Tensor).Hardswish, inPlace)
	a.text = "Hardswish()" // whatever it changes
	return a
}

// NewHardsigmoid returns a layer for tensor's Hardsigmoid. It takes InPlace.
func NewHardsigmoid(inPlace ...InPlace) *Activation {
	a := rewriting("Hardsigmoid", "", op.Hardsigmoid, (*tensor.Tensor).Hardsigmoid, inPlace)
	a.text = "Hardsigmoid()" // whatever it changes
	return a
}

// NewLogSigmoid returns a layer for tensor's LogSigmoid, log(1/(1+e⁻ˣ)).
func NewLogSigmoid() *Activation { return &Activation{"LogSigmoid()", (*tensor.Tensor).LogSigmoid} }

// NewMish returns a layer for tensor's Mish, x·tanh(log(1+eˣ)). It takes InPlace.
func NewMish(inPlace ...InPlace) *Activation {
	return rewriting("Mish", "", op.Mish, (*tensor.Tensor).Mish, inPlace)
}

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

// NewCELU returns a layer for tensor's CELU; PyTorch's alpha is 1. It takes InPlace.
func NewCELU(alpha float64, inPlace ...InPlace) *Activation {
	return rewriting("CELU", "alpha="+number(alpha), op.CELU, func(x *tensor.Tensor) *tensor.Tensor { return x.CELU(alpha) }, inPlace)
}

// NewHardtanh returns a layer for tensor's Hardtanh, min(max(x, low), high); PyTorch's bounds are -1 and 1. It takes InPlace.
func NewHardtanh(low, high float64, inPlace ...InPlace) *Activation {
	if !(high > low) {
		panic(fault("hardtanh", "max_val must be larger than min_val"))
	}
	return rewriting("Hardtanh", "min_val="+number(low)+", max_val="+number(high), op.Hardtanh, func(x *tensor.Tensor) *tensor.Tensor {
		return x.Hardtanh(low, high)
	}, inPlace)
}

// NewThreshold returns a layer for tensor's Threshold, x where x > threshold, else value. It takes InPlace.
func NewThreshold(threshold, value float64, inPlace ...InPlace) *Activation {
	return rewriting("Threshold", "threshold="+number(threshold)+", value="+number(value), op.Threshold, func(x *tensor.Tensor) *tensor.Tensor {
		return x.Threshold(threshold, value)
	}, inPlace)
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
