package tensor_test

import (
	"errors"
	"slices"
	"testing"

	"cresset/device"
	"cresset/dtype"
	. "cresset/tensor"
)

// integersOf returns small integers of both signs, in a tensor of a dtype.
func integersOf(dt dtype.DType, sizes ...int) *Tensor {
	x := On(device.CPU).Ones(sizes...).Reshape(-1).CumSum(0)
	return x.MulScalar(7).RemainderScalar(5).SubScalar(1).Reshape(sizes...).Long().To(dt)
}

// TestConvolutionsOfIntegers judges convolutions of integers on the CPU by those of float64, where these are exact.
func TestConvolutionsOfIntegers(t *testing.T) {
	for name, row := range map[string]struct {
		image, weight []int
		f             func(x, weight, bias *Tensor) *Tensor
	}{
		"line":    {[]int{2, 4, 9}, []int{6, 2, 3}, func(x, w, b *Tensor) *Tensor { return x.Conv1D(w, b, Groups(2), Padding(1)) }},
		"image":   {[]int{2, 3, 7, 5}, []int{4, 3, 3, 2}, func(x, w, b *Tensor) *Tensor { return x.Conv2D(w, b, Stride(2), Padding(1)) }},
		"same":    {[]int{1, 3, 7, 5}, []int{4, 3, 4, 3}, func(x, w, b *Tensor) *Tensor { return x.Conv2D(w, b, SamePadding()) }},
		"no bias": {[]int{3, 7, 5}, []int{4, 3, 3, 2}, func(x, w, _ *Tensor) *Tensor { return x.Conv2D(w, nil) }},
		"volume":  {[]int{2, 2, 4, 5, 3}, []int{3, 2, 2, 3, 1}, func(x, w, b *Tensor) *Tensor { return x.Conv3D(w, b, Padding(1)) }},
		"empty":   {[]int{0, 3, 7, 5}, []int{4, 3, 3, 2}, func(x, w, b *Tensor) *Tensor { return x.Conv2D(w, b) }},
	} {
		for _, dt := range []dtype.DType{dtype.Int8, dtype.Int16, dtype.Int32, dtype.Int64} {
			of := func(dt dtype.DType) *Tensor {
				return row.f(integersOf(dt, row.image...), integersOf(dt, row.weight...), integersOf(dt, row.weight[0]))
			}
			if got, want := of(dt), of(dtype.Float64).Long().To(dt); got.DType() != dt || !got.Equal(want) {
				t.Errorf("%s of %s: got %v, want %v", name, dt, got, want)
			}
		}
	}
}

// TestIntegersThatWindowsRefuse holds the refusals to PyTorch's: dilated windows over what is not int64, and all on GPUs.
func TestIntegersThatWindowsRefuse(t *testing.T) {
	dilated := func(x, w *Tensor) *Tensor { return x.Conv2D(w, nil, Dilation(2)) }
	flat := func(x, w *Tensor) *Tensor { return x.Conv2D(w, nil) }
	over := func(x, w *Tensor) *Tensor { return x.ConvTranspose2D(w, nil) }
	for _, row := range []struct {
		dt   dtype.DType
		f    func(x, w *Tensor) *Tensor
		want string
	}{
		{dtype.Int32, dilated, `"slow_conv_dilated<>" not implemented for 'Int'`},
		{dtype.Bool, flat, `"slow_conv2d_cpu" not implemented for 'Bool'`},
		{dtype.Int16, over, `"slow_conv_transpose2d_out_cpu" not implemented for 'Short'`},
		{dtype.Int64, func(x, _ *Tensor) *Tensor { return x.Select(0, 0).MaxPool1D(2) }, `"max_pool1d_impl" not implemented for 'Long'`},
		{dtype.Int32, func(x, _ *Tensor) *Tensor { return x.AvgPool2D(2) }, `"avg_pool2d" not implemented for 'Int'`},
		{dtype.Int8, func(x, _ *Tensor) *Tensor { return x.AvgPool3D(2) }, `"avg_pool3d_out_frame" not implemented for 'Char'`},
		{dtype.Bool, func(x, _ *Tensor) *Tensor { return x.MaxPool2D(2) }, `"max_pool2d" not implemented for 'Bool'`},
	} {
		x, w := integersOf(row.dt, 1, 2, 5, 5), integersOf(row.dt, 2, 2, 2, 2)
		if err := Try(func() { row.f(x, w) }); !errors.Is(err, ErrKernel) || err.Error() != row.want {
			t.Errorf("got %v, want %s", err, row.want)
		}
	}
	got := dilated(integersOf(dtype.Int64, 1, 2, 5, 5), integersOf(dtype.Int64, 2, 2, 2, 2))
	want := dilated(integersOf(dtype.Float64, 1, 2, 5, 5), integersOf(dtype.Float64, 2, 2, 2, 2))
	if !slices.Equal(Values[int64](got), Values[int64](want.Long())) {
		t.Errorf("dilated: got %v, want %v", got, want)
	}
}

