package cuda

import (
	"math"

	"cresset/dtype"
	"cresset/internal/backend"
	"cresset/internal/backend/cuda/kernels"
	"cresset/internal/layout"
	"cresset/internal/op"
)

var elementwiseParams paramPool[kernels.Elementwise]

// elementwise launches out[i] = f(in[0][i], in[1][i], in[2][i]), where f may have the op's parameters.
func elementwise(d *Device, c *backend.Call, k kernelID) error {
	out := &c.Out()[0]
	if out.Layout.Size() == 0 {
		return nil
	}
	p := elementwiseParams.take()
	defer elementwiseParams.give(p)
	p.Scalars, p.Report = scalarsOf(c), d.report(c)
	return d.spread(k, p, out, c.In())
}

// elementwiseHalf is elementwise of a half type, which is computed in float32: constants are not rounded to it.
func elementwiseHalf(d *Device, c *backend.Call, k kernelID) error {
	for i := range c.In() {
		if v := &c.In()[i]; v.IsConst() && v.DType == c.DType {
			v.DType = dtype.Float32
		}
	}
	return elementwise(d, c, k)
}

// scalarsOf returns the op's parameters as a kernel reads them: the bits of float64 where elements are floats, else int64.
func scalarsOf(c *backend.Call) [2]uint64 {
	switch p := c.Params.(type) {
	case op.Number:
		if !c.DType.IsFloat() {
			return [2]uint64{uint64(int64(p.A)), uint64(int64(p.B))}
		}
		return [2]uint64{math.Float64bits(p.A), math.Float64bits(p.B)}
	case op.Ravel:
		return [2]uint64{uint64(p.Extent)}
	case op.Bounds:
		return boundsOf(p, c.DType)
	}
	return [2]uint64{}
}

// boundsOf are the bounds of a clamp; one that is absent is the end of the dtype's range.
func boundsOf(b op.Bounds, dt dtype.DType) [2]uint64 {
	if dt.IsFloat() {
		low, high := math.Inf(-1), math.Inf(1)
		if b.HasLow {
			low = b.Low
		}
		if b.HasHigh {
			high = b.High
		}
		return [2]uint64{math.Float64bits(low), math.Float64bits(high)}
	}
	low, high := int64(math.MinInt64)>>(64-8*dt.Size()), int64(math.MaxInt64)>>(64-8*dt.Size())
	if dt == dtype.Uint8 {
		low, high = 0, math.MaxUint8
	}
	if b.HasLow {
		low = b.IntLow
	}
	if b.HasHigh {
		high = b.IntHigh
	}
	return [2]uint64{uint64(low), uint64(high)}
}

// spread fills in the operands and launches: at once where all of them lie contiguously, else over merged axes.
func (d *Device) spread(k kernelID, p *kernels.Elementwise, out *backend.View, in []backend.View) error {
	contiguous := out.Layout.IsContiguous()
	p.N, p.Out = uint64(out.Layout.Size()), address(out)
	p.In = [3]uint64{}
	widest := out.DType.Size()
	for i := range in {
		v := &in[i]
		if v.IsConst() {
			p.Constants[i] = constantBits(v)
		} else {
			widest = max(widest, v.DType.Size())
			p.In[i] = address(v)
			contiguous = contiguous && v.Layout.IsContiguous()
		}
	}
	p.Lanes = uint32(vectorBytes / widest)
	if !contiguous {
		return d.spreadStrided(k, p, out, in)
	}
	p.Rank = 0
	aligned := p.Out%(uint64(p.Lanes)*uint64(out.DType.Size())) == 0
	for i := range in {
		aligned = aligned && p.In[i]%(uint64(p.Lanes)*uint64(in[i].DType.Size())) == 0
	}
	return d.launchVectors(k, p, aligned)
}

// vectorBytes is how much a kernel moves at once of the widest of its operands' types.
const vectorBytes = 16

// launchVectors launches an elementwise kernel, which moves vectors where the operands lie for it.
func (d *Device) launchVectors(k kernelID, p *kernels.Elementwise, aligned bool) error {
	if !aligned {
		p.Lanes = 1
	}
	wave, err := d.wave(k)
	if err != nil {
		return err
	}
	g := kernels.VectorGrid((p.N+uint64(p.Lanes)-1)/uint64(p.Lanes), wave)
	return launch(d, k, g, p)
}

