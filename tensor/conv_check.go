package tensor

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"cresset/dtype"
)

// checkConvTypes panics unless the operands of a convolution share a dtype and a device.
func (x *Tensor) checkConvTypes(axes int, weight, bias *Tensor) {
	const name = "convolution"
	refuseNil(name, "input", 1, x)
	refuseNil(name, "weight", 2, weight)
	mismatch := func(what, got, want string) {
		fail(name, ErrDType, fmt.Sprintf("Input type (%s) and %s type (%s) should be the same", got, what, want), x, weight, bias)
	}
	if axes == 3 {
		checkScalarType(name, x, weight)
	}
	if bias != nil && bias.dtype != x.dtype {
		mismatch("bias", x.dtype.CppName(), bias.dtype.CppName())
	}
	if weight.dtype != x.dtype {
		mismatch("weight", x.dtype.CppName(), weight.dtype.CppName())
	}
	x.checkConvDevices(name, weight, bias)
}

// refuseConv panics where no kernel convolves x's dtype. The CPU takes integers, but for dilated windows int64 alone.
func (x *Tensor) refuseConv(w *window, weight *Tensor) {
	kernel, integers := "slow_conv2d_cpu", x.dtype.IsInteger()
	switch {
	case w.dilation != [3]int{1, 1, 1}:
		kernel, integers = "slow_conv_dilated<>", x.dtype == dtype.Int64
	case w.axes == 3:
		kernel = "compute_columns3d"
	}
	if !integers || x.IsCUDA() {
		x.refuseWindows(kernel, w.groups > 1 && w.axes < 3, weight)
	}
}

// refuseWindows panics for integers, which GPUs leave to cuDNN, but for convolutions of each channel by itself.
func (x *Tensor) refuseWindows(kernel string, grouped bool, weight *Tensor) {
	switch gpu := x.IsCUDA() && !x.dtype.IsFloat(); {
	case gpu && grouped && weight.layout.Rank() > 1 && weight.layout.Shape()[1] == 1:
		kernel = "conv_depthwise2d_forward_cuda"
	case gpu:
		fail("convolution", ErrKernel, "getCudnnDataTypeFromScalarType() not supported for "+x.dtype.ScalarName(), x, weight)
	}
	refuseIntegers("convolution", kernel, x, weight)
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
func (x *Tensor) checkConv(weight, bias *Tensor, w *window) {
	x.checkConvFigures(weight, bias, w)
	xs, ws := x.layout.Shape(), weight.layout.Shape()
	refuse := func(format string, a ...any) {
		fail("convolution", ErrShape, fmt.Sprintf(format, a...), x, weight, bias)
	}
	switch {
	case w.same && w.stride != [3]int{1, 1, 1}:
		refuse("padding='same' is not supported for strided convolutions")
	case ws[0]%w.groups != 0:
		refuse("Given groups=%d, expected weight to be divisible by %d at dimension 0, but got weight of size [%s] instead", w.groups, w.groups, ws.List())
	case xs[1] != ws[1]*w.groups:
		refuse("Given groups=%d, weight of size %s, expected input%s to have %d channels, but got %d channels instead",
			w.groups, ws.List(), xs.List(), ws[1]*w.groups, xs[1])
	case bias != nil && !bias.layout.Shape().Equal(Shape{ws[0]}):
		refuse("Given weight of size %s, expected bias to be 1-dimensional with %d elements, but got bias of size %s instead",
			ws.List(), ws[0], bias.layout.Shape().List())
	}
}

// checkConvTranspose is checkConv for a transposed convolution.
func (x *Tensor) checkConvTranspose(weight, bias *Tensor, w *window) {
	x.checkConvFigures(weight, bias, w)
	xs, ws := x.layout.Shape(), weight.layout.Shape()
	refuse := func(format string, a ...any) {
		fail("convolution", ErrShape, fmt.Sprintf(format, a...), x, weight, bias)
	}
	switch {
	case ws[0]%w.groups != 0:
		refuse("Given groups=%d, expected weight to be divisible by %d at dimension 0, but got weight of size [%s] instead", w.groups, w.groups, ws.List())
	case xs[1] != ws[0]:
		refuse("Given transposed=1, weight of size %s, expected input%s to have %d channels, but got %d channels instead",
			ws.List(), xs.List(), ws[0], xs[1])
	case bias != nil && !bias.layout.Shape().Equal(Shape{ws[1] * w.groups}):
		refuse("Given transposed=1, weight of size %s, expected bias to be 1-dimensional with %d elements, but got bias of size %s instead",
			ws.List(), ws[1]*w.groups, bias.layout.Shape().List())
	}
	for i := range w.outputPadding {
		if w.outputPadding[i] >= w.stride[i] && w.outputPadding[i] >= w.dilation[i] {
			refuse("output padding must be smaller than either stride or dilation, but got %s %s %s", w.named("output_padding", &w.outputPadding),
				w.named("stride", &w.stride), w.named("dilation", &w.dilation))
		}
	}
}

// named lists a figure as "stride_height: 1 stride_width: 1".
func (w *window) named(name string, figures *[3]int) string {
	var parts []string
	for i := min(3-w.axes, 1); i < 3; i++ {
		parts = append(parts, fmt.Sprintf("%s_%s: %d", name, [...]string{"depth", "height", "width"}[i], figures[i]))
	}
	return strings.Join(parts, " ")
}

// checkConvFigures panics where a convolution's figures make no sense, or where the weight has too few axes or outputs.
func (x *Tensor) checkConvFigures(weight, bias *Tensor, w *window) {
	xs, ws := x.layout.Shape(), weight.layout.Shape()
	refuse := func(format string, a ...any) {
		fail("convolution", ErrShape, fmt.Sprintf(format, a...), x, weight, bias)
	}
	w.checkSteps("convolution")
	switch {
	case w.groups < 1:
		refuse("non-positive groups is not supported")
	case slices.Min(w.padding[:]) < 0:
		refuse("negative padding is not supported")
	case slices.Min(w.outputPadding[:]) < 0:
		refuse("negative output_padding is not supported")
	case slices.Min(w.stride[:]) < 1:
		refuse("non-positive stride is not supported")
	case slices.Min(w.dilation[:]) < 1:
		refuse("dilation should be greater than zero")
	case len(ws) != w.axes+2:
		refuse("Expected %d-dimensional input for %d-dimensional weight %s, but got %d-dimensional input of size %s instead",
			len(ws), len(ws), ws.List(), len(xs), xs.List())
	case ws[0] < w.groups:
		refuse("Given groups=%d, expected weight to be at least %d at dimension 0, but got weight of size %s instead", w.groups, w.groups, ws.List())
	}
}

// checkSteps panics where a figure of a window is so large that sums of positions could overflow.
func (w *window) checkSteps(name string) {
	for _, figures := range [...]*[3]int{&w.kernel, &w.stride, &w.padding, &w.dilation, &w.outputPadding} {
		if slices.Max(figures[:]) > math.MaxInt32 {
			fail(name, ErrValue, "value cannot be converted to type int without overflow")
		}
	}
}

// by joins extents as "2 x 3".
func by(extents Shape) string {
	return strings.ReplaceAll(strings.Trim(extents.List(), "[]"), ", ", " x ")
}
