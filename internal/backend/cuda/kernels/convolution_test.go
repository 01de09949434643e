package kernels_test

import (
	"fmt"
	"math"
	"testing"

	"cresset/dtype"
	"cresset/internal/backend/cuda/kernels"
	"cresset/internal/kern"
	"cresset/internal/op"
)

func TestConvolutions(t *testing.T) {
	for _, s := range []kern.ConvShape{
		{N: 2, C: 3, H: 7, W: 6, K: 5, R: 3, S: 3, StrideH: 1, StrideW: 1, PadH: 1, PadW: 1, DilationH: 1, DilationW: 1, Groups: 1},
		{N: 1, C: 4, H: 9, W: 8, K: 6, R: 3, S: 2, StrideH: 3, StrideW: 2, PadH: 2, PadW: 0, DilationH: 2, DilationW: 3, Groups: 2},
		{N: 2, C: 40, H: 5, W: 5, K: 70, R: 1, S: 1, StrideH: 1, StrideW: 1, DilationH: 1, DilationW: 1, Groups: 1},
		{N: 1, C: 68, H: 1, W: 9, K: 34, R: 1, S: 5, StrideH: 1, StrideW: 2, PadW: 4, DilationH: 1, DilationW: 1, Groups: 1},
		{N: 3, C: 3, H: 14, W: 13, K: 3, R: 2, S: 2, StrideH: 1, StrideW: 1, DilationH: 1, DilationW: 1, Groups: 3}, // in two parts
	} {
		s.OH = (s.H+2*s.PadH-s.DilationH*(s.R-1)-1)/s.StrideH + 1
		s.OW = (s.W+2*s.PadW-s.DilationW*(s.S-1)-1)/s.StrideW + 1
		convolution[float64](t, s, 1e-14)
	}
}

// convolution compares with the CPU's; tol is relative, or absolute below 1.
func convolution[T dtype.Float](t *testing.T, s kern.ConvShape, tol float64) {
	t.Helper()
	x, w := ripple[T](s.N*s.C*s.H*s.W), ripple[T](s.K*s.C/s.Groups*s.R*s.S)
	dy, bias := ripple[T](s.N*s.K*s.OH*s.OW), ripple[T](s.K)
	y, dx, dw := make([]T, len(dy)), make([]T, len(x)), make([]T, len(w))
	if kern.Conv2D(&s, x, w, bias, op.Invalid, y) != nil || kern.Conv2DGradInput(&s, dy, w, nil, dx) != nil || kern.Conv2DGradWeight(&s, x, dy, dw) != nil {
		t.Fatal("the CPU refuses")
	}
	channels, outputs := uint32(s.C/s.Groups), uint32(s.K/s.Groups)
	window := uint32(s.R * s.S)
	pixels, places := uint32(s.N*s.OH*s.OW), uint32(s.N*s.H*s.W)
	for _, c := range []struct {
		row                  string
		left, right, bias    []T
		rows, columns, depth uint32
		want                 []T
	}{
		{"conv", w, x, bias, outputs, pixels, channels * window, y},
		{"conv_grad_input", w, dy, nil, channels, places, outputs * window, dx},
		{"conv_grad_weight", dy, x, nil, outputs, channels * window, pixels, dw},
	} {
		m := &machine{t: t}
		p := convolutionOf(&s)
		if c.row == "conv_grad_weight" {
			p.Parts = kernels.ConvolutionParts(p.Groups, c.rows, c.columns, c.depth)
		}
		got := make([]T, int(p.Parts)*len(c.want))
		p.Part = kernels.ConvolutionPart(c.depth, p.Parts)
		p.Out, p.Left, p.Right = put(m, got), put(m, c.left), put(m, c.right)
		if c.bias != nil {
			p.Bias = put(m, c.bias)
		}
		g, small := kernels.ConvolutionGrid(p.Groups*p.Parts, c.rows, c.columns)
		g.Blocks[0] = min(g.Blocks[0], few)
		if small {
			c.row += "_small"
		}
		launch(m, c.row+suffix[T](), g, p)
		for part := 1; part < int(p.Parts); part++ {
			for i := range c.want {
				got[i] += got[part*len(c.want)+i]
			}
		}
		compareNearly(t, fmt.Sprintf("%s of %+v", c.row+suffix[T](), s), got[:len(c.want)], c.want, tol)
	}
}

func convolutionOf(s *kern.ConvShape) kernels.Convolution {
	return kernels.Convolution{
		Images: uint32(s.N), Groups: uint32(s.Groups), Channels: uint32(s.C / s.Groups), Outputs: uint32(s.K / s.Groups),
		Height: uint32(s.H), Width: uint32(s.W), OutHeight: uint32(s.OH), OutWidth: uint32(s.OW),
		Rows: uint32(s.R), Columns: uint32(s.S), Stride: [2]uint32{uint32(s.StrideH), uint32(s.StrideW)},
		Padding: [2]uint32{uint32(s.PadH), uint32(s.PadW)}, Dilation: [2]uint32{uint32(s.DilationH), uint32(s.DilationW)}, Parts: 1,
	}
}

// ripple is n numbers between -1 and 1 that follow no grid.
func ripple[T dtype.Float](n int) []T {
	s := make([]T, n)
	for i := range s {
		s[i] = T(math.Sin(float64(i*i + n)))
	}
	return s
}

// TestConvolutionPartsCoverTheAxis wants no step left out, whatever the parts.
func TestConvolutionPartsCoverTheAxis(t *testing.T) {
	for _, depth := range []uint32{0, 1, 255, 512, 8180 * 16, 1<<31 - 1} {
		parts := kernels.ConvolutionParts(1, 16, 64, depth)
		if covered := uint64(parts) * uint64(kernels.ConvolutionPart(depth, parts)); covered < uint64(depth) || covered >= 1<<32 {
			t.Errorf("%d steps in %d parts: %d are covered", depth, parts, covered)
		}
	}
}