func (d *Device) spreadStrided(k kernelID, p *kernels.Elementwise, out *backend.View, in []backend.View) error {
	operands := [4]*layout.Layout{out.Layout}
	at := [4]int{} // of operands, by their place in the kernel
	n := 1
	for i := range in {
		if !in[i].IsConst() {
			operands[n], at[n] = in[i].Layout, i+1
			n++
		}
	}
	s := stridedParts.take()
	defer stridedParts.give(s)
	s.device, s.kernel, s.params, s.at = d, k, p, at
	s.loop.Init(operands[:n]...)
	s.size[0] = uint64(out.DType.Size())
	for j := 1; j < n; j++ {
		s.size[j] = uint64(in[at[j]-1].DType.Size())
	}
	return s.launch(0)
}

// stridedParts recycles what would not fit the stack: a launch takes all of it by reference.
var stridedParts paramPool[strided]

// strided launches a kernel over a loop that may have more axes, or more elements, than one launch takes.
type strided struct {
	device *Device
	kernel kernelID
	params *kernels.Elementwise
	loop   layout.Loop
	at     [4]int    // by operand of the loop, its place in the kernel
	size   [4]uint64 // by operand of the loop, of an element
}

// launch covers the axes from outer on, in as few launches as their elements need; where there are too many axes, the outer one
// becomes a launch for each index.
func (s *strided) launch(outer int) error {
	l := &s.loop
	extent, inner := l.Extents[outer], uint64(1)
	for _, n := range l.Extents[outer+1 : l.Rank] {
		inner *= uint64(n)
	}
	whole := l.Rank-outer <= kernels.MaxRank && inner <= math.MaxUint32
	step := 1
	if whole {
		step = int(min(uint64(extent), math.MaxUint32/inner))
	}
	if whole && step == extent {
		return s.launchOnce(outer, step, inner)
	}
	p := s.params
	saved := *p
	for i := 0; i < extent; i += step {
		for j := range l.N {
			s.advance(j, &saved, uint64(i*l.Steps[j][outer])*s.size[j])
		}
		err := error(nil)
		if whole {
			err = s.launchOnce(outer, min(step, extent-i), inner)
		} else {
			err = s.launch(outer + 1)
		}
		if err != nil {
			return err
		}
	}
	*p = saved
	return nil
}

// advance moves an operand on from where it was.
func (s *strided) advance(j int, from *kernels.Elementwise, bytes uint64) {
	if k := s.at[j]; k == 0 {
		s.params.Out = from.Out + bytes
	} else {
		s.params.In[k-1] = from.In[k-1] + bytes
	}
}

// launchOnce covers so many indexes of the outer axis, each of so many elements.
func (s *strided) launchOnce(outer, extent int, inner uint64) error {
	p, l := s.params, &s.loop
	p.N, p.Rank = uint64(extent)*inner, uint32(l.Rank-outer)
	lanes := p.Lanes
	defer func() { p.Lanes = lanes }()
	aligned := true
	for i := range p.Rank {
		axis := l.Rank - 1 - int(i)
		p.Extents[i] = uint32(l.Extents[axis])
		for j := range l.N {
			p.Strides[s.at[j]][i] = int64(l.Steps[j][axis])
			aligned = aligned && s.aligned(j, l.Steps[j][axis], i == 0)
		}
	}
	p.Extents[p.Rank-1] = uint32(extent)
	if k, g, ok := s.transposed(); ok {
		return launch(s.device, k, g, p)
	}
	aligned = aligned && p.Extents[0]%lanes == 0
	return s.device.launchVectors(s.kernel, p, aligned)
}

// aligned reports whether vectors of operand j along the first axis are aligned, as far as one axis's step decides: along the first
// the elements lie side by side, or are one and the same, but not in the result; along others whole vectors apart.
func (s *strided) aligned(j, step int, first bool) bool {
	p, bytes := s.params, uint64(s.params.Lanes)*s.size[j]
	if !first {
		return uint64(step)*s.size[j]%bytes == 0
	}
	at := p.Out
	if k := s.at[j]; k > 0 {
		if at = p.In[k-1]; step == 0 {
			return true
		}
	}
	return step == 1 && at%bytes == 0
}

// constantBits returns a constant operand as an element of its dtype, in the low bytes.
func constantBits(v *backend.View) uint64 {
	s := v.Const
	switch v.DType {
	case dtype.Bool:
		if s.F != 0 || s.I != 0 {
			return 1
		}
		return 0
	case dtype.Float16:
		return uint64(dtype.F16FromFloat64(s.Float()))
	case dtype.BFloat16:
		return uint64(dtype.BF16FromFloat64(s.Float()))
	case dtype.Float32:
		if s.Kind == backend.FloatScalar {
			return uint64(math.Float32bits(float32(s.F)))
		}
		return uint64(math.Float32bits(float32(s.I)))
	case dtype.Float64:
		return math.Float64bits(s.Float())
	}
	return uint64(s.Int())
}
