package cuda

import (
	"cmp"
	"errors"
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
	_ backend.Batcher = (*Device)(nil)
	_ backend.Summer  = (*Device)(nil)
	_ backend.Joiner  = (*Device)(nil)
	_ backend.Caster  = (*Device)(nil)
	_ backend.Placer  = (*Device)(nil)
)

// emitted holds the kernels that a device has loaded of regions, by their structure.
type emitted struct {
	mu         sync.Mutex
	kernels    map[string]*emittedKernel
	structures map[string]bool // of the regions that were asked for
}

// mostStructures is how many structures of regions a device has kernels for, which stay loaded: graphs and streams may be computing by any of them.
// Whoever compiles functions of more gets the rest computed op by op, as before.
const mostStructures = 512

// limited is the limit in the place of mostStructures, where it is not 0.
var limited atomic.Int64

// LimitStructures makes n the most structures of regions that devices have kernels for, until restore is called.
func LimitStructures(n int) (restore func()) {
	limited.Store(int64(n))
	return func() { limited.Store(0) }
}

// admit reports whether the device may have a kernel of the structure.
func (e *emitted) admit(key string) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	if !e.structures[key] && len(e.structures) >= cmp.Or(int(limited.Load()), mostStructures) {
		return false
	}
	if e.structures == nil {
		e.structures = map[string]bool{}
	}
	e.structures[key] = true
	return true
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

// Sums reports whether a kernel of a region can have the call, a sum over first axes: one that neighbouring threads would compute of neighbouring
// columns.
func (d *Device) Sums(c *backend.Call) bool {
	in, out := &c.In()[0], &c.Out()[0]
	n, columns := in.Layout.Size()/out.Layout.Size(), out.Layout.Size()
	switch c.DType {
	case dtype.Float16, dtype.BFloat16, dtype.Float32:
	default:
		return false
	}
	return d.Has(op.SumAxes, c.DType) && in.DType == c.DType && out.DType == c.DType && n > 0 && columns > 1 && columns <= 32*int(countersOfStream) &&
		d.inColumns(uint64(columns), uint64(n), uint64(columns))
}

// Places reports whether a result is the gradient of queries, keys or values, which attention leaves line by line.
func (d *Device) Places(o op.Op, _ dtype.DType, i int) bool { return o == op.AttentionGrad && i < 3 }

// Takes reports whether the gradient of a norm takes the one that arrives as a half type.
func (d *Device) Takes(o op.Op, dt dtype.DType, i int, as dtype.DType) bool {
	return (o == op.LayerNormGrad || o == op.RMSNormGrad) && dt == dtype.Float32 && i == 0 && otherTypes[as] != kernels.SameType
}

// Gives reports whether a norm gives its result as a half type.
func (d *Device) Gives(o op.Op, dt dtype.DType, i int, as dtype.DType) bool {
	return (o == op.LayerNorm || o == op.RMSNorm) && dt == dtype.Float32 && i == 0 && otherTypes[as] != kernels.SameType
}

// Fuse writes the region's kernels; one is loaded when it is first run.
func (d *Device) Fuse(r *backend.Region) (backend.Fused, error) {
	vectors, err := emit.New(r, true)
	if err != nil {
		return nil, err
	}
	if alone := len(r.Steps) == 1 && len(r.Sums) == 0; !alone && !d.emitted.admit(vectors.Key()) { // one call has its own kernel, unless it runs in a batch
		return nil, errors.New("cuda: regions of too many structures")
	}
	f := &fusedRegion{region: r, vectors: vectors}
	for i := range r.Steps {
		s := &r.Steps[i]
		c := backend.Call{Op: s.Op, DType: s.DType, Params: s.Params}
		f.scalars = append(f.scalars, scalarsOf(&c))
	}
	return &fusedKernel{device: d, pieces: []*fusedRegion{f}}, nil
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
