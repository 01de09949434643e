package tensor

import (
	"fmt"

	"cresset/dtype"
)

// AffineGrid returns, for theta [N, 2, 3] and images of size [N, C, H, W], where each of their places comes from: the coordinates
// [N, H, W, 2], x first, that theta makes of (x, y, 1), from -1 to 1; for theta [N, 3, 4] and volumes [N, C, D, H, W] likewise. Without
// AlignCorners -1 and 1 are the outer edges of the first and last elements, with it their middles.
func AffineGrid(theta *Tensor, size []int, align ...AlignCorners) *Tensor {
	if a := autocastOf(theta, nil); a != nil {
		return a.run("affine_grid_generator", func(t []*Tensor) *Tensor { return AffineGrid(t[0], size, align...) }, theta)
	}
	const name = "affine_grid"
	refuseNil(name, "theta", 1, theta)
	axes := len(size) - 2
	if axes != 2 && axes != 3 {
		fail(name, ErrValue, fmt.Sprintf("affine_grid only supports 4D and 5D sizes, for 2D and 3D affine transforms, respectively. Got size %s.", Shape(size).List()), theta)
	}
	if theta.Dim() != 3 || theta.Size(1) != axes || theta.Size(2) != axes+1 {
		fail(name, ErrValue, fmt.Sprintf("Expected a batch of %dD affine matrices of shape Nx%dx%d for size %s. Got %s.", axes, axes, axes+1, Shape(size).List(), theta.Shape()), theta)
	}
	if !theta.dtype.IsFloat() {
		fail(name, ErrValue, fmt.Sprintf("Expected theta to have floating point type, but got %s", theta.dtype), theta)
	}
	for _, n := range size {
		if n < 1 {
			fail(name, ErrValue, fmt.Sprintf("Expected non-zero, positive output size. Got %s", Shape(size).List()), theta)
		}
	}
	spatial := size[2:]
	place := func(v []float64) *Tensor { return constantOn(Of(v), theta.storage.device, theta.dtype) }
	columns := make([]*Tensor, axes+1)
	for i := range axes { // column i is the coordinate of the axis that stands i-th from the end
		at, n := axes-1-i, spatial[axes-1-i]
		columns[i] = place(coordinates(n, last(align, false))).View(lineShape(axes, at, n)...).Expand(spatial...).Reshape(-1)
	}
	columns[axes] = OnesLike(columns[0])
	grid := Stack(columns, 1).Unsqueeze(0).Expand(size[0], columns[0].NumEl(), axes+1)
	return grid.BMM(theta.Transpose(1, 2)).View(append(append([]int{size[0]}, spatial...), axes)...)
}

// coordinates are the middles of n elements between -1 and 1.
func coordinates(n int, align bool) []float64 {
	c := make([]float64, n)
	for i := range c {
		switch {
		case align && n > 1:
			c[i] = -1 + 2*float64(i)/float64(n-1)
		case !align:
			c[i] = (2*float64(i)+1)/float64(n) - 1
		}
	}
	return c
}

// GridSampleOption is an option of GridSample: an Interpolation, a PaddingMode or AlignCorners.
type GridSampleOption interface{ gridSample(s *gridSampler) }

// PaddingMode is what GridSample finds beyond the edges of its input.
type PaddingMode string

// The padding modes of GridSample: zeros, the nearest element of the edge, and the input mirrored at its edges.
const (
	ZerosPadding      PaddingMode = "zeros"
	BorderPadding     PaddingMode = "border"
	ReflectionPadding PaddingMode = "reflection"
)

type gridSampler struct {
	mode    Interpolation
	padding PaddingMode
	align   bool
}

func (m Interpolation) gridSample(s *gridSampler) { s.mode = m }
func (m PaddingMode) gridSample(s *gridSampler)   { s.padding = m }
func (a AlignCorners) gridSample(s *gridSampler)  { s.align = bool(a) }

