package cuda

import (
	"cresset/internal/backend"
	"cresset/internal/backend/cuda/kernels"
	"cresset/internal/op"
)

// multiplier is the kernels of products: for large results, and for those with few rows or columns.
type multiplier struct{ large, small kernelID }

func (t *table) addProducts() {
	for _, dt := range floats {
		m := &multiplier{typed("product", dt), typed("product_small", dt)}
		for _, o := range []op.Op{op.MM, op.MV, op.Dot, op.BMM, op.AddMM} {
			t[o][dt] = row{launch: m.launch}
		}
	}
}

var productParams paramPool[kernels.Product]

// launch computes out = a·b, or out = Beta·in + Alpha·a·b where the call has parameters; out is fresh.
func (m *multiplier) launch(d *Device, c *backend.Call, _ kernelID) error {
	out, a, b := &c.Out()[0], &c.In()[0], &c.In()[len(c.In())-1]
	if out.Layout.Size() == 0 {
		return nil
	}
	p := productParams.take()
	defer productParams.give(p)
	*p = kernels.Product{Count: 1, Out: address(out), Alpha: 1}
	if affine, ok := c.Params.(op.Affine); ok {
		in := &c.In()[0]
		a = &c.In()[1]
		p.Alpha, p.Beta, p.Add = affine.Alpha, affine.Beta, address(in)
		p.AddStrides = [3]int64{0, int64(in.Layout.Strides()[0]), int64(in.Layout.Strides()[1])}
	}
	p.A, p.B = address(a), address(b)
	p.M, p.K, p.AStrides = matrix(a, p)
	if a.Layout.Rank() == 1 { // a vector on the left is a row
		p.M, p.K, p.AStrides[1], p.AStrides[2] = p.K, p.M, p.AStrides[2], p.AStrides[1]
	}
	_, p.N, p.BStrides = matrix(b, p)
	p.OutStrides = [3]int64{int64(p.M * p.N), int64(p.N), 1}
	g, small := kernels.ProductGrid(p.Count, p.M, p.N)
	if small {
		return launch(d, m.small, g, p)
	}
	return launch(d, m.large, g, p)
}

// matrix returns the extents and strides of an operand's last two axes and its stride between matrices, whose number it
// notes; a vector is a column.
func matrix(v *backend.View, p *kernels.Product) (rows, cols uint64, strides [3]int64) {
	shape, steps := v.Layout.Shape(), v.Layout.Strides()
	if len(shape) == 3 {
		p.Count, strides[0] = uint64(shape[0]), int64(steps[0])
		shape, steps = shape[1:], steps[1:]
	}
	rows, cols, strides[1] = uint64(shape[0]), 1, int64(steps[0])
	if len(shape) == 2 {
		cols, strides[2] = uint64(shape[1]), int64(steps[1])
	}
	return rows, cols, strides
}
