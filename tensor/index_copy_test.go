package tensor_test

import (
	"fmt"
	"slices"
	"testing"

	"cresset/device"
	"cresset/internal/devicetest"
	"cresset/internal/mem"
	"cresset/tensor"
)

// TestIndexCopyInPlaceWritesRowsAlone writes to whole tensors, parts of one, columns, and rows of a tensor to others of it.
func TestIndexCopyInPlaceWritesRowsAlone(t *testing.T) {
	devicetest.Run(t, func(t *testing.T, dev device.Device) {
		index := tensor.Of([]int{2, 0}).To(dev)
		rows := tensor.Of([][]float32{{-1, -2}, {-3, -4}}).To(dev)
		for name, c := range map[string]struct {
			write func(x *tensor.Tensor)
			want  []float32
		}{
			"whole":        {func(x *tensor.Tensor) { x.IndexCopyInPlace(0, index, rows) }, []float32{-3, -4, 2, 3, -1, -2, 6, 7}},
			"a part":       {func(x *tensor.Tensor) { x.Narrow(0, 1, 3).IndexCopyInPlace(0, index, rows) }, []float32{0, 1, -3, -4, 4, 5, -1, -2}},
			"columns":      {func(x *tensor.Tensor) { x.Transpose(0, 1).IndexCopyInPlace(1, index, rows) }, []float32{-2, -4, 2, 3, -1, -3, 6, 7}},
			"its own rows": {func(x *tensor.Tensor) { x.IndexCopyInPlace(0, tensor.Of([]int{1, 0, 2, 3}).To(dev), x) }, []float32{2, 3, 0, 1, 4, 5, 6, 7}},
		} {
			x := tensor.On(dev).As(rows.DType()).Arange(0, 8, 1).View(4, 2)
			c.write(x)
			if got := tensor.Values[float32](x); !slices.Equal(got, c.want) {
				t.Errorf("%s: %v, not %v", name, got, c.want)
			}
		}
	})
	x := tensor.Zeros(1<<16, 16)
	before := mem.ReadStats().Allocated
	mem.SetFault(func(bytes int) error {
		if held := mem.ReadStats().Allocated - before + int64(bytes); held > 1<<20 {
			return fmt.Errorf("%d bytes beside a tensor of which two rows are written", held)
		}
		return nil
	})
	defer mem.SetFault(nil)
	x.IndexCopyInPlace(0, tensor.Of([]int{7, 9}), tensor.Ones(2, 16))
	if got := x.Sum().Float64(); got != 32 {
		t.Errorf("the sum is %v, not 32", got)
	}
}

func TestIndexCopyInPlaceRefusesNil(t *testing.T) {
	x := tensor.Zeros(3)
	for _, f := range []func(){
		func() { x.IndexCopyInPlace(0, nil, x) },
		func() { x.IndexCopyInPlace(0, tensor.Of([]int{0, 1, 2}), nil) },
	} {
		if err := tensor.Try(f); err == nil {
			t.Error("nothing was refused")
		}
	}
}

// TestWritingATensorToItself writes a tensor's elements to other places of it, in place.
func TestWritingATensorToItself(t *testing.T) {
	devicetest.Run(t, func(t *testing.T, dev device.Device) {
		next := tensor.Of([]int{1, 2, 3, 4, 5, 6, 7, 0}).To(dev)
		index := []*tensor.Tensor{next}
		for name, c := range map[string]struct {
			write func(x *tensor.Tensor)
			want  []int64
		}{
			"IndexPutInPlace":               {func(x *tensor.Tensor) { x.IndexPutInPlace(index, x) }, []int64{7, 0, 1, 2, 3, 4, 5, 6}},
			"IndexPutInPlace, accumulating": {func(x *tensor.Tensor) { x.IndexPutInPlace(index, x, tensor.Accumulate(true)) }, []int64{7, 1, 3, 5, 7, 9, 11, 13}},
			"IndexPutInPlace by itself":     {func(x *tensor.Tensor) { x.IndexPutInPlace([]*tensor.Tensor{x}, next) }, []int64{1, 2, 3, 4, 5, 6, 7, 0}},
			"SetIndex":                      {func(x *tensor.Tensor) { x.SetIndex(x, next) }, []int64{7, 0, 1, 2, 3, 4, 5, 6}},
			"ScatterInPlace":                {func(x *tensor.Tensor) { x.ScatterInPlace(0, next, x) }, []int64{7, 0, 1, 2, 3, 4, 5, 6}},
			"ScatterInPlace by itself":      {func(x *tensor.Tensor) { x.ScatterInPlace(0, x, next) }, []int64{1, 2, 3, 4, 5, 6, 7, 0}},
			"ScatterAddInPlace":             {func(x *tensor.Tensor) { x.ScatterAddInPlace(0, next, x) }, []int64{7, 1, 3, 5, 7, 9, 11, 13}},
			"IndexAddInPlace":               {func(x *tensor.Tensor) { x.IndexAddInPlace(0, next, x) }, []int64{7, 1, 3, 5, 7, 9, 11, 13}},
			"IndexCopyInPlace":              {func(x *tensor.Tensor) { x.IndexCopyInPlace(0, next, x) }, []int64{7, 0, 1, 2, 3, 4, 5, 6}},
			"IndexCopyInPlace by itself":    {func(x *tensor.Tensor) { x.IndexCopyInPlace(0, x, next) }, []int64{1, 2, 3, 4, 5, 6, 7, 0}},
			"MaskedScatterInPlace":          {func(x *tensor.Tensor) { x.MaskedScatterInPlace(x.GtScalar(2), x) }, []int64{0, 1, 2, 0, 1, 2, 3, 4}},
			"CopyInPlace":                   {func(x *tensor.Tensor) { x.CopyInPlace(x.Flip(0)) }, []int64{7, 6, 5, 4, 3, 2, 1, 0}},
		} {
			x := tensor.Of([]int{0, 1, 2, 3, 4, 5, 6, 7}).To(dev)
			c.write(x)
			if got := tensor.Values[int64](x); !slices.Equal(got, c.want) {
				t.Errorf("%s: %v, not %v", name, got, c.want)
			}
		}
	})
}
