package kern

import (
	"math"
	"testing"
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
