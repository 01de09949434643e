package cuda

import (
	"encoding/binary"
	"sync/atomic"

	"cresset/dtype"
	"cresset/internal/backend"
	"cresset/internal/backend/cuda/kernels"
	"cresset/internal/emit"
	"cresset/internal/op"
)

// fusedKernel computes regions of one structure by one launch.
type fusedKernel struct {
	device *Device
	pieces []*fusedRegion
	batch  [2]atomic.Pointer[emit.Kernel] // of several, for operands that are not aligned, and for others
}

// fusedRegion is one of them.
type fusedRegion struct {
	region  *backend.Region
	vectors *emit.Kernel
	single  atomic.Pointer[emit.Kernel] // for operands that are not aligned for vectors
	scalars [][2]uint64
}

// Key tells regions of one structure.
func (d *Device) Key(f backend.Fused) string { return f.(*fusedKernel).pieces[0].vectors.Key() }

// Batch returns what computes regions of one structure by one launch, nil where they are too many.
func (d *Device) Batch(all []backend.Fused) backend.Fused {
	f := &fusedKernel{device: d}
	for _, one := range all {
		f.pieces = append(f.pieces, one.(*fusedKernel).pieces...)
	}
	k := f.pieces[0].vectors
	if len(f.pieces) > k.MostPieces() || k.Columns > 0 && f.counts() > countersOfStream || !d.emitted.admit(k.Batch(len(f.pieces)).Key()) {
		return nil
	}
	return f
}

// Run launches the kernel.
func (f *fusedKernel) Run(out, in []backend.View) error {
	d := f.device
	if e := d.failure.Load(); e != nil {
		return e
	}
	last := f.last()
	graph, err := d.enterAll(last, out, in)
	if err != nil {
		return err
	}
	d.lastOp.Store(uint32(last))
	d.trace.fused(f.pieces)
	s := scratch{device: d}
	defer s.free()
	l, err := f.launch(&s, out, in)
	if err != nil {
		return err
	}
	if err := d.meetViews(in, out); err != nil {
		return err
	}
	if err := d.launchEmitted(l); err != nil {
		return err
	}
	d.part(out)
	if d.blocking && graph == nil {
		return d.waitFor(d.lane)
	}
	return nil
}

// enterAll is enter for an op of any number of operands.
func (d *Device) enterAll(o op.Op, all ...[]backend.View) (graph *capture, err error) {
	if underway.Load() == nil {
		return nil, nil
	}
	for _, views := range all {
		for _, v := range views {
			c := backend.Call{Op: o}
			*c.AddIn() = v
			if graph, err = d.enter(&c); err != nil {
				return nil, err
			}
		}
	}
	return graph, nil
}

// last is an op that names what is computed: that of the last step.
func (f *fusedKernel) last() op.Op {
	steps := f.pieces[len(f.pieces)-1].region.Steps
	if len(steps) == 0 {
		return op.SumAxes
	}
	return steps[len(steps)-1].Op
}

// emittedLaunch is a launch of a kernel that was written at run time.
type emittedLaunch struct {
	kernel  *emit.Kernel
	words   []uint64 // its parameters
	vectors uint64   // of the largest region
	pieces  int
	columns kernels.Grid // where there are sums
}

// launch returns the launch of the kernel, with what it needs in s.
func (f *fusedKernel) launch(s *scratch, out, in []backend.View) (*emittedLaunch, error) {
	outs, ins, aligned := len(out)/len(f.pieces), len(in)/len(f.pieces), true
	to, from := make([]uint64, len(out)), make([]uint64, len(in))
	for i := range out {
		to[i] = address(&out[i])
		aligned = aligned && f.aligned(to[i], out[i].DType)
	}
	for i := range in {
		if v := in[i]; v.IsConst() {
			v.DType = emit.ConstantType(f.pieces[0].region, i%ins)
			from[i] = constantBits(&v)
		} else {
			from[i] = address(&v)
			aligned = aligned && (v.Layout.IsUniform() || f.aligned(from[i], v.DType))
		}
	}
	l, count := &emittedLaunch{pieces: len(f.pieces)}, s.device.firstCounter()
	for i, p := range f.pieces {
		k, err := p.kernel(aligned)
		if err != nil {
			return nil, err
		}
		if i == 0 {
			l.kernel = f.batched(k, aligned)
			l.words = make([]uint64, 0, l.kernel.ParamBytes()/8)
		}
		l.vectors = max(l.vectors, k.Vectors)
		to, sums := to[i*outs:(i+1)*outs], len(p.region.Sums)
		l.words = k.AppendWords(l.words, to[:outs-sums], from[i*ins:(i+1)*ins], p.scalars)
		if sums > 0 {
			split := p.split(s, &l.columns)
			split.FirstCounter = count
			count += kernels.ColumnBlocks(uint64(k.Columns))
			l.words = k.AppendSumWords(l.words, split, to[outs-sums:])
		}
	}
	return l, s.err
}

// batched returns the kernel of all regions, of which k is that of one.
func (f *fusedKernel) batched(k *emit.Kernel, aligned bool) *emit.Kernel {
	if len(f.pieces) == 1 {
		return k
	}
	at := &f.batch[0]
	if aligned {
		at = &f.batch[1]
	}
	if at.Load() == nil {
		at.Store(k.Batch(len(f.pieces)))
	}
	return at.Load()
}

// aligned reports whether vectors can begin at an address.
func (f *fusedKernel) aligned(at uint64, dt dtype.DType) bool {
	return at%uint64(f.pieces[0].vectors.Lanes*dt.Size()) == 0
}

// kernel returns the kernel for operands that are aligned or not.
func (p *fusedRegion) kernel(aligned bool) (*emit.Kernel, error) {
	if aligned {
		return p.vectors, nil
	}
	if k := p.single.Load(); k != nil {
		return k, nil
	}
	k, err := emit.New(p.region, false)
	if err == nil {
		p.single.Store(k)
	}
	return k, err
}

// launchEmitted issues a kernel of regions.
func (d *Device) launchEmitted(l *emittedLaunch) error {
	e, err := d.emittedKernel(l.kernel)
	if err != nil {
		return err
	}
	params := make([]byte, 0, l.kernel.ParamBytes())
	for _, w := range l.words {
		params = binary.LittleEndian.AppendUint64(params, w)
	}
	params = params[:cap(params)] // some kernels have room for more regions
	g := l.columns
	switch {
	case l.kernel.Columns > 0:
		g.Blocks[2] = uint32(l.pieces)
	case l.kernel.Order().Threads > 0:
		g = rowGrid(l.kernel, l.vectors, l.pieces)
	default:
		g = kernels.VectorGrid(l.vectors, e.wave)
		g.Blocks[1] = uint32(l.pieces)
	}
	if err = d.issue(ofRegion, e.function, &g, params); d.madeRoom(err) {
		err = d.issue(ofRegion, e.function, &g, params)
	}
	return err
}
