package main

import (
	"cresset/nn"
	"cresset/tensor"
)

// uNet halves pictures twice and doubles them again; on the way up it also sees what it computed at that size on the way down.
type uNet struct {
	Down1, Down2, Bottom, Up2, Up1 *nn.Sequential
	Grow2, Grow1                   *nn.ConvTranspose2D
	Out                            *nn.Conv2D
}

func newUNet(channels, classes, width int) *uNet {
	return &uNet{
		Down1: block(channels, width), Down2: block(width, 2*width), Bottom: block(2*width, 4*width),
		Grow2: nn.NewConvTranspose2D(4*width, 2*width, 2, nn.Stride(2)), Up2: block(4*width, 2*width),
		Grow1: nn.NewConvTranspose2D(2*width, width, 2, nn.Stride(2)), Up1: block(2*width, width),
		Out: nn.NewConv2D(width, classes, 1),
	}
}

// block is two convolutions, each with a normalization that does not look at other pictures.
func block(in, out int) *nn.Sequential {
	return nn.NewSequential(
		nn.NewConv2D(in, out, 3, nn.Padding(1)), nn.NewGroupNorm(4, out), nn.NewSiLU(),
		nn.NewConv2D(out, out, 3, nn.Padding(1)), nn.NewGroupNorm(4, out), nn.NewSiLU(),
	)
}

// Forward returns a score for each class of each pixel of x [N, channels, H, W].
func (u *uNet) Forward(x *tensor.Tensor) *tensor.Tensor {
	full := u.Down1.Forward(x)
	half := u.Down2.Forward(full.MaxPool2D(2))
	y := u.Bottom.Forward(half.MaxPool2D(2))
	y = u.Up2.Forward(tensor.Cat([]*tensor.Tensor{half, u.Grow2.Forward(y)}, 1))
	y = u.Up1.Forward(tensor.Cat([]*tensor.Tensor{full, u.Grow1.Forward(y)}, 1))
	return u.Out.Forward(y)
}
