package tensor_test

import "cresset/tensor"

// slide is a window over any number of axes with the same figures for each.
type slide struct{ stride, padding, dilation, groups int }

// each calls visit for the taps of a kernel at a place of what it slides over, and for where they lie.
func (s slide) each(kernel, extents, at []int, visit func(tap, from []int)) {
	each(kernel, func(tap []int) {
		from := make([]int, len(at))
		for i := range at {
			from[i] = at[i]*s.stride - s.padding + tap[i]*s.dilation
			if from[i] < 0 || from[i] >= extents[i] {
				return
			}
		}
		visit(tap, from)
	})
}

// convolved is the sum over window and channels of one group, in a result of the given extents.
func (s slide) convolved(extents ...int) func(in []array) array {
	return func(in []array) array {
		x, weight := in[0], in[1]
		out := newArray(append([]int{x.shape[0], weight.shape[0]}, extents...)...)
		perGroup, inGroup := weight.shape[0]/s.groups, weight.shape[1]
		each(out.shape, func(at []int) {
			y := out.at(at...)
			if len(in) > 2 {
				*y = in[2].v[at[1]]
			}
			for c := range inGroup {
				s.each(weight.shape[2:], x.shape[2:], at[2:], func(tap, from []int) {
					*y += *x.at(append([]int{at[0], at[1]/perGroup*inGroup + c}, from...)...) * *weight.at(append([]int{at[1], c}, tap...)...)
				})
			}
		})
		return out
	}
}

// transposed hands each element of x to the places of the result that it would be computed from.
func (s slide) transposed(extents ...int) func(in []array) array {
	return func(in []array) array {
		x, weight := in[0], in[1]
		inGroup, perGroup := x.shape[1]/s.groups, weight.shape[1]
		out := newArray(append([]int{x.shape[0], perGroup * s.groups}, extents...)...)
		if len(in) > 2 {
			each(out.shape, func(at []int) { *out.at(at...) = in[2].v[at[1]] })
		}
		each(x.shape, func(at []int) {
			for k := range perGroup {
				s.each(weight.shape[2:], extents, at[2:], func(tap, to []int) {
					*out.at(append([]int{at[0], at[1]/inGroup*perGroup + k}, to...)...) += *x.at(at...) * *weight.at(append([]int{at[1], k}, tap...)...)
				})
			}
		})
		return out
	}
}

func convolutionOf[O any](name string, f func(x, weight, bias *tensor.Tensor, opts ...O) *tensor.Tensor, opts []O, naive func(in []array) array, shapes ...[]int) opRow {
	r := opRow{
		name: name,
		f: func(x []*tensor.Tensor) *tensor.Tensor {
			if len(x) == 2 {
				return f(x[0], x[1], nil, opts...)
			}
			return f(x[0], x[1], x[2], opts...)
		},
		naive: naive,
		scale: 32, moreTypes: true,
	}
	for _, s := range shapes {
		r.in = append(r.in, arg{shape: s})
	}
	return r
}

type (
	convOptions          = []tensor.ConvOption
	convTransposeOptions = []tensor.ConvTransposeOption
)

var convolutionRows = []opRow{
	convolutionOf("conv2d same", (*tensor.Tensor).Conv2D, convOptions{tensor.SamePadding(), tensor.Dilation(2)},
		slide{1, 2, 2, 1}.convolved(4, 5), []int{1, 2, 4, 5}, []int{3, 2, 3, 3}),
	convolutionOf("conv1d same, uneven", (*tensor.Tensor).Conv1D, convOptions{tensor.SamePadding()},
		slide{1, 1, 1, 1}.convolved(5), []int{2, 2, 5}, []int{3, 2, 4}, []int{3}),
	convolutionOf("conv3d", (*tensor.Tensor).Conv3D, nil,
		slide{1, 0, 1, 1}.convolved(2, 2, 3), []int{2, 3, 3, 3, 4}, []int{4, 3, 2, 2, 2}, []int{4}).as(func(r *opRow) {
		r.empty = []emptyCase{{[][]int{{0, 3, 3, 3, 4}, {4, 3, 2, 2, 2}, {4}}, []int{0, 4, 2, 2, 3}}}
		r.wrong = []wrongCase{
			{[][]int{{3, 4}, {4, 3, 2, 2, 2}, {4}}, tensor.ErrShape, "Expected 4D (unbatched) or 5D (batched) input to conv3d"},
			{[][]int{{2, 3, 1, 3, 4}, {4, 3, 2, 2, 2}, {4}}, tensor.ErrShape, "Kernel size can't be greater than actual input size"},
		}
	}),
	convolutionOf("conv3d strided", (*tensor.Tensor).Conv3D, convOptions{tensor.Stride(2), tensor.Padding(1), tensor.Dilation(2), tensor.Groups(2)},
		slide{2, 1, 2, 2}.convolved(2, 3, 2), []int{1, 4, 4, 5, 3}, []int{4, 2, 2, 2, 2}),
	convolutionOf("conv_transpose1d", (*tensor.Tensor).ConvTranspose1D, convTransposeOptions{tensor.Stride(2), tensor.Padding(1), tensor.OutputPadding(1)},
		slide{2, 1, 1, 1}.transposed(8), []int{2, 3, 4}, []int{3, 2, 3}, []int{2}),
	convolutionOf("conv_transpose2d", (*tensor.Tensor).ConvTranspose2D, nil,
		slide{1, 0, 1, 1}.transposed(4, 5), []int{2, 3, 3, 4}, []int{3, 2, 2, 2}, []int{2}).as(func(r *opRow) {
		r.empty = []emptyCase{{[][]int{{0, 3, 3, 4}, {3, 2, 2, 2}, {2}}, []int{0, 2, 4, 5}}}
		r.wrong = []wrongCase{
			{[][]int{{2, 2, 3, 4}, {3, 2, 2, 2}, {2}}, tensor.ErrShape, "to have 3 channels, but got 2 channels instead"},
			{[][]int{{2, 3, 3, 4}, {3, 2, 2, 2}, {3}}, tensor.ErrShape, "expected bias to be 1-dimensional with 2 elements"},
		}
	}),
	convolutionOf("conv_transpose2d strided", (*tensor.Tensor).ConvTranspose2D,
		convTransposeOptions{tensor.Stride(2), tensor.Padding(1), tensor.Dilation(2), tensor.Groups(2), tensor.OutputPadding(1)},
		slide{2, 1, 2, 2}.transposed(6, 4), []int{1, 4, 3, 2}, []int{4, 3, 2, 2}, []int{6}),
	// What is added at the end may be more than a step: no window of the convolution begins there.
	convolutionOf("conv_transpose2d padded beyond the stride", (*tensor.Tensor).ConvTranspose2D,
		convTransposeOptions{tensor.Dilation(3), tensor.OutputPadding(2)},
		slide{1, 0, 3, 1}.transposed(8, 7), []int{1, 2, 3, 2}, []int{2, 3, 2, 2}),
	convolutionOf("conv_transpose3d", (*tensor.Tensor).ConvTranspose3D, convTransposeOptions{tensor.Stride(2), tensor.Padding(1), tensor.Groups(2)},
		slide{2, 1, 1, 2}.transposed(3, 5, 3), []int{1, 2, 2, 3, 2}, []int{2, 2, 3, 3, 3}, []int{4}),
}
