package cuda

import (
	"fmt"
	"math"

	"cresset/dtype"
	"cresset/internal/backend"
	"cresset/internal/backend/cuda/kernels"
	"cresset/internal/layout"
	"cresset/internal/op"
)

// convolver64 holds the kernels of a convolution in float64, or of one of its gradients: with large tiles, with small ones, and the sum of
// partial results.
type convolver64 struct{ large, small, sum kernelID }

func (t *table) addConvolutions64() {
	dt := dtype.Float64
	of := func(name string) *convolver64 {
		return &convolver64{typed(name, dt), typed(name+"_small", dt), typed("sum_columns", dt)}
	}
	t[op.Conv][dt] = row{launch: of("conv").forward}
	t[op.ConvGradInput][dt] = row{launch: of("conv_grad_input").gradInput}
	t[op.ConvGradWeight][dt] = row{launch: of("conv_grad_weight").gradWeight}
}

var convolutionParams paramPool[kernels.Convolution]

// forward computes y of x, weights and perhaps a bias.
func (v *convolver64) forward(d *Device, c *backend.Call, _ kernelID) error {
	in, y := c.In(), &c.Out()[0]
	return d.convolve(c, &in[0], &in[1], y, func(s *scratch, p *kernels.Convolution) error {
		p.Left, p.Right = s.packed(&in[1]), s.packed(&in[0])
		if c.Has(2) {
			p.Bias = s.packed(&in[2])
		}
		return v.launch(s, p, p.Outputs, p.Images*p.OutHeight*p.OutWidth, p.Channels*p.Rows*p.Columns)
	})
}

// gradInput computes dx of dy and weights, plus perhaps a bias: a transposed convolution has one.
func (v *convolver64) gradInput(d *Device, c *backend.Call, _ kernelID) error {
	in, dx := c.In(), &c.Out()[0]
	return d.convolve(c, dx, &in[1], &in[0], func(s *scratch, p *kernels.Convolution) error {
		p.Left, p.Right = s.packed(&in[1]), s.packed(&in[0])
		if c.Has(2) {
			p.Bias = s.packed(&in[2])
		}
		return v.launch(s, p, p.Channels, p.Images*p.Height*p.Width, p.Outputs*p.Rows*p.Columns)
	})
}

// gradWeight computes dw of dy and x. The axis that is summed over, the pixels of all images, is long and the result
// small: the axis is split into parts, whose partial results are computed in parallel and then added.
func (v *convolver64) gradWeight(d *Device, c *backend.Call, _ kernelID) error {
	in, dw := c.In(), &c.Out()[0]
	return d.convolve(c, &in[1], dw, &in[0], func(s *scratch, p *kernels.Convolution) error {
		p.Left, p.Right = s.packed(&in[0]), s.packed(&in[1])
		rows, columns, depth := p.Outputs, p.Channels*p.Rows*p.Columns, p.Images*p.OutHeight*p.OutWidth
		p.Parts = kernels.ConvolutionParts(p.Groups, rows, columns, depth)
		if p.Parts == 1 {
			return v.launch(s, p, rows, columns, depth)
		}
		size := dw.Layout.Size()
		parts := s.take(int(p.Parts) * size * dw.DType.Size())
		p.Out = parts.ptr
		if err := v.launch(s, p, rows, columns, depth); err != nil {
			return err
		}
		return v.add(d, parts.ptr, p.Parts, size, address(dw))
	})
}

// launch issues the kernel over the tiles of a result of rows × columns for each group and part.
func (v *convolver64) launch(s *scratch, p *kernels.Convolution, rows, columns, depth uint32) error {
	p.Part = kernels.ConvolutionPart(depth, p.Parts)
	g, small := kernels.ConvolutionGrid(p.Groups*p.Parts, rows, columns)
	if small {
		return issue(s, v.small, g, p)
	}
	return issue(s, v.large, g, p)
}

// add sums partial results that are stored one after the other.
func (v *convolver64) add(d *Device, from uint64, parts uint32, size int, to uint64) error {
	p := reductionParams.take()
	defer reductionParams.give(p)
	*p = kernels.Reduction{
		Outer: 1, N: uint64(parts), Inner: uint64(size), In: from, Out: to, Parts: 1, Total: uint64(parts),
		Strides: [3]int64{0, int64(size), 1},
	}
	g, ok := kernels.ColumnGrid(uint64(size), 1)
	if !ok {
		return fmt.Errorf("cuda: weights of %d elements are too many for one launch", size)
	}
	return launch(d, v.sum, g, p)
}

// convolve calls body, which launches, with the extents of the convolution of x with w to y. The result is contiguous.
func (d *Device) convolve(c *backend.Call, x, w, y *backend.View, body func(s *scratch, p *kernels.Convolution) error) error {
	out := &c.Out()[0]
	if out.Layout.Size() == 0 {
		return nil
	}
	window := c.Params.(op.Window)
	in, weight, to := x.Layout.Shape(), w.Layout.Shape(), y.Layout.Shape()
	if err := convolvable(in, weight, to, window); err != nil {
		return err
	}
	s, p := convolutionParams.begin(d)
	defer s.free()
	*p = kernels.Convolution{
		Out: address(out), Groups: uint32(window.Groups), Parts: 1,
		Images: uint32(in[0]), Channels: uint32(weight[1]), Outputs: uint32(weight[0] / window.Groups),
		Height: uint32(in[2]), Width: uint32(in[3]), OutHeight: uint32(to[2]), OutWidth: uint32(to[3]),
		Rows: uint32(weight[2]), Columns: uint32(weight[3]),
	}
	for i := range 2 {
		p.Padding[i], p.Dilation[i] = uint32(window.Padding[i]), uint32(window.Dilation[i])
		// A stride beyond the padded input has no second step to take.
		p.Stride[i] = uint32(min(window.Stride[i], in[2+i]+2*window.Padding[i]+1))
	}
	return body(&s, p)
}

// convolvable returns an error for shapes whose positions do not fit into the kernels' integers of 32 bits.
func convolvable(in, weight, out layout.Shape, p op.Window) error {
	high, wide := in[2]+2*p.Padding[0]+1, in[3]+2*p.Padding[1]+1
	for _, n := range [][3]int{
		{high, wide, 1}, {in[0], in[2], in[3]}, {out[0], out[2], out[3]}, {weight[0], weight[2], weight[3]},
		{weight[1], weight[2], weight[3]}, {p.Dilation[0], weight[2], 1}, {p.Dilation[1], weight[3], 1},
	} {
		if product := float64(n[0]) * float64(n[1]) * float64(n[2]); product > math.MaxInt32 {
			return fmt.Errorf("cuda: a convolution of %v with %v and padding %v has more places than one launch takes", in, weight, p.Padding)
		}
	}
	return nil
}
