package tensor

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"cresset/internal/op"
)

// InterpolateOption is an option of Interpolate: an Interpolation, ScaleFactor, AlignCorners, Antialias or RecomputeScaleFactor.
type InterpolateOption interface{ interpolate(p *interpolation) }

// Interpolation is how Interpolate finds elements between others.
type Interpolation string

// The interpolations, by the number of axes that they need: any, any, one, two, two, three and any.
const (
	Nearest      Interpolation = "nearest"
	NearestExact Interpolation = "nearest-exact"
	Linear       Interpolation = "linear"
	Bilinear     Interpolation = "bilinear"
	Bicubic      Interpolation = "bicubic"
	Trilinear    Interpolation = "trilinear"
	Area         Interpolation = "area"
)

// AlignCorners makes the corners of Interpolate's input and result the same points, where the corners of the outermost elements are
// otherwise.
type AlignCorners bool

// Antialias makes Bilinear and Bicubic take means over all that a smaller result covers.
type Antialias bool

// RecomputeScaleFactor makes Interpolate take the scale from the extents, not from ScaleFactor.
type RecomputeScaleFactor bool

// ScaleFactor is by how much Interpolate enlarges axes: one number for all, or one for each.
func ScaleFactor(f ...float64) InterpolateOption { return scaleFactor(f) }

type scaleFactor []float64

type interpolation struct {
	mode                         Interpolation
	factors                      []float64
	align, antialias, fromExtent bool
	axes                         int // after the second
}

func (m Interpolation) interpolate(p *interpolation)        { p.mode = m }
func (f scaleFactor) interpolate(p *interpolation)          { p.factors = f }
func (a AlignCorners) interpolate(p *interpolation)         { p.align = bool(a) }
func (a Antialias) interpolate(p *interpolation)            { p.antialias = bool(a) }
func (r RecomputeScaleFactor) interpolate(p *interpolation) { p.fromExtent = bool(r) }

// Interpolate returns x [N, C, …] with other extents of the axes after the second: those of size, of which one number stands for all,
// or, where size is nil, ⌊extent · ScaleFactor⌋. It takes an Interpolation, Nearest unless given, ScaleFactor, AlignCorners,
// Antialias and RecomputeScaleFactor.
func (x *Tensor) Interpolate(size []int, opts ...InterpolateOption) *Tensor {
	p := interpolation{mode: Nearest}
	for _, o := range opts {
		o.interpolate(&p)
	}
	x.checkInterpolate(&p, size)
	from := x.layout.Shape()[2:]
	to := make([]int, len(from))
	for i, n := range from {
		if size != nil {
			to[i] = size[min(i, len(size)-1)]
		} else {
			to[i] = int(math.Floor(float64(n) * p.factors[min(i, len(p.factors)-1)]))
		}
	}
	checkInterpolated(x, from, to)
	if p.mode == Area {
		switch len(to) {
		case 1:
			return x.AdaptiveAvgPool1D(to[0])
		case 2:
			return x.AdaptiveAvgPool2D(to[0], to[1])
		}
		return x.AdaptiveAvgPool3D(to[0], to[1], to[2])
	}
	if a := autocastOf(x, nil); a != nil {
		x = a.one("upsample", x)
	}
	p.axes = len(to)
	r := resampling{op: p.op(len(to)), from: x.layout.Shape(), to: append(slices.Clone(x.layout.Shape()[:2]), to...)}
	for i := range to {
		r.axes[3-len(to)+i] = p.taps(i, from[i], to[i])
	}
	return x.resample(&r)
}

// taps returns what an axis of n elements becomes of.
func (p *interpolation) taps(axis, n, to int) taps {
	scale := float64(n) / float64(to)
	if p.factors != nil && !p.fromExtent && !p.exact(n, to) {
		scale = 1 / p.factors[min(axis, len(p.factors)-1)]
	}
	switch {
	case p.mode == Nearest || p.mode == NearestExact:
		return p.nearest(n, to, float32(scale))
	case p.align && to > 1:
		scale = float64(n-1) / float64(to-1)
	case p.align:
		scale = 0
	}
	if p.antialias {
		return p.smooth(n, to, scale)
	}
	width := 2
	if p.mode == Bicubic {
		width = 4
	}
	t := newTaps(width, to)
	for i := range to {
		at := scale * float64(i)
		if !p.align {
			at = scale*(float64(i)+0.5) - 0.5
		}
		if p.mode != Bicubic {
			at = max(at, 0)
		}
		first := math.Floor(at)
		for j := range width {
			place := int(first) + j - (width/2 - 1)
			t.set(i, j, max(0, min(place, n-1)), p.weight(math.Abs(at-float64(place)), -0.75))
		}
	}
	return t
}

// exact says whether a factor counts for nothing: PyTorch repeats the elements of pictures alike where an extent stays or doubles, though
// not those of lines and volumes.
func (p *interpolation) exact(n, to int) bool {
	return p.mode == Nearest && p.axes == 2 && (to == n || to == 2*n)
}

// nearest computes places in float32, as PyTorch does.
func (p *interpolation) nearest(n, to int, scale float32) taps {
	t := newTaps(1, to)
	half := float32(0)
	if p.mode == NearestExact {
		half = 0.5
	}
	for i := range to {
		t.set(i, 0, min(int((float32(i)+half)*scale), n-1), 1)
	}
	return t
}