// GridSample returns the elements of x [N, C, H, W] at the coordinates of grid [N, h, w, 2], x first, from -1 to 1: [N, C, h, w]; of x
// [N, C, D, H, W] with grid [N, d, h, w, 3] likewise. It takes an Interpolation, Bilinear unless given, Nearest or, for images, Bicubic;
// a PaddingMode, ZerosPadding unless given; and AlignCorners, with which -1 and 1 are the middles of the first and last elements.
func (x *Tensor) GridSample(grid *Tensor, opts ...GridSampleOption) *Tensor {
	if a := autocastOf(x, grid); a != nil {
		x, grid = a.two("grid_sampler", x, grid)
	}
	s := gridSampler{Bilinear, ZerosPadding, false}
	for _, o := range opts {
		o.gridSample(&s)
	}
	x.checkGridSample(grid, &s)
	axes := x.Dim() - 2
	at := make([]*Tensor, axes) // by the axes of x, in elements
	for i := range at {
		at[i] = s.unnormalize(grid.Select(-1, axes-1-i), x.Size(2+i))
	}
	if s.mode == Bicubic {
		return x.sampleCubic(at, &s)
	}
	for i := range at {
		at[i] = s.inside(at[i], x.Size(2+i))
	}
	if s.mode == Nearest {
		for i := range at {
			at[i] = at[i].Detach().Round()
		}
		none := Like(grid).As(dtype.Bool).Zeros(grid.Shape()[:grid.Dim()-1]...)
		return x.sampled(at, &s).Mul(Where(none, grid.Select(-1, 0), 1).Unsqueeze(1)) // the grid gets zeros
	}
	return x.sampleLinear(at, &s)
}

// sampleLinear sums the elements at the corners around the places, each by how near it lies.
func (x *Tensor) sampleLinear(at []*Tensor, s *gridSampler) *Tensor {
	var sum *Tensor
	for corner := range 1 << len(at) {
		places := make([]*Tensor, len(at))
		var weight *Tensor
		for i, c := range at {
			low := c.Detach().Floor()
			part := low.AddScalar(1).Sub(c)
			if corner>>i&1 == 1 {
				part, low = c.Sub(low), low.AddScalar(1)
			}
			places[i] = low
			if weight == nil {
				weight = part
			} else {
				weight = weight.Mul(part)
			}
		}
		term := x.sampled(places, s).Mul(weight.Unsqueeze(1))
		if sum == nil {
			sum = term
		} else {
			sum = sum.Add(term)
		}
	}
	return sum
}

// sampleCubic sums the 4 × 4 elements around the places by cubic curves.
func (x *Tensor) sampleCubic(at []*Tensor, s *gridSampler) *Tensor {
	low, weights := make([]*Tensor, 2), make([][4]*Tensor, 2)
	for i, c := range at {
		low[i] = c.Detach().Floor()
		weights[i] = cubicWeights(c.Sub(low[i]))
	}
	var sum *Tensor
	for r := range 4 {
		for c := range 4 {
			places := []*Tensor{low[0].AddScalar(r - 1), low[1].AddScalar(c - 1)}
			for i := range places {
				places[i] = s.inside(places[i], x.Size(2+i))
			}
			term := x.sampled(places, s).Mul(weights[0][r].Mul(weights[1][c]).Unsqueeze(1))
			if sum == nil {
				sum = term
			} else {
				sum = sum.Add(term)
			}
		}
	}
	return sum
}

// cubicWeights are those of the elements at distances 1+t, t, 1-t and 2-t, on a cubic curve of slope -0.75 at distance 1.
func cubicWeights(t *Tensor) (w [4]*Tensor) {
	const a = -0.75
	near := func(d *Tensor) *Tensor { // |d| ≤ 1: ((a+2)d - (a+3))d² + 1
		return d.MulScalar(a + 2).SubScalar(a + 3).Mul(d).Mul(d).AddScalar(1)
	}
	far := func(d *Tensor) *Tensor { // 1 < |d| < 2: ((ad - 5a)d + 8a)d - 4a
		return d.MulScalar(a).SubScalar(5 * a).Mul(d).AddScalar(8 * a).Mul(d).SubScalar(4 * a)
	}
	return [4]*Tensor{far(t.AddScalar(1)), near(t), near(t.RSubScalar(1)), far(t.RSubScalar(2))}
}

// unnormalize turns coordinates from -1 to 1 into places among n elements.
func (s *gridSampler) unnormalize(c *Tensor, n int) *Tensor {
	if s.align {
		return c.AddScalar(1).MulScalar(float64(n-1) / 2)
	}
	return c.AddScalar(1).MulScalar(n).SubScalar(1).DivScalar(2)
}

// inside moves places among n elements to where padding finds an element.
func (s *gridSampler) inside(c *Tensor, n int) *Tensor {
	switch s.padding {
	case ReflectionPadding:
		if s.align {
			c = reflected(c, 0, float64(n-1))
		} else {
			c = reflected(c, -0.5, float64(n)-0.5)
		}
		return clipped(c, n)
	case BorderPadding:
		return clipped(c, n)
	}
	return c
}

