package tensor_test

import (
	"fmt"
	"math"
	"testing"

	"cresset/internal/gradcheck"
	"cresset/tensor"
)

// TestGridSampleGradients compares gradients with finite differences, away from places where the slope jumps.
func TestGridSampleGradients(t *testing.T) {
	x := tensor.Rand(2, 2, 3, 4).Double()
	grid := tensor.Of([]float64{-0.4, 0.3, 0.15, -0.2, 0.6, 0.45, -1.6, 0.2, 0.1, 1.9, 0.3, -1.45}).Reshape(2, 3, 1, 2)
	for _, padding := range []tensor.PaddingMode{tensor.ZerosPadding, tensor.BorderPadding, tensor.ReflectionPadding} {
		for _, mode := range []tensor.Interpolation{tensor.Bilinear, tensor.Nearest, tensor.Bicubic} {
			for _, align := range []tensor.AlignCorners{false, true} {
				name := fmt.Sprintf("%s, %s, %v", padding, mode, align)
				f := func(in []*tensor.Tensor) *tensor.Tensor { return in[0].GridSample(in[1], padding, mode, align) }
				if err := gradcheck.Check(name, f, x, grid); err != nil {
					t.Error(err)
				}
			}
		}
	}
}

// TestGridSampleAtEdges holds places at and beyond the edges against PyTorch's.
func TestGridSampleAtEdges(t *testing.T) {
	x := tensor.Of([]float64{1, 2, 4, 7, 11, 16, 22, 29, 37}).Reshape(1, 1, 3, 3)
	corners := func() *tensor.Tensor {
		return tensor.Of([]float64{-1, -1, 1, 1, 1, -1}).Reshape(1, 1, 3, 2).SetRequiresGrad(true)
	}
	for _, padding := range []tensor.PaddingMode{tensor.BorderPadding, tensor.ReflectionPadding} {
		grid := corners()
		x.GridSample(grid, padding, tensor.AlignCorners(true)).Sum().Backward()
		if got := grid.Grad(); !got.Equal(tensor.ZerosLike(got)) {
			t.Errorf("%s: the gradient of corners is %v, want zeros", padding, got)
		}
		odd := tensor.Of([]float64{math.NaN(), 0, math.Inf(-1), 0}).Reshape(1, 1, 2, 2)
		for _, mode := range []tensor.Interpolation{tensor.Bilinear, tensor.Nearest} {
			if got := x.GridSample(odd, padding, mode); !got.Equal(tensor.Of([]float64{7, 7}).Reshape(1, 1, 1, 2)) {
				t.Errorf("%s, %s: NaN and -∞ give %v, want the first column", padding, mode, got)
			}
		}
	}
}
