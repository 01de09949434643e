package nn_test

import (
	"fmt"
	"testing"

	"cresset/nn"
	"cresset/tensor"
)

// TestPools compares pools with the functions of package tensor, and what they print with PyTorch 2.15.
func TestPools(t *testing.T) {
	line, image, volume := tensor.Rand(2, 3, 9), tensor.Rand(2, 3, 9, 8), tensor.Rand(2, 3, 6, 5, 7)
	first := func(y, _ *tensor.Tensor) *tensor.Tensor { return y }
	for _, c := range []struct {
		layer nn.Module
		print string
		x     *tensor.Tensor
		want  *tensor.Tensor
	}{
		{nn.NewMaxPool1D(3, nn.Stride(2), nn.Dilation(2)), "MaxPool1d(kernel_size=3, stride=2, padding=0, dilation=2, ceil_mode=False)",
			line, line.MaxPool1D(3, tensor.Stride(2), tensor.Dilation(2))},
		{nn.NewMaxPool2D(3, nn.KernelWidth(2), nn.Padding(1), nn.CeilMode(true)), "MaxPool2d(kernel_size=(3, 2), stride=(3, 2), padding=1, dilation=1, ceil_mode=True)",
			image, image.MaxPool2D(3, tensor.KernelWidth(2), tensor.Padding(1), tensor.CeilMode(true))},
		{nn.NewMaxPool3D(2, nn.Stride(1, 2, 3)), "MaxPool3d(kernel_size=2, stride=(1, 2, 3), padding=0, dilation=1, ceil_mode=False)",
			volume, volume.MaxPool3D(2, tensor.Stride(1, 2, 3))},
		{nn.NewAvgPool1D(2), "AvgPool1d(kernel_size=(2,), stride=(2,), padding=(0,))", line, line.AvgPool1D(2)},
		{nn.NewAvgPool2D(3, nn.Padding(1), nn.CountIncludePad(false), nn.DivisorOverride(4)), "AvgPool2d(kernel_size=3, stride=3, padding=1)",
			image, image.AvgPool2D(3, tensor.Padding(1), tensor.CountIncludePad(false), tensor.DivisorOverride(4))},
		{nn.NewAvgPool3D(2, nn.KernelSize(1, 2, 3), nn.CeilMode(true)), "AvgPool3d(kernel_size=(1, 2, 3), stride=(1, 2, 3), padding=0)",
			volume, volume.AvgPool3D(2, tensor.KernelSize(1, 2, 3), tensor.CeilMode(true))},
		{nn.NewLPPool1D(2, 3), "LPPool1d(norm_type=2.0, kernel_size=3, stride=3, ceil_mode=False)", line, line.LPPool1D(2, 3)},
		{nn.NewLPPool2D(1, 3, nn.Stride(2)), "LPPool2d(norm_type=1.0, kernel_size=3, stride=2, ceil_mode=False)", image, image.LPPool2D(1, 3, tensor.Stride(2))},
		{nn.NewLPPool3D(3, 2), "LPPool3d(norm_type=3.0, kernel_size=2, stride=2, ceil_mode=False)", volume, volume.LPPool3D(3, 2)},
		{nn.NewAdaptiveAvgPool1D(4), "AdaptiveAvgPool1d(output_size=4)", line, line.AdaptiveAvgPool1D(4)},
		{nn.NewAdaptiveAvgPool2D(4), "AdaptiveAvgPool2d(output_size=4)", image, image.AdaptiveAvgPool2D(4, 4)},
		{nn.NewAdaptiveAvgPool3D(2, 3, 1), "AdaptiveAvgPool3d(output_size=(2, 3, 1))", volume, volume.AdaptiveAvgPool3D(2, 3, 1)},
		{nn.NewAdaptiveMaxPool1D(4), "AdaptiveMaxPool1d(output_size=4)", line, first(line.AdaptiveMaxPool1D(4))},
		{nn.NewAdaptiveMaxPool2D(2, 3), "AdaptiveMaxPool2d(output_size=(2, 3))", image, first(image.AdaptiveMaxPool2D(2, 3))},
		{nn.NewAdaptiveMaxPool3D(2), "AdaptiveMaxPool3d(output_size=2)", volume, first(volume.AdaptiveMaxPool3D(2, 2, 2))},
	} {
		if got := fmt.Sprint(c.layer); got != c.print {
			t.Errorf("got  %s\nwant %s", got, c.print)
		}
		if got := c.layer.Forward(c.x); !got.Equal(c.want) {
			t.Errorf("%s: got\n%v\nwant\n%v", c.print, got, c.want)
		}
	}
}

func TestPoolsTellIndices(t *testing.T) {
	image := tensor.Rand(2, 3, 9, 8)
	for _, p := range []interface {
		nn.Module
		ForwardWithIndices(x *tensor.Tensor) (values, indices *tensor.Tensor)
	}{nn.NewMaxPool2D(2), nn.NewAdaptiveMaxPool2D(3)} {
		values, indices := p.ForwardWithIndices(image)
		if there := image.Flatten(2, 3).Gather(2, indices.Flatten(2, 3)).ViewAs(values); !there.Equal(values) || !values.Equal(p.Forward(image)) {
			t.Errorf("%v: the largest elements do not lie where the indices say", p)
		}
	}
}