// clipped moves places beyond n elements to the outermost, and NaN to the first. Places at the edge get no gradient, for beyond it the
// result is constant.
func clipped(c *Tensor, n int) *Tensor {
	last := float64(n - 1)
	edge := c.Detach().GeScalar(last).To(c.dtype).MulScalar(last)
	return Where(c.GtScalar(0).LogicalAnd(c.LtScalar(last)), c, edge)
}

// reflected mirrors places at low and high until they lie between them.
func reflected(c *Tensor, low, high float64) *Tensor {
	span := high - low
	if span == 0 {
		return c.MulScalar(0)
	}
	c = c.SubScalar(low).Abs()
	flips := c.Detach().DivScalar(span).Floor()
	extra := c.Sub(flips.MulScalar(span))
	odd := flips.RemainderScalar(2).EqScalar(1)
	return Where(odd, extra.RSubScalar(high), extra.AddScalar(low))
}

// sampled returns the elements of x at whole places, by its axes; those beyond its edges are 0.
func (x *Tensor) sampled(places []*Tensor, s *gridSampler) *Tensor {
	shape := x.Shape()
	var index, there *Tensor
	for i, p := range places {
		n := shape[2+i]
		p = p.Detach()
		in := p.GeScalar(0).LogicalAnd(p.LtScalar(n))
		at := Where(in, p, 0).Long()
		if index == nil {
			index, there = at, in
		} else {
			index, there = index.MulScalar(n).Add(at), there.LogicalAnd(in)
		}
	}
	out := append(append([]int{}, shape[:2]...), places[0].Shape()[1:]...)
	elements := places[0].NumEl() / max(shape[0], 1)
	y := x.Flatten(2, -1).Gather(2, index.Reshape(shape[0], 1, elements).Expand(shape[0], shape[1], elements)).View(out...)
	return y.MaskedFill(there.LogicalNot().Unsqueeze(1), 0)
}

func (x *Tensor) checkGridSample(grid *Tensor, s *gridSampler) {
	const name = "grid_sampler"
	refuseNil(name, "input", 1, x)
	refuseNil(name, "grid", 2, grid)
	both := fmt.Sprintf("but got input with sizes %s and grid with sizes %s", x.Shape().List(), grid.Shape().List())
	switch {
	case s.mode != Bilinear && s.mode != Nearest && s.mode != Bicubic:
		fail(name, ErrValue, fmt.Sprintf("nn.functional.grid_sample(): expected mode to be 'bilinear', 'nearest' or 'bicubic', but got: '%s'", s.mode), x, grid)
	case s.padding != ZerosPadding && s.padding != BorderPadding && s.padding != ReflectionPadding:
		fail(name, ErrValue, fmt.Sprintf("nn.functional.grid_sample(): expected padding_mode to be 'zeros', 'border', or 'reflection', but got: '%s'", s.padding), x, grid)
	case x.storage.device != grid.storage.device:
		fail(name, ErrDevice, fmt.Sprintf("grid_sampler(): expected input and grid to be on same device, but input is on %s and grid is on %s", x.storage.device, grid.storage.device), x, grid)
	case x.Dim() != 4 && x.Dim() != 5 || x.Dim() != grid.Dim():
		fail(name, ErrShape, "grid_sampler(): expected 4D or 5D input and grid with same number of dimensions, "+both, x, grid)
	case x.Size(0) != grid.Size(0):
		fail(name, ErrShape, "grid_sampler(): expected grid and input to have same batch size, "+both, x, grid)
	case grid.Size(-1) != x.Dim()-2:
		fail(name, ErrShape, fmt.Sprintf("grid_sampler(): expected grid to have size %d in last dimension, but got grid with sizes %s", x.Dim()-2, grid.Shape().List()), x, grid)
	case s.mode == Bicubic && x.Dim() == 5:
		fail(name, ErrShape, "grid_sampler(): bicubic interpolation only supports 4D input", x, grid)
	case x.dtype != grid.dtype:
		fail(name, ErrDType, fmt.Sprintf("grid_sampler(): expected input and grid to have same dtype, but input has %s and grid has %s", x.dtype, grid.dtype), x, grid)
	}
	for i, n := range x.Shape()[2:] {
		if n == 0 {
			fail(name, ErrShape, fmt.Sprintf("grid_sampler(): expected input to have non-empty spatial dimensions, but input has sizes %s with dimension %d being empty",
				x.Shape().List(), 2+i), x, grid)
		}
	}
	kernel := "grid_sampler_2d_cpu_kernel_impl"
	if x.Dim() == 5 {
		kernel = "grid_sampler3d_cpu"
	}
	refuseIntegers(name, kernel, x)
}
