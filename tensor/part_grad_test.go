package tensor_test

import (
	"math"
	"testing"

	"cresset/tensor"
)

// TestGradientsOfPartsAreJoined: the gradients of chunks are side by side as they came, a zero with its sign; where parts overlap they are added.
func TestGradientsOfPartsAreJoined(t *testing.T) {
	x := tensor.Ones(2, 6).SetRequiresGrad(true)
	three := x.Chunk(3, -1)
	down := tensor.Of([]float32{float32(math.Copysign(0, -1)), 3})
	three[0].Sum().Add(three[1].Mul(down).Sum()).Add(three[2].MulScalar(2).Sum()).Backward()
	if got := tensor.Values[float32](x.Grad()); !math.Signbit(float64(got[2])) || got[0] != 1 || got[2] != 0 || got[3] != 3 || got[5] != 2 || got[11] != 2 {
		t.Errorf("the gradient of chunks is %v", got)
	}
	x = tensor.Ones(6).SetRequiresGrad(true)
	x.Narrow(0, 0, 4).Sum().Add(x.Narrow(0, 2, 4).Sum()).Add(x.Narrow(0, 5, 1).Sum()).Add(x.MulScalar(3).Sum()).Add(x.Narrow(0, 0, 1).Sum()).Backward()
	if got, want := x.Grad(), tensor.Of([]float32{5, 4, 5, 5, 4, 5}); !got.Equal(want) {
		t.Errorf("the gradient of parts is %v, want %v", got, want)
	}
}
