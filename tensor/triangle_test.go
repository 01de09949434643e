package tensor_test

import (
	"slices"
	"testing"

	"cresset/tensor"
)

// TestTriangleIndices compares with PyTorch's tril_indices(3, 4, -1) and triu_indices(3, 4, 1).
func TestTriangleIndices(t *testing.T) {
	for _, c := range []struct {
		got  *tensor.Tensor
		want []int64 // rows, then columns
	}{
		{tensor.TrilIndices(3, 4, -1), []int64{1, 2, 2, 0, 0, 1}},
		{tensor.TriuIndices(3, 4, 1), []int64{0, 0, 0, 1, 1, 2, 1, 2, 3, 2, 3, 3}},
	} {
		if got := tensor.Values[int64](c.got); !slices.Equal(got, c.want) || c.got.Size(0) != 2 {
			t.Errorf("got %v, want %v", c.got, c.want)
		}
	}
}
