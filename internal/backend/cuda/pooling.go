package cuda

import (
	"math"
	"slices"

	"cresset/internal/backend"
	"cresset/internal/backend/cuda/kernels"
	"cresset/internal/layout"
	"cresset/internal/op"
)

func (t *table) addPools() {
	for _, dt := range floats {
		t[op.MaxPool2D][dt] = row{pooled, typed("max_pool", dt)}
		t[op.AvgPool2D][dt] = row{pooled, typed("avg_pool", dt)}
		m := &meanPool{typed("avg_pool", dt), &reducer{rows: typed("mean", dt), columns: typed("mean_columns", dt), index: -1, value: -1}}
		t[op.AdaptiveAvgPool2D][dt] = row{launch: m.launch}
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
		if len(c.Out()) > 1 {
			p.Index = address(&c.Out()[1])
		}
		return issue(s, k, d.flat(kernels.PooledTurns(p)), p)
	})
}

// meanPool is the means of whole planes, or of windows that cover them evenly.
type meanPool struct {
	windows kernelID
	planes  *reducer
}

func (m *meanPool) launch(d *Device, c *backend.Call, _ kernelID) error {
	in, out := &c.In()[0], &c.Out()[0]
	if in.Layout.Size() == 0 || out.Layout.Shape()[out.Layout.Rank()-2] != 1 || out.Layout.Shape()[out.Layout.Rank()-1] != 1 {
		return pooled(d, c, m.windows)
	}
	s, p := reductionParams.begin(d)
	defer s.free()
	planes := out.Layout.Size()
	n := in.Layout.Size() / planes
	*p = kernels.Reduction{
		Outer: uint64(planes), N: uint64(n), Inner: 1, Strides: [3]int64{int64(n), 1, 1}, In: s.packed(in), Out: address(out), Parts: 1,
	}
	if s.err != nil {
		return s.err
	}
	return m.planes.issue(&s, p)
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
	p.Narrow = flag(isNarrow(p))
	return body(&s, p)
}

// isNarrow reports whether 32 bits are enough for what the kernels compute of places and windows.
func isNarrow(p *kernels.Pool) bool {
	planes := p.Planes
	for i := range 2 {
		n, windows := p.InSize[i], p.OutSize[i]
		reach := max(n, windows)*max(p.Stride[i], 1) + p.Kernel[i]*p.Dilation[i] + 2*p.Padding[i] // of a window's end
		if (n+1)*(windows+1) > math.MaxInt32/2 || reach > math.MaxInt32/2 {
			return false
		}
		planes *= uint64(max(n, windows))
	}
	return planes <= math.MaxInt32 && p.Kernel[0]*p.Kernel[1] <= math.MaxInt32 && p.Divisor == int64(int32(p.Divisor))
}
