package kern

import (
	"math"
	"testing"

	"cresset/dtype"
)

// TestDepthwiseWeightsAreSummedInFloat64: equal products, which all round the same way, are added in float32 only depthwiseSum at a time.
func TestDepthwiseWeightsAreSummedInFloat64(t *testing.T) {
	s := ConvShape{8, 1, 200, 200, 1, 3, 3, 1, 1, 1, 1, 1, 1, 1, 0, 0, false}.withOutput()
	if !s.depthwise() {
		t.Skip("no assembly")
	}
	x, dy, dw := make([]float32, s.N*s.H*s.W), make([]float32, s.N*s.OH*s.OW), make([]float32, 9)
	for i := range x {
		x[i], dy[i] = 1.1, 1.3
	}
	if err := Conv2DGradWeight(s, x, dy, dw); err != nil {
		t.Fatal(err)
	}
	for i, got := range dw {
		seen := s.N * s.OH * s.OW // pixels whose product with the weight is no padding
		if i/3 != 1 {
			seen -= s.N * s.OW
		}
		if i%3 != 1 {
			seen = seen / s.OW * (s.OW - 1)
		}
		want := float64(seen) * float64(x[0]) * float64(dy[0])
		if off := math.Abs(float64(got)-want) / want; off > (1<<10+2)*epsilon[float32]() {
			t.Errorf("weight %d: got %v, want %v, off by %.2g", i, got, want, off)
		}
	}
}

// TestDepthwiseBF16 judges depthwise convolutions of bfloat16 and their gradients by float64.
func TestDepthwiseBF16(t *testing.T) {
	everyLevel(t, func(t *testing.T) {
		for _, shape := range []ConvShape{
			{2, 5, 9, 9, 5, 3, 3, 1, 1, 1, 1, 1, 1, 5, 0, 0, false},
			{3, 7, 12, 35, 14, 3, 3, 1, 1, 2, 1, 1, 1, 7, 0, 0, false},
			{2, 6, 21, 19, 6, 3, 3, 2, 2, 1, 1, 1, 1, 6, 0, 0, false},
			{1, 2, 190, 331, 2, 3, 3, 2, 2, 1, 0, 1, 1, 2, 0, 0, false},
		} {
			c := newConvHalves(shape)
			if !c.depthwise() {
				continue // there is no assembly for it
			}
			y, dx, dw := make([]dtype.BF16, len(c.dy)), make([]dtype.BF16, len(c.x)), make([]dtype.BF16, len(c.w))
			for what, run := range map[string]func() (bool, error){
				"y":  func() (bool, error) { return ConvBF16(c.ConvShape, c.x, c.w, c.bias, y) },
				"dx": func() (bool, error) { return ConvBF16GradInput(c.ConvShape, c.dy, c.w, nil, dx) },
				"dw": func() (bool, error) { return ConvBF16GradWeight(c.ConvShape, c.x, c.dy, dw) },
			} {
				if done, err := run(); !done && (what != "dx" || c.K == c.C) || err != nil {
					t.Fatal(what, shape, done, err)
				}
			}
			checkRounded(t, "y", y, c.y)
			if c.K == c.C { // elsewhere an element of dx is a sum over channels
				checkRounded(t, "dx", dx, c.dx)
			}
			checkRounded(t, "dw", dw, c.dw)
		}
	})
}
