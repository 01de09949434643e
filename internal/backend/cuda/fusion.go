package cuda

import (
	"encoding/binary"
	"slices"
	"sync"
	"sync/atomic"

	"cresset/dtype"
	"cresset/internal/backend"
	"cresset/internal/backend/cuda/kernels"
	"cresset/internal/driver"
	"cresset/internal/emit"
	"cresset/internal/op"
)

var (
	_ backend.Fuser  = (*Device)(nil)
	_ backend.Joiner = (*Device)(nil)
)

// emitted holds the kernels that a device has loaded of regions, by their structure. Whoever compiles a function for many structures
// has as many kernels: a text is a few kilobytes.
type emitted struct {
	mu      sync.Mutex
	kernels map[string]*emittedKernel
}

// emittedKernel is a kernel that was written at run time.
type emittedKernel struct {
	function driver.Function
	wave     int // blocks that the device runs at once
}

// ofRegion stands for the kernels of regions, which are in no list.
const ofRegion kernelID = maxKernels

// name is what profiles call a kernel.
func (k kernelID) name() string {
	if k == ofRegion {
		return "fused"
	}
	return kernelNames[k]
}

// Fuses reports whether a kernel of a region can have the call as a step.
func (d *Device) Fuses(c *backend.Call) bool {
	if !d.Has(c.Op, c.DType) {
		return false
	}
	var from [3]dtype.DType
	in := c.In()
	if len(in) > len(from) || c.Op == op.Copy && (in[0].IsConst() || !backend.ReadsLines(c)) {
		return false
	}
	for i := range in {
		from[i] = in[i].DType
	}
	return emit.Takes(c.Op, c.DType, from[:len(in)], c.Out()[0].DType)
}

// Joins reports whether the op multiplies matrices in a dtype whose kernels have epilogues.
func (d *Device) Joins(o op.Op, dt dtype.DType) bool {
	return dt != dtype.Float64 && slices.Contains(products, o)
}

// Fuse writes the region's kernels; one is loaded when it is first run.
func (d *Device) Fuse(r *backend.Region) (backend.Fused, error) {
	f := &fusedKernel{device: d, region: r}
	var err error
	if f.vectors, err = emit.New(r, true); err != nil {
		return nil, err
	}
	for i := range r.Steps {
		s := &r.Steps[i]
		c := backend.Call{Op: s.Op, DType: s.DType, Params: s.Params}
		f.scalars = append(f.scalars, scalarsOf(&c))
	}
	return f, nil
}

// fusedKernel computes a region by one launch.
type fusedKernel struct {
	device  *Device
	region  *backend.Region
	vectors *emit.Kernel
	single  atomic.Pointer[emit.Kernel] // for operands that are not aligned for vectors
	scalars [][2]uint64
}

// Run launches the kernel.
func (f *fusedKernel) Run(out, in []backend.View) error {
	d := f.device
	if e := d.failure.Load(); e != nil {
		return e
	}
	last := f.region.Steps[len(f.region.Steps)-1].Op
	graph, err := d.enterAll(last, out, in)
	if err != nil {
		return err
	}
	d.lastOp.Store(uint32(last))
	d.trace.fused(f.region)
	to, from, aligned := make([]uint64, len(out)), make([]uint64, len(in)), true
	for i := range out {
		to[i] = address(&out[i])
		aligned = aligned && f.aligned(to[i], out[i].DType)
	}
	for i := range in {
		if v := in[i]; v.IsConst() {
			v.DType = emit.ConstantType(f.region, i)
			from[i] = constantBits(&v)
		} else {
			from[i] = address(&v)
			aligned = aligned && (v.Layout.IsUniform() || f.aligned(from[i], v.DType))
		}
	}
	k, err := f.kernel(aligned)
	if err != nil {
		return err
	}
	if err := d.meetViews(in, out); err != nil {
		return err
	}
	if err := d.launchEmitted(k, k.Words(to, from, f.scalars)); err != nil {
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

// aligned reports whether vectors can begin at an address.
func (f *fusedKernel) aligned(at uint64, dt dtype.DType) bool {
	return at%uint64(f.vectors.Lanes*dt.Size()) == 0
}

// kernel returns the kernel for operands that are aligned or not.
func (f *fusedKernel) kernel(aligned bool) (*emit.Kernel, error) {
	if aligned {
		return f.vectors, nil
	}
	if k := f.single.Load(); k != nil {
		return k, nil
	}
	k, err := emit.New(f.region, false)
	if err == nil {
		f.single.Store(k)
	}
	return k, err
}

// launchEmitted issues a kernel with the words as its parameter.
func (d *Device) launchEmitted(k *emit.Kernel, words []uint64) error {
	e, err := d.emittedKernel(k)
	if err != nil {
		return err
	}
	params := make([]byte, 0, 8*len(words))
	for _, w := range words {
		params = binary.LittleEndian.AppendUint64(params, w)
	}
	g := kernels.VectorGrid(k.Vectors, e.wave)
	if err = d.issue(ofRegion, e.function, &g, params); d.madeRoom(err) {
		err = d.issue(ofRegion, e.function, &g, params)
	}
	return err
}

// emittedKernel returns a kernel, which is loaded on its first use.
func (d *Device) emittedKernel(k *emit.Kernel) (*emittedKernel, error) {
	d.emitted.mu.Lock()
	defer d.emitted.mu.Unlock()
	if e, ok := d.emitted.kernels[k.Key()]; ok {
		return e, nil
	}
	f, err := d.loadEmitted(k)
	if d.madeRoom(err) {
		f, err = d.loadEmitted(k)
	}
	if err != nil {
		return nil, err
	}
	g := kernels.Flat(1, 1)
	e := &emittedKernel{f, int(d.askAtOnce(ofRegion, f, &g))}
	if d.emitted.kernels == nil {
		d.emitted.kernels = map[string]*emittedKernel{}
	}
	d.emitted.kernels[k.Key()] = e
	return e, nil
}

func (d *Device) loadEmitted(k *emit.Kernel) (driver.Function, error) {
	d.modules.mu.Lock()
	defer d.modules.mu.Unlock()
	var jit driver.JIT
	m, r := d.load(k.Text(), &jit)
	if r != driver.Success {
		return 0, &ModuleError{Module: k.Name(), Log: jit.Errors, Err: d.fail(r)}
	}
	f, r := d.api.ModuleGetFunction(d.ctx, m, k.Name())
	if r != driver.Success {
		return 0, &ModuleError{Module: k.Name(), Kernel: k.Name(), Err: d.fail(r)}
	}
	return f, nil
}
