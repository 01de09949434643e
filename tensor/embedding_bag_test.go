package tensor_test

import (
	"errors"
	"testing"

	"cresset/tensor"
)

func TestOffsetsThatAreNoBags(t *testing.T) {
	weight, indices := tensor.Ones(4, 2), tensor.Of([]int{3, 1, 0, 2})
	for _, c := range []struct {
		name        string
		offsets     []int
		includeLast bool
		want        string
	}{
		{"beyond the indices", []int{0, 5}, false, "offsets[-1] can not be greater than input's length 4 but got offsets[-1] of 5"},
		{"negative", []int{0, -1}, false, "offsets have to be in ascending order"},
		{"descending", []int{0, 3, 1}, false, "offsets have to be in ascending order"},
		{"not from 0", []int{1, 2}, false, "offsets[0] has to be 0, i.e., the first sequence in the mini-batch has to start from position 0. However, got 1"},
		{"no end", []int{}, true, "include_last_offset: number of offset should be at least 1"},
	} {
		err := tensor.Try(func() {
			tensor.EmbeddingBag(weight, indices, tensor.Of(c.offsets), tensor.IncludeLastOffset(c.includeLast))
		})
		if !errors.Is(err, tensor.ErrValue) || err.Error() != c.want {
			t.Errorf("%s: got %v, want %s", c.name, err, c.want)
		}
	}
}

func TestNoBags(t *testing.T) {
	for _, mode := range []tensor.BagMode{tensor.SumBags, tensor.MeanBags, tensor.MaxBags} {
		weight := tensor.Ones(4, 2).SetRequiresGrad(true)
		y := tensor.EmbeddingBag(weight, tensor.Of([]int{}), tensor.Of([]int{}), mode)
		if !y.Shape().Equal(tensor.Shape{0, 2}) {
			t.Errorf("%s: the shape is %v", mode, y.Shape())
		}
		y.Sum().Backward()
		if got := weight.Grad(); got == nil || !got.Equal(tensor.Zeros(4, 2)) {
			t.Errorf("%s: the gradient is %v", mode, got)
		}
	}
}
