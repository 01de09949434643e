package tensor_test

import (
	"errors"
	"math"
	"testing"

	"cresset/device"
	"cresset/dtype"
	"cresset/internal/devicetest"
	"cresset/tensor"
)

func TestSearchSortedPromotesAndTakesNumbers(t *testing.T) {
	devicetest.Run(t, func(t *testing.T, dev device.Device) {
		line := tensor.Of([]float32{0, 1, 2}).To(dev)
		wantValues(t, "a number", tensor.SearchSorted(line, 1.5), 2)
		wantValues(t, "a fraction among integers", tensor.SearchSorted(line.To(dtype.Int32), 1.5), 2)
		wantValues(t, "a bucket", tensor.Bucketize(1, line, tensor.Right(true)), 2)
		wantValues(t, "integers", tensor.SearchSorted(line, tensor.Of([]int{1, 3}).To(dev)), 1, 3)
		fine := tensor.Of([]float64{1 - 1e-12, 1 + 1e-12}).To(dev)
		wantValues(t, "finer numbers", tensor.SearchSorted(line, fine), 1, 2)
		small := tensor.SearchSorted(line.SetRequiresGrad(true), fine, tensor.OutInt32(true))
		if small.DType() != dtype.Int32 || small.RequiresGrad() {
			t.Errorf("got %v, want int32 without gradient", small)
		}
	})
}

// NaN stands behind all numbers, in a line as among values; PyTorch 2.15 gives these places.
func TestSearchSortedOfNaN(t *testing.T) {
	devicetest.Run(t, func(t *testing.T, dev device.Device) {
		line, values := tensor.Of([]float64{0, 1, math.NaN()}).To(dev), tensor.Of([]float64{math.NaN(), math.Inf(1)}).To(dev)
		wantValues(t, "left", tensor.SearchSorted(line, values), 3, 3)
		wantValues(t, "right", tensor.SearchSorted(line, values, tensor.Right(true)), 3, 3)
	})
}

func TestSearchSortedRefuses(t *testing.T) {
	line, lines, values := tensor.Arange(0, 3, 1).Float(), tensor.Zeros(2, 3), tensor.Ones(2)
	for text, f := range map[string]func(){
		"torch.searchsorted(): side can only be 'left' or 'right' but got up":                                                                                                 func() { tensor.SearchSorted(line, values, tensor.Side("up")) },
		"torch.searchsorted(): side and right can't be set to opposites, got side of left while right was True":                                                               func() { tensor.SearchSorted(line, values, tensor.Side("left"), tensor.Right(true)) },
		"torch.searchsorted(): sorter must be a tensor of long dtype but got dtype Int":                                                                                       func() { tensor.SearchSorted(line, values, tensor.Sorter(line.To(dtype.Int32))) },
		"torch.searchsorted(): boundary and sorter must have the same size, but got boundary tensor [3]and got sorter tensor [2]":                                             func() { tensor.SearchSorted(line, values, tensor.Sorter(tensor.Arange(0, 2, 1))) },
		"torch.searchsorted(): sorter index out of range":                                                                                                                     func() { tensor.SearchSorted(line, values, tensor.Sorter(tensor.Of([]int{0, 1, -1}))) },
		"torch.searchsorted(): boundaries tensor should have positive dimension, but got 0 dimension":                                                                         func() { tensor.SearchSorted(tensor.Ones(), values) },
		"torch.searchsorted(): input value can be a scalar only when boundaries tensor dimension is 1, but we got boundaries tensor dim(2) and input value's dim(0) numel(1)": func() { tensor.SearchSorted(lines, 1) },
		"boundaries tensor must be 1 dimension, but got dim(2)":                                                                                                               func() { tensor.Bucketize(values, lines) },
		`"searchsorted_out_cpu" not implemented for 'Bool'`:                                                                                                                   func() { tensor.SearchSorted(line.Bool(), values.Bool()) },
	} {
		if err := tensor.Try(f); err == nil || err.Error() != text {
			t.Errorf("got %v, want %s", err, text)
		}
	}
	if err := tensor.Try(func() { tensor.SearchSorted(line, nil) }); !errors.Is(err, tensor.ErrDType) && !errors.Is(err, tensor.ErrValue) {
		t.Errorf("got %v for no values", err)
	}
}
