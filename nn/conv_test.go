package nn_test

import (
	"testing"

	"cresset/device"
	"cresset/nn"
	"cresset/tensor"
)

// A layer hands FastConv on, also where ReLU follows it.
func TestFastConvOfALayer(t *testing.T) {
	c := nn.NewConv2D(16, 16, 3, nn.SamePadding(), nn.FastConv(true))
	if !c.Fast || nn.NewConv2D(16, 16, 3).Fast {
		t.Errorf("with FastConv Fast is %v", c.Fast)
	}
	x := tensor.On(device.CPU).Randn(2, 16, 16, 16)
	want := x.Conv2D(c.Weight, c.Bias, tensor.Padding(1), tensor.FastConv(true))
	if got := c.Forward(x); !got.Equal(want) {
		t.Error("Forward differs from tensor's Conv2D with FastConv")
	}
	padded := nn.NewConv2D(16, 16, 3, nn.Padding(1))
	padded.Weight, padded.Bias, padded.Fast = c.Weight, c.Bias, true
	if got := nn.NewSequential(padded, nn.NewReLU()).Forward(x); !got.Equal(want.ReLU()) {
		t.Error("a layer before ReLU differs from tensor's Conv2D with FastConv")
	}
}
