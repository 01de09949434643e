package tensor_test

import (
	"testing"

	"cresset/tensor"
)

// TestTReversesAxes: PyTorch's x.T of more than two axes, where t() alone is an error.
func TestTReversesAxes(t *testing.T) {
	for _, shape := range [][]int{{}, {3}, {2, 3}, {2, 3, 4}, {2, 1, 3, 4}} {
		x := tensor.Rand(shape...)
		order := make([]int, len(shape))
		for i := range order {
			order[i] = len(shape) - 1 - i
		}
		if got, want := x.T(), x.Permute(order...); !got.Equal(want) || !got.Shape().Equal(want.Shape()) || !got.SharesStorage(x) {
			t.Errorf("of %v: got %v, want %v", shape, got, want)
		}
	}
}
