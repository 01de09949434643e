package tensor

import (
	"fmt"
	"math"
	"strings"

	"cresset/internal/op"
)

// checkConvTypes panics unless the operands of a convolution share a floating dtype and a device.
func (x *Tensor) checkConvTypes(weight, bias *Tensor) {
	const name = "convolution"
	refuseNil(name, "input", 1, x)
	refuseNil(name, "weight", 2, weight)
	mismatch := func(what, got, want string) {
		fail(name, ErrDType, fmt.Sprintf("Input type (%s) and %s type (%s) should be the same", got, what, want), x, weight, bias)
	}
	if bias != nil && bias.dtype != x.dtype {
		mismatch("bias", x.dtype.CppName(), bias.dtype.CppName())
	}
	if weight.dtype != x.dtype {
		mismatch("weight", x.dtype.CppName(), weight.dtype.CppName())
	}
	x.checkConvDevices(name, weight, bias)
	refuseIntegers(name, "slow_conv2d_cpu", x, weight)
}

// checkConvDevices panics unless the operands of a convolution are on one device. PyTorch compares types, which name the kind of
// device, and leaves one GPU and another to cuDNN's wrapper, and to the addition of the bias.
func (x *Tensor) checkConvDevices(name string, weight, bias *Tensor) {
	operands := []argument{{"input", x}, {"weight", weight}, {"bias", bias}}
	home := x.storage.device
	for _, a := range operands[1:] {
		if a.t != nil && a.t.storage.device.Type() != home.Type() {
			failHint(name, ErrDevice, fmt.Sprintf("Input type (%s) and %s type (%s) should be the same", x.legacyType(), a.name, a.t.legacyType()),
				placeHint(operands))
		}
	}
	if dev := weight.storage.device; dev != home {
		failArgument(name, "wrapper_CUDA__cudnn_convolution", "weight", home, dev, operands...)
	}
	if bias != nil && bias.storage.device != home {
		failDevices(name, home, bias.storage.device, operands...)
	}
}

// checkConv panics unless the shapes of a batched convolution's operands fit.
func (x *Tensor) checkConv(axes int, weight, bias *Tensor, p op.Window) {
	xs, ws := x.layout.Shape(), weight.layout.Shape()
	refuse := func(format string, a ...any) {
		fail("convolution", ErrShape, fmt.Sprintf(format, a...), x, weight, bias)
	}
	checkSteps("convolution", p)
	switch {
	case p.Groups < 1:
		refuse("non-positive groups is not supported")
	case p.Padding[0] < 0 || p.Padding[1] < 0:
		refuse("negative padding is not supported")
	case p.Stride[0] < 1 || p.Stride[1] < 1:
		refuse("non-positive stride is not supported")
	case p.Dilation[0] < 1 || p.Dilation[1] < 1:
		refuse("dilation should be greater than zero")
	case len(ws) != axes+2:
		refuse("Expected %d-dimensional input for %d-dimensional weight %s, but got %d-dimensional input of size %s instead",
			len(ws), len(ws), ws.List(), len(xs), xs.List())
	case ws[0] < p.Groups:
		refuse("Given groups=%d, expected weight to be at least %d at dimension 0, but got weight of size %s instead", p.Groups, p.Groups, ws.List())
	case ws[0]%p.Groups != 0:
		refuse("Given groups=%d, expected weight to be divisible by %d at dimension 0, but got weight of size [%s] instead", p.Groups, p.Groups, ws.List())
	case xs[1] != ws[1]*p.Groups:
		refuse("Given groups=%d, weight of size %s, expected input%s to have %d channels, but got %d channels instead",
			p.Groups, ws.List(), xs.List(), ws[1]*p.Groups, xs[1])
	case bias != nil && !bias.layout.Shape().Equal(Shape{ws[0]}):
		refuse("Given weight of size %s, expected bias to be 1-dimensional with %d elements, but got bias of size %s instead",
			ws.List(), ws[0], bias.layout.Shape().List())
	}
}

// checkSteps panics where a figure of a window is so large that sums of positions could overflow.
func checkSteps(name string, p op.Window) {
	for _, pair := range [][2]int{p.Kernel, p.Stride, p.Padding, p.Dilation} {
		if max(pair[0], pair[1]) > math.MaxInt32 {
			fail(name, ErrValue, "value cannot be converted to type int without overflow")
		}
	}
}

// by joins extents as "2 x 3".
func by(extents Shape) string {
	return strings.ReplaceAll(strings.Trim(extents.List(), "[]"), ", ", " x ")
}
