package cuda

import (
	"math"

	"cresset/dtype"
	"cresset/internal/backend"
	"cresset/internal/backend/cuda/kernels"
	"cresset/internal/layout"
)

var elementwiseParams paramPool[kernels.Elementwise]

// elementwise launches out[i] = f(in[0][i], in[1][i], in[2][i]).
func elementwise(d *Device, c *backend.Call, k kernelID) error { return elementwiseWith(d, c, k, nil) }

// elementwiseWith is elementwise for a function that has parameters of its own, which set fills in.
func elementwiseWith(d *Device, c *backend.Call, k kernelID, set func(p *kernels.Elementwise, c *backend.Call)) error {
	out := &c.Out()[0]
	if out.Layout.Size() == 0 {
		return nil
	}
	p := elementwiseParams.take()
	defer elementwiseParams.give(p)
	p.Report = d.report(c)
	if set != nil {
		set(p, c)
	}
	return d.spread(k, p, out, c.In())
}

// spread fills in the operands and launches: at once where all of them lie contiguously, else over merged axes.
func (d *Device) spread(k kernelID, p *kernels.Elementwise, out *backend.View, in []backend.View) error {
	straight := out.Layout.IsContiguous()
	p.N, p.Out = uint64(out.Layout.Size()), address(out)
	p.In = [3]uint64{}
	for i := range in {
		if v := &in[i]; v.IsConst() {
			p.Constants[i] = constantBits(v)
		} else {
			p.In[i] = address(v)
			straight = straight && v.Layout.IsContiguous()
		}
	}
	if straight {
		p.Rank = 0
		return launch(d, k, d.flat(out.Layout.Size()), p)
	}
	return d.spreadStrided(k, p, out, in)
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

// launch covers the axes from outer on; what is too many becomes a launch for each index.
func (s *strided) launch(outer int) error {
	l := &s.loop
	n := uint64(1)
	for _, extent := range l.Extents[outer:l.Rank] {
		n *= uint64(extent)
	}
	if l.Rank-outer <= kernels.MaxRank && n <= math.MaxUint32 {
		return s.launchOnce(outer, n)
	}
	p := s.params
	saved := *p
	for i := range l.Extents[outer] {
		for j := range l.N {
			s.advance(j, &saved, uint64(i*l.Steps[j][outer])*s.size[j])
		}
		if err := s.launch(outer + 1); err != nil {
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

func (s *strided) launchOnce(outer int, n uint64) error {
	p, l := s.params, &s.loop
	p.N, p.Rank = n, uint32(l.Rank-outer)
	for i := range p.Rank {
		axis := l.Rank - 1 - int(i)
		p.Extents[i] = uint32(l.Extents[axis])
		for j := range l.N {
			p.Strides[s.at[j]][i] = int64(l.Steps[j][axis])
		}
	}
	return launch(s.device, s.kernel, s.device.flat(int(n)), p)
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
