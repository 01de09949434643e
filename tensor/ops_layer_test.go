package tensor_test

import (
	"math"
	"slices"

	"cresset/tensor"
)

// window is a plain description of what slides over the last two axes.
type window struct {
	kernel, stride, padding, dilation [2]int
	groups                            int
}

// extents returns how many places the window has.
func (w window) extents(h, v int) (int, int) {
	size := func(n, i int) int { return (n+2*w.padding[i]-w.dilation[i]*(w.kernel[i]-1)-1)/w.stride[i] + 1 }
	return size(h, 0), size(v, 1)
}

// each calls visit for the elements of the plane that the window covers at place (i, j), and counts those of the padding.
func (w window) each(i, j, rows, cols int, visit func(r, c, y, x int)) (padded int) {
	for r := range w.kernel[0] {
		for c := range w.kernel[1] {
			y := i*w.stride[0] - w.padding[0] + r*w.dilation[0]
			x := j*w.stride[1] - w.padding[1] + c*w.dilation[1]
			if y < 0 || y >= rows || x < 0 || x >= cols {
				padded++
				continue
			}
			visit(r, c, y, x)
		}
	}
	return padded
}

// convolved is the sum over window and channels of one group.
func (w window) convolved(in []array) array {
	x, weight := in[0], in[1]
	h, v := w.extents(x.shape[2], x.shape[3])
	out := newArray(x.shape[0], weight.shape[0], h, v)
	perGroup, inGroup := weight.shape[0]/w.groups, weight.shape[1]
	each(out.shape, func(at []int) {
		sum := 0.0
		if len(in) > 2 {
			sum = in[2].v[at[1]]
		}
		first := at[1] / perGroup * inGroup
		for ch := range inGroup {
			w.each(at[2], at[3], x.shape[2], x.shape[3], func(r, c, y, z int) {
				sum += *x.at(at[0], first+ch, y, z) * *weight.at(at[1], ch, r, c)
			})
		}
		*out.at(at...) = sum
	})
	return out
}

// pooled applies f to what the window covers; padding is how much of it lies outside.
func (w window) pooled(x array, f func(v []float64, padding int) float64) array {
	h, v := w.extents(x.shape[2], x.shape[3])
	out := newArray(x.shape[0], x.shape[1], h, v)
	each(out.shape, func(at []int) {
		var covered []float64
		padded := w.each(at[2], at[3], x.shape[2], x.shape[3], func(_, _, y, z int) {
			covered = append(covered, *x.at(at[0], at[1], y, z))
		})
		*out.at(at...) = f(covered, padded)
	})
	return out
}

func convolution(name string, o []tensor.ConvOption, w window, in ...arg) opRow {
	return opRow{
		name: name,
		f: func(x []*tensor.Tensor) *tensor.Tensor {
			if len(x) == 2 {
				return x[0].Conv2D(x[1], nil, o...)
			}
			return x[0].Conv2D(x[1], x[2], o...)
		},
		in:    in,
		naive: w.convolved,
		scale: 16, moreTypes: true,
	}
}

func pool[O any](name string, f func(x *tensor.Tensor, kernel int, opts ...O) *tensor.Tensor, o []O, w window, ref func(v []float64, padding int) float64) opRow {
	return opRow{
		name:  name,
		f:     func(x []*tensor.Tensor) *tensor.Tensor { return f(x[0], w.kernel[0], o...) },
		in:    []arg{{shape: []int{2, 2, 6, 5}}},
		naive: func(x []array) array { return w.pooled(x[0], ref) },
		scale: 2, moreTypes: true,
		empty: []emptyCase{{[][]int{{0, 2, 6, 5}}, append([]int{0, 2}, w.shape(6, 5)...)}},
		wrong: []wrongCase{{[][]int{{2, 3}}, tensor.ErrShape, "non-empty 3D or 4D (batch mode) tensor expected for input"}},
	}
}

func tooSmall(r *opRow) {
	r.wrong = append(r.wrong, wrongCase{[][]int{{2, 2, 1, 1}}, tensor.ErrShape, "Output size is too small"})
}

func (w window) shape(h, v int) []int {
	a, b := w.extents(h, v)
	return []int{a, b}
}

func maxIn(v []float64, _ int) float64     { return slices.Max(v) }
func meanIn(v []float64, _ int) float64    { return meanOf(v) }
func meanAll(v []float64, pad int) float64 { return sumOf(v) / float64(len(v)+pad) }

