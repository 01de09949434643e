package cuda

import (
	"cresset/internal/backend/cuda/kernels"
	"cresset/internal/op"
)

// multiply computes a convolution that is a product as it stands, and reports whether it is one and the device has kernels for it.
func (v *convolver) multiply(s *scratch, n *convolution) (done bool, err error) {
	whole, pixels := n.products()
	if !whole && !pixels {
		return false, nil
	}
	p := productParams.take()
	defer productParams.give(p)
	*p = kernels.Product{Count: 1, Out: address(n.out), Alpha: 1, Parts: 1}
	if whole {
		n.multiplyWhole(s, p)
	} else {
		n.multiplyPixels(s, p)
	}
	if s.err != nil || max(p.M, p.N, p.K) > 1<<31 {
		return false, s.err
	}
	p.OutStrides = [3]int64{int64(p.M * p.N), int64(p.N), 1}
	p.Part = p.K
	return v.products.multiply(s, p, n.out.DType)
}

// products reports whether it is a product since its window covers all of x, or since its window is a pixel.
func (n *convolution) products() (whole, pixels bool) {
	if n.Groups != 1 || n.Channels == 0 || n.Images == 0 || n.Padding != [2]uint32{} {
		return false, false
	}
	return n.covers() && !(n.op == op.ConvGradInput && n.Bias != 0), n.pointwise() && (n.op != op.ConvGradWeight || n.Images == 1)
}

// covers reports whether the window is all of x.
func (n *convolution) covers() bool {
	x, y := n.InSize, n.OutSize
	if n.op == op.ConvGradInput {
		x, y = y, x
	}
	return x == n.Window && y == [2]uint32{1, 1}
}

// multiplyWhole describes a product over images, outputs and the elements of a window.
func (n *convolution) multiplyWhole(s *scratch, p *kernels.Product) {
	images, size := uint64(n.Images), uint64(n.x.Layout.Size())/uint64(n.Images)
	outputs := uint64(n.y.Layout.Size()) / images
	switch n.op {
	case op.Conv: // y = x · wᵀ
		p.M, p.N, p.K = images, outputs, size
		p.A, p.AStrides = s.packed(n.x), [3]int64{0, int64(size), 1}
		p.B, p.BStrides = s.packed(n.w), [3]int64{0, 1, int64(size)}
		if n.Bias != 0 {
			p.Add, p.AddStrides, p.Beta = n.Bias, [3]int64{0, 0, 1}, 1
		}
	case op.ConvGradInput: // dx = dy · w
		p.M, p.N, p.K = images, size, outputs
		p.A, p.AStrides = s.packed(n.y), [3]int64{0, int64(outputs), 1}
		p.B, p.BStrides = s.packed(n.w), [3]int64{0, int64(size), 1}
	default: // dw = dyᵀ · x
		p.M, p.N, p.K = outputs, size, images
		p.A, p.AStrides = s.packed(n.y), [3]int64{0, 1, int64(outputs)}
		p.B, p.BStrides = s.packed(n.x), [3]int64{0, int64(size), 1}
	}
}

// pointwise reports whether the window is a pixel, and none is passed over.
func (n *convolution) pointwise() bool {
	return n.Window == [2]uint32{1, 1} && n.InSize == n.OutSize && n.Stride == [2]uint32{1, 1}
}

// multiplyPixels describes a product over the pixels of each image.
func (n *convolution) multiplyPixels(s *scratch, p *kernels.Product) {
	pixels := uint64(n.InSize[0]) * uint64(n.InSize[1])
	rows, channels := int64(n.Rows), int64(n.Channels)
	if n.op == op.ConvGradWeight { // dw = dy · xᵀ
		p.M, p.N, p.K = uint64(rows), uint64(channels), pixels
		p.A, p.AStrides = s.packed(n.y), [3]int64{0, int64(pixels), 1}
		p.B, p.BStrides = s.packed(n.x), [3]int64{0, 1, int64(pixels)}
		return
	}
	p.Count, p.M, p.N, p.K = uint64(n.Images), uint64(rows), pixels, uint64(channels)
	p.A, p.AStrides = s.packed(n.w), [3]int64{0, channels, 1}
	from := n.x
	if n.op == op.ConvGradInput { // dx = wᵀ · dy
		p.AStrides, from = [3]int64{0, 1, rows}, n.y
	}
	p.B, p.BStrides = s.packed(from), [3]int64{channels * int64(pixels), int64(pixels), 1}
	if n.Bias != 0 {
		p.Add, p.AddStrides, p.Beta = n.Bias, [3]int64{0, 1, 0}, 1
	}
}
