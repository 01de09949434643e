package tensor_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"cresset/device"
	"cresset/dtype"
	"cresset/internal/devicetest"
	"cresset/tensor"
)

// TestAttentionFromPlacesInMemory wants of queries whose offsets lie in memory, one for all or one for each sequence, the bits of those with the same offset as a
// number.
func TestAttentionFromPlacesInMemory(t *testing.T) {
	devicetest.RunValues(t, func(t *testing.T, dev device.Device) {
		tensor.ManualSeed(3)
		for _, dt := range []dtype.DType{dtype.Float32, dtype.BFloat16} {
			for _, c := range []struct{ queries, width, window int }{{1, 8, 0}, {3, 16, 5}, {10, 8, 4}} {
				place := tensor.On(dev).As(dt)
				q, k, v := place.Randn(2, 4, c.queries, c.width), place.Randn(2, 2, 40, c.width), place.Randn(2, 2, 40, c.width)
				opts := []tensor.AttentionOption{tensor.IsCausal(true), tensor.SlidingWindow(c.window), tensor.EnableGQA(true)}
				from := func(x *tensor.Tensor, i, offset int) *tensor.Tensor {
					o := append(opts, tensor.QueryOffset(offset))
					return tensor.ScaledDotProductAttention(x.Narrow(0, i, 1), k.Narrow(0, i, 1), v.Narrow(0, i, 1), o...)
				}
				for _, places := range [][]int64{{7}, {0, 29}, {29, 12}} {
					at := tensor.Of(places).To(dev)
					got := tensor.ScaledDotProductAttention(q, k, v, append(opts, tensor.QueryOffsets(at))...)
					plus := tensor.ScaledDotProductAttention(q, k, v, append(opts, tensor.QueryOffsets(at.AddScalar(-1)), tensor.QueryOffset(1))...)
					for i := range 2 {
						want := from(q, i, int(places[i%len(places)]))
						what := fmt.Sprintf("%v %+v, places %v, sequence %d", dt, c, places, i)
						if !got.Narrow(0, i, 1).Equal(want) && !near(got.Narrow(0, i, 1), want) {
							t.Errorf("%s: %v, not %v", what, got.Narrow(0, i, 1), want)
						}
						if !plus.Narrow(0, i, 1).Equal(got.Narrow(0, i, 1)) {
							t.Errorf("%s: an offset as a number is not added", what)
						}
					}
					if len(places) == 1 && c.queries <= 8 && !got.Equal(tensor.ScaledDotProductAttention(q, k, v, append(opts, tensor.QueryOffset(int(places[0])))...)) {
						t.Errorf("%v %+v: other bits than those of the same offset as a number", dt, c)
					}
				}
			}
		}
	})
}

// near compares what other grids have computed: a batch has other parts of keys than one of its sequences.
func near(got, want *tensor.Tensor) bool {
	return got.Float().Sub(want.Float()).Abs().Max().Float64() <= 1e-2
}

func TestAttentionRefusesPlaces(t *testing.T) {
	q := tensor.Randn(2, 1, 3, 4)
	for _, c := range []struct {
		kind error
		text string
		q    *tensor.Tensor
		at   *tensor.Tensor
	}{
		{tensor.ErrDType, "scalar type Long but found Float", q, tensor.Zeros(1)},
		{tensor.ErrShape, "an offset for each of 2 sequences, or one for all, but got [3]", q, tensor.Zeros(3).Long()},
		{tensor.ErrAutograd, "has no gradients", q.Clone().SetRequiresGrad(true), tensor.Zeros(1).Long()},
	} {
		err := tensor.Try(func() { tensor.ScaledDotProductAttention(c.q, q, q, tensor.QueryOffsets(c.at)) })
		if !errors.Is(err, c.kind) || !strings.Contains(err.Error(), c.text) {
			t.Errorf("got %v, want %s", err, c.text)
		}
	}
}