var layerRows = []opRow{
	convolution("conv2d", nil, window{kernel: [2]int{2, 3}, stride: [2]int{1, 1}, dilation: [2]int{1, 1}, groups: 1},
		arg{shape: []int{2, 3, 4, 5}}, arg{shape: []int{4, 3, 2, 3}}, arg{shape: []int{4}}).as(func(r *opRow) {
		r.empty = []emptyCase{{[][]int{{0, 3, 4, 5}, {4, 3, 2, 3}, {4}}, []int{0, 4, 3, 3}}}
		r.wrong = []wrongCase{
			{[][]int{{2, 2, 4, 5}, {4, 3, 2, 3}, {4}}, tensor.ErrShape, "to have 3 channels, but got 2 channels instead"},
			{[][]int{{2, 3, 1, 5}, {4, 3, 2, 3}, {4}}, tensor.ErrShape, "Kernel size can't be greater than actual input size"},
			{[][]int{{2, 3, 4, 5}, {4, 3, 2, 3}, {3}}, tensor.ErrShape, "expected bias to be 1-dimensional with 4 elements"},
			{[][]int{{4, 5}, {4, 3, 2, 3}, {4}}, tensor.ErrShape, "Expected 3D (unbatched) or 4D (batched) input to conv2d"},
		}
	}),
	convolution("conv2d strided", []tensor.ConvOption{tensor.Stride(2, 1), tensor.Padding(1, 2), tensor.Dilation(1, 2), tensor.Groups(2)},
		window{kernel: [2]int{3, 2}, stride: [2]int{2, 1}, padding: [2]int{1, 2}, dilation: [2]int{1, 2}, groups: 2},
		arg{shape: []int{2, 4, 5, 4}}, arg{shape: []int{6, 2, 3, 2}}),
	{
		name: "conv2d and relu",
		f: func(x []*tensor.Tensor) *tensor.Tensor {
			return inner.Conv2DReLU(x[0], x[1], x[2], tensor.WindowOf(tensor.Padding(1)))
		},
		in: []arg{{shape: []int{2, 3, 4, 5}}, {shape: []int{4, 3, 3, 3}}, {shape: []int{4}}},
		naive: func(x []array) array {
			w := window{kernel: [2]int{3, 3}, stride: [2]int{1, 1}, padding: [2]int{1, 1}, dilation: [2]int{1, 1}, groups: 1}
			out := w.convolved(x)
			each(out.shape, func(at []int) { *out.at(at...) = relu(*out.at(at...)) })
			return out
		},
		scale: 16, moreTypes: true,
	},
	{
		name: "conv1d",
		f: func(x []*tensor.Tensor) *tensor.Tensor {
			return x[0].Conv1D(x[1], x[2], tensor.Stride(2), tensor.Padding(1))
		},
		in: []arg{{shape: []int{2, 3, 7}}, {shape: []int{4, 3, 3}}, {shape: []int{4}}},
		naive: func(x []array) array {
			w := window{kernel: [2]int{1, 3}, stride: [2]int{1, 2}, padding: [2]int{0, 1}, dilation: [2]int{1, 1}, groups: 1}
			out := w.convolved([]array{{[]int{2, 3, 1, 7}, x[0].v}, {[]int{4, 3, 1, 3}, x[1].v}, x[2]})
			return array{[]int{2, 4, 4}, out.v}
		},
		scale: 16, moreTypes: true,
	},

	pool("max_pool2d", (*tensor.Tensor).MaxPool2D, nil,
		window{kernel: [2]int{2, 2}, stride: [2]int{2, 2}, dilation: [2]int{1, 1}}, maxIn).as(tooSmall),
	pool("max_pool2d strided", (*tensor.Tensor).MaxPool2D,
		[]tensor.MaxPool2DOption{tensor.KernelWidth(2), tensor.Stride(1, 2), tensor.Padding(1, 0), tensor.Dilation(2, 1)},
		window{kernel: [2]int{3, 2}, stride: [2]int{1, 2}, padding: [2]int{1, 0}, dilation: [2]int{2, 1}}, maxIn).as(tooSmall),
	pool("avg_pool2d", (*tensor.Tensor).AvgPool2D, []tensor.AvgPool2DOption{tensor.KernelWidth(2), tensor.Stride(2), tensor.Padding(1)},
		window{kernel: [2]int{3, 2}, stride: [2]int{2, 2}, padding: [2]int{1, 1}, dilation: [2]int{1, 1}}, meanAll),
	pool("avg_pool2d without padding", (*tensor.Tensor).AvgPool2D,
		[]tensor.AvgPool2DOption{tensor.KernelWidth(2), tensor.Stride(2), tensor.Padding(1), tensor.CountIncludePad(false)},
		window{kernel: [2]int{3, 2}, stride: [2]int{2, 2}, padding: [2]int{1, 1}, dilation: [2]int{1, 1}}, meanIn),
	{
		name: "adaptive_avg_pool2d",
		f:    func(x []*tensor.Tensor) *tensor.Tensor { return x[0].AdaptiveAvgPool2D(3, 2) },
		in:   []arg{{shape: []int{2, 2, 5, 4}}},
		naive: func(x []array) array {
			out := newArray(2, 2, 3, 2)
			each(out.shape, func(at []int) {
				var covered []float64
				for y := at[2] * 5 / 3; y < ((at[2]+1)*5+2)/3; y++ {
					for z := at[3] * 2; z < (at[3]+1)*2; z++ {
						covered = append(covered, *x[0].at(at[0], at[1], y, z))
					}
				}
				*out.at(at...) = meanOf(covered)
			})
			return out
		},
		scale: 2,
		wrong: []wrongCase{{[][]int{{4, 5}}, tensor.ErrShape, "Expected 3D or 4D tensor"}},
	},

	{
		name: "batch_norm in training",
		f: func(x []*tensor.Tensor) *tensor.Tensor {
			return x[0].BatchNorm(x[1], x[2], nil, nil, tensor.Training(true), tensor.Momentum(0.1), tensor.Eps(1e-3))
		},
		in: []arg{{shape: []int{4, 3, 5}}, {shape: []int{3}}, {shape: []int{3}}},
		naive: func(x []array) array {
			return normalized(x[0], x[1], x[2], 1e-3, func(at []int) (int, any) { return at[1], at[1] })
		},
		scale: 8,
		wrong: []wrongCase{
			{[][]int{{4, 3, 5}, {2}, {3}}, tensor.ErrShape, "weight should contain 3 elements not 2"},
			{[][]int{{1, 3}, {3}, {3}}, tensor.ErrValue, "Expected more than 1 value per channel when training"},
		},
	},
	{
		name: "batch_norm",
		f: func(x []*tensor.Tensor) *tensor.Tensor {
			return x[0].BatchNorm(x[1], x[2], x[3], x[4], tensor.Eps(1e-3))
		},
		in: []arg{{shape: []int{4, 3, 5}}, {shape: []int{3}}, {shape: []int{3}}, {shape: []int{3}, constant: true}, {shape: []int{3}, lo: 0.5, hi: 2, constant: true}},
		naive: func(x []array) array {
			out := newArray(x[0].shape...)
			each(out.shape, func(at []int) {
				c := at[1]
				*out.at(at...) = (*x[0].at(at...)-x[3].v[c])/math.Sqrt(x[4].v[c]+1e-3)*x[1].v[c] + x[2].v[c]
			})
			return out
		},
		scale: 16,
		empty: []emptyCase{{[][]int{{0, 3, 5}, {3}, {3}, {3}, {3}}, []int{0, 3, 5}}},
	},
	{
		name: "layer_norm",
		f: func(x []*tensor.Tensor) *tensor.Tensor {
			return x[0].LayerNorm([]int{3, 4}, x[1], x[2], tensor.Eps(1e-3))
		},
		in: []arg{{shape: []int{2, 3, 4}}, {shape: []int{3, 4}}, {shape: []int{3, 4}}},
		naive: func(x []array) array {
			return normalized(x[0], x[1], x[2], 1e-3, func(at []int) (int, any) { return at[1]*4 + at[2], at[0] })
		},
		scale: 8,
		empty: []emptyCase{{[][]int{{0, 3, 4}, {3, 4}, {3, 4}}, []int{0, 3, 4}}},
		wrong: []wrongCase{
			{[][]int{{2, 4, 3}, {3, 4}, {3, 4}}, tensor.ErrShape, "expected input with shape [*, 3, 4]"},
			{[][]int{{2, 3, 4}, {4}, {3, 4}}, tensor.ErrShape, "Expected weight to be of same shape as normalized_shape"},
		},
	},
}

// normalized scales the elements of each group, which place names together with an element's weight, to mean 0 and
// variance 1.
func normalized(x, weight, bias array, eps float64, place func(at []int) (weight int, group any)) array {
	groups := make(map[any][]float64)
	each(x.shape, func(at []int) {
		_, g := place(at)
		groups[g] = append(groups[g], *x.at(at...))
	})
	out := newArray(x.shape...)
	each(x.shape, func(at []int) {
		w, g := place(at)
		v := groups[g]
		n := float64(len(v))
		*out.at(at...) = (*x.at(at...)-meanOf(v))/math.Sqrt(varianceOf(v)*(n-1)/n+eps)*weight.v[w] + bias.v[w]
	})
	return out
}
