package cuda

import (
	"slices"

	"cresset/dtype"
	"cresset/internal/backend"
	"cresset/internal/backend/cuda/kernels"
	"cresset/internal/layout"
	"cresset/internal/op"
)

// PacksGradients reports whether the gradients of a convolution for x and for its weight both pack dy with its channels last.
func (d *Device) PacksGradients(dt dtype.DType, window op.Window, x, w, y layout.Shape) bool {
	v := halfConvolvers[dt]
	if v == nil || slices.Contains(slices.Concat(x, w, y), 0) || convolvable(x, w, y, window) != nil {
		return false
	}
	p := tiledParams.take()
	defer tiledParams.give(p)
	for _, o := range [...]op.Op{op.ConvGradInput, op.ConvGradWeight} {
		n := convolution{TiledConvolution: p, op: o}
		n.measure(window, x, w, y)
		if whole, pixels := n.products(); whole || pixels || d.planConvolution(n.key(true, v.taken(d))).tiled == nil {
			return false
		}
	}
	return p.Rows == kernels.PaddedChannels(p.Rows)
}

// packPlanes has x and dy as they come, and weights as [group][tap][channel][row], in lines of whole fours.
func (s *scratch) packPlanes(n *convolution) {
	switch n.op {
	case op.ConvGradWeight:
		n.Left, n.Right = s.packed(n.y), s.packed(n.x)
		return
	case op.Conv:
		n.Right = s.packed(n.x)
	default:
		n.Right = s.packed(n.y)
	}
	n.Pitch = (n.Rows + 3) &^ 3
	g, r, c, pitch := int(n.Groups), int(n.Rows), int(n.Channels), int(n.Pitch)
	rows, columns := int(n.Window[0]), int(n.Window[1])
	steps := n.weightSteps()
	n.Left = s.arranged(n.w, []int{g, rows, columns, c, r}, []int{steps[0], steps[3], steps[4], steps[2], steps[1]},
		[]int{rows * columns * c * pitch, columns * c * pitch, c * pitch, pitch, 1}, false)
}

// packChunks has x and dy with their channels last, in whole chunks for each group, and weights as [group][row][tap][channel], likewise. Where sums are
// over channels, zeros complete the chunks.
func (s *scratch) packChunks(n *convolution) {
	lines := int(n.Lines)
	if n.op == op.ConvGradWeight {
		perGroup := int(kernels.PaddedChannels(n.Rows))
		n.Pitch = n.Groups * uint32(perGroup)
		n.Left, n.Right = s.channelsLast(n.y, int(n.Groups), perGroup, false), s.channelsLast(n.x, int(n.Groups), lines, false)
		return
	}
	from := n.x
	if n.op == op.ConvGradInput {
		from = n.y
	}
	n.Right = s.channelsLast(from, int(n.Groups), lines, true)
	g, r, c := int(n.Groups), int(n.Rows), int(n.Channels)
	rows, columns := int(n.Window[0]), int(n.Window[1])
	steps := n.weightSteps()
	n.Left = s.arranged(n.w, []int{g, r, rows, columns, c}, []int{steps[0], steps[1], steps[3], steps[4], steps[2]},
		[]int{r * rows * columns * lines, rows * columns * lines, columns * lines, lines, 1}, true)
}

// weightSteps are the weights' strides along groups, rows and channels of the product, and both axes of the window.
func (n *convolution) weightSteps() [5]int {
	t := make([]int, 4)
	if !n.w.IsConst() {
		t = n.w.Layout.Strides()
	}
	if n.op == op.ConvGradInput {
		return [5]int{int(n.Channels) * t[0], t[1], t[0], t[2], t[3]}
	}
	return [5]int{int(n.Rows) * t[0], t[0], t[1], t[2], t[3]}
}

// channelsLast returns where planes lie as [image][row][column][group][lines], completed by zeros or by anything.
func (s *scratch) channelsLast(v *backend.View, groups, lines int, zeros bool) uint64 {
	shape, t := v.Layout.Shape(), make([]int, 4)
	if !v.IsConst() {
		t = v.Layout.Strides()
	}
	c := shape[1] / groups
	return s.arranged(v, []int{shape[0], shape[2], shape[3], groups, c}, []int{t[0], t[2], t[3], c * t[1], t[1]},
		[]int{shape[2] * shape[3] * groups * lines, shape[3] * groups * lines, groups * lines, lines, 1}, zeros)
}

// arranged returns where the elements of a view, with the given strides along the axes of a shape, lie with others: in place where they do, from an
// address that is aligned for vectors, else as a copy. Lines of the copy may be longer than the last axis: zeros complete them if they have to.
func (s *scratch) arranged(v *backend.View, shape, strides, to []int, zeros bool) uint64 {
	last := len(shape) - 1
	beyond := to[last-1] - shape[last]
	if !v.IsConst() && address(v)%vectorBytes == 0 {
		same := beyond == 0
		for i, n := range shape {
			same = same && (n == 1 || strides[i] == to[i])
		}
		if same {
			return address(v)
		}
	}
	b := s.take(shape[0] * to[0] * v.DType.Size())
	if s.err != nil || slices.Contains(shape[:last], 0) {
		return b.ptr
	}
	if zeros && beyond > 0 {
		rest := append(slices.Clone(shape[:last]), beyond)
		out := layout.Of(rest, to, shape[last])
		s.err = s.device.copyView(&backend.View{Buf: b, Layout: &out, DType: v.DType}, &backend.View{DType: v.DType})
	}
	if s.err != nil || shape[last] == 0 {
		return b.ptr
	}
	out := layout.Of(shape, to, 0)
	in := *v
	if !v.IsConst() {
		l := layout.Of(shape, strides, v.Layout.Offset)
		in.Layout = &l
	}
	s.err = s.device.copyView(&backend.View{Buf: b, Layout: &out, DType: v.DType}, &in)
	return b.ptr
}
