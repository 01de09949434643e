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
	if len(f.pieces) > f.pieces[0].vectors.MostPieces() {
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
	k, vectors, words, err := f.words(out, in)
	if err != nil {
		return err
	}
	if err := d.meetViews(in, out); err != nil {
		return err
	}
	if err := d.launchEmitted(k, len(f.pieces), vectors, words); err != nil {
		return err
	}
	d.part(out)
	if d.blocking && graph == nil {
		return d.waitFor(d.lane)
	}
	return nil
}

// last is the op of the last step.
func (f *fusedKernel) last() op.Op {
	steps := f.pieces[len(f.pieces)-1].region.Steps
	return steps[len(steps)-1].Op
}

// words returns the kernel, and the parameters of all pieces.
func (f *fusedKernel) words(out, in []backend.View) (k *emit.Kernel, vectors uint64, words []uint64, err error) {
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
	for i, p := range f.pieces {
		one, err := p.kernel(aligned)
		if err != nil {
			return nil, 0, nil, err
		}
		if k == nil {
			k = one
		}
		vectors = max(vectors, one.Vectors)
		words = append(words, one.Words(to[i*outs:(i+1)*outs], from[i*ins:(i+1)*ins], p.scalars)...)
	}
	if len(f.pieces) > 1 {
		k = f.batched(k, aligned)
	}
	return k, vectors, words, nil
}

// batched returns the kernel of several regions of k's structure.
func (f *fusedKernel) batched(k *emit.Kernel, aligned bool) *emit.Kernel {
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

// launchEmitted issues a kernel of so many regions with the words as its parameter. Vectors are those of the largest.
func (d *Device) launchEmitted(k *emit.Kernel, pieces int, vectors uint64, words []uint64) error {
	e, err := d.emittedKernel(k)
	if err != nil {
		return err
	}
	params := make([]byte, 0, k.ParamBytes())
	for _, w := range words {
		params = binary.LittleEndian.AppendUint64(params, w)
	}
	params = params[:cap(params)] // some kernels have room for more regions
	g := kernels.VectorGrid(vectors, e.wave)
	g.Blocks[1] = uint32(pieces)
	if err = d.issue(ofRegion, e.function, &g, params); d.madeRoom(err) {
		err = d.issue(ofRegion, e.function, &g, params)
	}
	return err
}