// smooth weighs all elements that an element of a smaller result covers.
func (p *interpolation) smooth(n, to int, scale float64) taps {
	reach := 1.0
	if p.mode == Bicubic {
		reach = 2
	}
	wide := max(scale, 1)
	t := newTaps(int(math.Ceil(reach*wide))*2+1, to)
	for i := range to {
		center := scale * (float64(i) + 0.5)
		low := max(int(center-reach*wide+0.5), 0)
		high := min(int(center+reach*wide+0.5), n)
		weights := t.weights[i*t.width:][:max(high-low, 0)]
		sum := 0.0
		for j := range weights {
			weights[j] = p.weight(math.Abs((float64(low+j)-center+0.5)/wide), -0.5)
			sum += weights[j]
		}
		for j, w := range weights {
			t.set(i, j, low+j, w/sum)
		}
	}
	return t
}

// op is the op that grad_fn names, over so many axes.
func (p *interpolation) op(axes int) op.Op {
	switch p.mode {
	case Linear:
		return op.UpsampleLinear1D
	case Bilinear:
		if p.antialias {
			return op.UpsampleBilinear2DAA
		}
		return op.UpsampleBilinear2D
	case Bicubic:
		if p.antialias {
			return op.UpsampleBicubic2DAA
		}
		return op.UpsampleBicubic2D
	case Trilinear:
		return op.UpsampleTrilinear3D
	case NearestExact:
		return [...]op.Op{op.UpsampleNearestExact1D, op.UpsampleNearestExact2D, op.UpsampleNearestExact3D}[axes-1]
	}
	return [...]op.Op{op.UpsampleNearest1D, op.UpsampleNearest2D, op.UpsampleNearest3D}[axes-1]
}

// weight is that of an element at a distance: on a line, or on a cubic curve of slope a at distance 1.
func (p *interpolation) weight(d, a float64) float64 {
	switch {
	case p.mode != Bicubic:
		return max(1-d, 0)
	case d <= 1:
		return ((a+2)*d-(a+3))*d*d + 1
	case d < 2:
		return ((a*d-5*a)*d+8*a)*d - 4*a
	}
	return 0
}

func (x *Tensor) checkInterpolate(p *interpolation, size []int) {
	refuse := func(format string, a ...any) {
		fail("interpolate", ErrValue, fmt.Sprintf(format, a...), x)
	}
	axes := x.layout.Rank() - 2
	need := map[Interpolation]int{Linear: 1, Bilinear: 2, Bicubic: 2, Trilinear: 3}[p.mode]
	switch {
	case p.align && need == 0:
		refuse("align_corners option can only be set with the interpolating modes: linear | bilinear | bicubic | trilinear")
	case size != nil && p.factors != nil:
		refuse("only one of size or scale_factor should be defined")
	case size == nil && p.factors == nil:
		refuse("either size or scale_factor should be defined")
	case len(size) > 1 && len(size) != axes:
		refuse("Input and output must have the same number of spatial dimensions, but got input with spatial dimensions of %s and output size of %s. "+
			"Please provide input tensor in (N, C, d1, d2, ...,dK) format and output size in (o1, o2, ...,oK) format.", x.layout.Shape()[2:].List(), Shape(size).List())
	case len(p.factors) > 1 && len(p.factors) != axes:
		refuse("Input and scale_factor must have the same number of spatial dimensions, but got %d and %d", axes, len(p.factors))
	case axes < 1 || axes > 3 || need != 0 && need != axes:
		if need == 0 || p.mode == Bicubic {
			refuse("Input Error: Only 3D, 4D and 5D input Tensors supported (got %dD) for the modes: nearest | linear | bilinear | bicubic | trilinear | lanczos | area | nearest-exact (got %s)",
				axes+2, p.mode)
		}
		refuse("Got %dD input, but %s mode needs %dD input", axes+2, p.mode, need+2)
	case p.antialias && p.mode != Bilinear && p.mode != Bicubic:
		refuse("Anti-alias option is restricted to bilinear, bicubic, and lanczos modes and requires a 4-D tensor as input")
	}
	refuseIntegers("interpolate", p.kernel(axes, x.IsCUDA()), x)
}

// kernel is PyTorch's name of the kernel that computes the mode over so many axes.
func (p *interpolation) kernel(axes int, gpu bool) string {
	switch {
	case p.antialias:
		return "compute_index_ranges_weights"
	case p.mode == Area && axes == 3:
		return "adaptive_avg_pool3d_cpu"
	case p.mode == Area:
		return "adaptive_avg_pool2d"
	case gpu:
		return fmt.Sprintf("upsample_%s%dd_out_frame", strings.TrimSuffix(string(p.mode), "-exact"), axes)
	case axes == 2 && p.mode == Bilinear:
		return "upsample_bilinear2d_channels_last"
	case axes == 2 && p.mode != Bicubic:
		return "upsample_nearest2d_channels_last"
	case p.mode == Bicubic:
		return "compute_indices_weights_cubic"
	case p.mode == Nearest || p.mode == NearestExact:
		return "compute_indices_weights_nearest"
	default:
		return "compute_indices_weights_linear"
	}
}

func checkInterpolated(x *Tensor, from, to []int) {
	names := []string{"D", "H", "W"}[3-len(to):]
	list := func(n []int) string {
		parts := make([]string, len(n))
		for i, v := range n {
			parts[i] = fmt.Sprintf("%s: %d", names[i], v)
		}
		return strings.Join(parts, ", ")
	}
	for i := range to {
		if from[i] < 1 || to[i] < 1 {
			fail("interpolate", ErrShape, fmt.Sprintf("Input and output sizes should be greater than 0, but got input (%s)%s output (%s)",
				list(from), map[bool]string{true: " and"}[len(to) == 1], list(to)), x)
		}
	}
}
