package nn_test

import (
	"errors"
	"fmt"
	"testing"

	"cresset/device"
	"cresset/internal/devicetest"
	"cresset/nn"
	"cresset/tensor"
)

type printedModule interface {
	nn.Module
	fmt.Stringer
}

// inPlaceLayers are all layers that take InPlace, by what PyTorch prints of them with it.
var inPlaceLayers = map[string]func(on nn.InPlace) printedModule{
	"ReLU(inplace=True)":  func(on nn.InPlace) printedModule { return nn.NewReLU(on) },
	"ReLU6(inplace=True)": func(on nn.InPlace) printedModule { return nn.NewReLU6(on) },
	"Hardsigmoid()":       func(on nn.InPlace) printedModule { return nn.NewHardsigmoid(on) },
	"Hardswish()":         func(on nn.InPlace) printedModule { return nn.NewHardswish(on) },
	"SiLU(inplace=True)":  func(on nn.InPlace) printedModule { return nn.NewSiLU(on) },
	"Mish(inplace=True)":  func(on nn.InPlace) printedModule { return nn.NewMish(on) },
	"SELU(inplace=True)":  func(on nn.InPlace) printedModule { return nn.NewSELU(on) },
	"ELU(alpha=0.5, inplace=True)": func(on nn.InPlace) printedModule {
		return nn.NewELU(0.5, on)
	},
	"CELU(alpha=0.5, inplace=True)":                     func(on nn.InPlace) printedModule { return nn.NewCELU(0.5, on) },
	"LeakyReLU(negative_slope=0.01, inplace=True)":      func(on nn.InPlace) printedModule { return nn.NewLeakyReLU(0.01, on) },
	"Hardtanh(min_val=-1.0, max_val=0.5, inplace=True)": func(on nn.InPlace) printedModule { return nn.NewHardtanh(-1, 0.5, on) },
	"Threshold(threshold=0.1, value=2.0, inplace=True)": func(on nn.InPlace) printedModule { return nn.NewThreshold(0.1, 2, on) },
	"Dropout(p=0.5, inplace=True)":                      func(on nn.InPlace) printedModule { return nn.NewDropout(0.5, on) },
	"Dropout1d(p=0.5, inplace=True)":                    func(on nn.InPlace) printedModule { return nn.NewDropout1D(0.5, on) },
	"Dropout2d(p=0.5, inplace=True)":                    func(on nn.InPlace) printedModule { return nn.NewDropout2D(0.5, on) },
	"Dropout3d(p=0.5, inplace=True)":                    func(on nn.InPlace) printedModule { return nn.NewDropout3D(0.5, on) },
}

// TestInPlaceLayers: with InPlace a layer returns its input, with the values and gradients that it has without.
func TestInPlaceLayers(t *testing.T) {
	devicetest.Run(t, func(t *testing.T, dev device.Device) {
		for print, make := range inPlaceLayers {
			if got := make(true).String(); got != print {
				t.Errorf("got %s, want %s", got, print)
			}
			run := func(on nn.InPlace) (y, grad *tensor.Tensor, same bool) {
				tensor.ManualSeed(5)
				leaf := tensor.Parameter(tensor.Randn(3, 4, 5).To(dev))
				x := leaf.MulScalar(2)
				y = make(on).Forward(x)
				same = y == x
				y.Mul(tensor.Like(y).Arange(0, 60, 1).Reshape(3, 4, 5)).Sum().Backward()
				return y.Detach(), leaf.Grad(), same
			}
			want, wantGrad, fresh := run(false)
			got, grad, same := run(true)
			if fresh || !same {
				t.Errorf("%s: the result is the input: %v in place, %v else", print, same, fresh)
			}
			if !sameBits(got, want) || !sameBits(grad, wantGrad) {
				t.Errorf("%s: got %v and %v, want %v and %v", print, got, grad, want, wantGrad)
			}
			plain := tensor.Randn(3, 4, 5).To(dev)
			if y := make(true).Forward(plain); y != plain {
				t.Errorf("%s without gradients returns another tensor", print)
			}
			err := tensor.Try(func() { make(true).Forward(tensor.Parameter(tensor.Ones(3, 4, 5).To(dev))) })
			if !errors.Is(err, tensor.ErrAutograd) {
				t.Errorf("%s of a leaf: got %v", print, err)
			}
		}
	})
}

// TestInPlaceDropoutInEvaluation returns its input as it is, a leaf too.
func TestInPlaceDropoutInEvaluation(t *testing.T) {
	x := tensor.Parameter(tensor.Ones(2, 3, 4))
	for _, d := range []nn.Module{nn.NewDropout(0.5, true), nn.NewDropout1D(0.5, true)} {
		nn.Eval(d)
		if d.Forward(x) != x {
			t.Errorf("%v returns another tensor", d)
		}
	}
	for _, p := range []float64{0, 1} {
		x := tensor.Ones(3, 4)
		if y := nn.NewDropout1D(p, true).Forward(x); y != x || y.Sum().Float64() != 12*(1-p) {
			t.Errorf("with p = %v: got %v", p, y)
		}
	}
}