// TestTransposedConvolutionsOfIntegers judges those of int64 on the CPU by those of float64.
func TestTransposedConvolutionsOfIntegers(t *testing.T) {
	for name, row := range map[string]struct {
		image, weight []int
		channels      int
		f             func(x, weight, bias *Tensor) *Tensor
	}{
		"line": {[]int{2, 4, 9}, []int{4, 3, 3}, 6, func(x, w, b *Tensor) *Tensor { return x.ConvTranspose1D(w, b, Groups(2), Padding(1)) }},
		"image": {[]int{2, 3, 4, 5}, []int{3, 2, 3, 2}, 2, func(x, w, b *Tensor) *Tensor {
			return x.ConvTranspose2D(w, b, Stride(2), Padding(1), OutputPadding(1), Dilation(2))
		}},
		"no bias": {[]int{3, 4, 5}, []int{3, 2, 3, 2}, 2, func(x, w, _ *Tensor) *Tensor { return x.ConvTranspose2D(w, nil) }},
		"volume":  {[]int{2, 2, 3, 4, 3}, []int{2, 3, 2, 3, 1}, 3, func(x, w, b *Tensor) *Tensor { return x.ConvTranspose3D(w, b, Stride(2)) }},
		"empty":   {[]int{0, 3, 4, 5}, []int{3, 2, 3, 2}, 2, func(x, w, b *Tensor) *Tensor { return x.ConvTranspose2D(w, b) }},
	} {
		of := func(dt dtype.DType) *Tensor {
			return row.f(integersOf(dt, row.image...), integersOf(dt, row.weight...), integersOf(dt, row.channels))
		}
		if got, want := of(dtype.Int64), of(dtype.Float64).Long(); !got.Equal(want) {
			t.Errorf("%s: got %v, want %v", name, got, want)
		}
	}
}

// TestPoolsOfIntegers judges pools of integers on the CPU by those of float64, of which means are cut off.
func TestPoolsOfIntegers(t *testing.T) {
	most := func(values, indices *Tensor) *Tensor { return Stack([]*Tensor{values.Double(), indices.Double()}, 0) }
	for name, row := range map[string]struct {
		image []int
		mean  bool
		f     func(x *Tensor) *Tensor
	}{
		"line": {[]int{2, 3, 9}, false, func(x *Tensor) *Tensor { return most(x.MaxPool1DWithIndices(3, Padding(1))) }},
		"image": {[]int{2, 3, 7, 5}, false, func(x *Tensor) *Tensor {
			return most(x.MaxPool2DWithIndices(2, KernelWidth(3), Stride(2), Padding(1), Dilation(2), CeilMode(true)))
		}},
		"values":      {[]int{3, 7, 5}, false, func(x *Tensor) *Tensor { return x.MaxPool2D(3).Double() }},
		"volume":      {[]int{2, 4, 5, 6}, false, func(x *Tensor) *Tensor { return most(x.MaxPool3DWithIndices(2, Stride(1))) }},
		"line mean":   {[]int{2, 3, 9}, true, func(x *Tensor) *Tensor { return x.AvgPool1D(4, Stride(2)).Double() }},
		"image mean":  {[]int{2, 3, 7, 5}, true, func(x *Tensor) *Tensor { return x.AvgPool2D(3, Padding(1), CeilMode(true)).Double() }},
		"fewer":       {[]int{2, 3, 7, 5}, true, func(x *Tensor) *Tensor { return x.AvgPool2D(3, Padding(1), CountIncludePad(false)).Double() }},
		"volume mean": {[]int{2, 5, 6, 7}, true, func(x *Tensor) *Tensor { return x.AvgPool3D(3, Stride(2), Padding(1), CeilMode(true)).Double() }},
		"fewer still": {[]int{2, 5, 6, 7}, true, func(x *Tensor) *Tensor { return x.AvgPool3D(3, Padding(1), CountIncludePad(false)).Double() }},
		"by five":     {[]int{2, 5, 6, 7}, true, func(x *Tensor) *Tensor { return x.AvgPool3D(3, Padding(1), DivisorOverride(5)).Double() }},
		"empty":       {[]int{0, 3, 7, 5}, true, func(x *Tensor) *Tensor { return x.AvgPool2D(3).Double() }},
	} {
		for _, dt := range []dtype.DType{dtype.Int8, dtype.Int16, dtype.Int32, dtype.Int64} {
			if row.mean && dt != dtype.Int64 {
				continue
			}
			want := row.f(integersOf(dtype.Float64, row.image...))
			if row.mean { // of volumes rounded twice: a little below a whole number is that number
				want = want.MulScalar(1e9).Round().DivScalar(1e9).Trunc()
			}
			if got := row.f(integersOf(dt, row.image...)); !got.Equal(want) {
				t.Errorf("%s of %s: got %v, want %v", name, dt, got, want)
			}
		}
	}
	least := Full([]int{1, 1, 1}, -128).To(dtype.Int8).Expand(1, 2, 2).MaxPool2D(2)
	if v := Values[int8](least); v[0] != -128 {
		t.Errorf("the largest of the least is %v", v)
	}
}
