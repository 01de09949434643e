package cuda

import (
	"slices"

	"cresset/dtype"
	"cresset/internal/backend"
	"cresset/internal/backend/cuda/kernels"
	"cresset/internal/layout"
	"cresset/internal/op"
)

func (t *table) addPools() {
	for _, dt := range floats {
		t[op.MaxPool2D][dt] = row{pooled, typed("max_pool", dt)}
		t[op.AvgPool2D][dt] = row{pooled, typed("avg_pool", dt)}
		t[op.AdaptiveAvgPool2D][dt] = row{pooled, typed("avg_pool", dt)}
		t[op.MaxPool2DGrad][dt] = row{pooledGrad, typed("max_pool_grad", dt)}
		t[op.AdaptiveMaxPool2D][dt] = row{pooled, typed("max_pool", dt)}
		t[op.AdaptiveMaxPool2DGrad][dt] = row{pooledGrad, typed("max_pool_grad", dt)}
		t[op.AvgPool2DGrad][dt] = row{pooledGrad, typed("avg_pool_grad", dt)}
		t[op.AdaptiveAvgPool2DGrad][dt] = row{pooledGrad, typed("avg_pool_grad", dt)}
	}
}

// adaptive are the pools whose windows cover x evenly.
var adaptive = []op.Op{op.AdaptiveAvgPool2D, op.AdaptiveAvgPool2DGrad, op.AdaptiveMaxPool2D, op.AdaptiveMaxPool2DGrad}

var poolParams paramPool[kernels.Pool]

// pooled writes out[0] of x, and where the largest elements lie to out[1] where there is one; the results are fresh.
func pooled(d *Device, c *backend.Call, k kernelID) error {
	return d.overPlanes(c, c.In()[0].Layout.Shape(), c.Out()[0].Layout.Shape(), func(s *scratch, p *kernels.Pool) error {
		switch {
		case len(c.Out()) > 1:
			p.Index = address(&c.Out()[1])
		case c.Op == op.MaxPool2D: // its kernel writes them in any case
			p.Index = s.take(c.Out()[0].Layout.Size() * dtype.Int64.Size()).ptr
		}
		return issue(s, k, d.flat(c.Out()[0].Layout.Size()), p)
	})
}

// pooledGrad writes dx of dy, and of where the largest elements lie.
func pooledGrad(d *Device, c *backend.Call, k kernelID) error {
	return d.overPlanes(c, c.Out()[0].Layout.Shape(), c.In()[0].Layout.Shape(), func(s *scratch, p *kernels.Pool) error {
		if c.Has(1) {
			p.Index = s.packed(&c.In()[1])
		}
		return issue(s, k, d.flat(c.Out()[0].Layout.Size()), p)
	})
}

// overPlanes hands body the extents of a pool from the last two axes of one shape to those of another, and packs in[0].
func (d *Device) overPlanes(c *backend.Call, from, to layout.Shape, body func(s *scratch, p *kernels.Pool) error) error {
	out := &c.Out()[0]
	if out.Layout.Size() == 0 {
		return nil
	}
	s, p := poolParams.begin(d)
	defer s.free()
	w, last := c.Params.(op.Window), len(from)-2
	*p = kernels.Pool{
		Planes: 1, Out: address(out), In: s.packed(&c.In()[0]),
		Adaptive:     flag(slices.Contains(adaptive, c.Op)),
		CountPadding: flag(w.CountPadding), Divisor: int64(w.Divisor), Divided: flag(w.Divisor != 0),
		Strays: flag(from[last] < w.Dilation[0] || from[last+1] < w.Dilation[1]),
	}
	for _, n := range from[:last] {
		p.Planes *= uint64(n)
	}
	for i := range 2 {
		p.InSize[i], p.OutSize[i] = int64(from[last+i]), int64(to[last+i])
		p.Kernel[i], p.Stride[i] = int64(w.Kernel[i]), int64(w.Stride[i])
		p.Padding[i], p.Dilation[i] = int64(w.Padding[i]), int64(w.Dilation[i])
	}
	return body(&s, p)
}
