package cuda

import (
	"math"
	"sync"
	"unsafe"

	"cresset/dtype"
	"cresset/internal/backend"
	"cresset/internal/backend/cuda/kernels"
	"cresset/internal/driver"
	"cresset/internal/op"
)

// launcher issues the kernels of one call.
type launcher func(d *Device, c *backend.Call, k kernelID) error

// row is what a GPU does for one op on one dtype.
type row struct {
	launch launcher
	kernel kernelID
}

// mostVariants is more than a kernel has.
const mostVariants = 8

// Run issues the call's kernels on the compute stream.
func (d *Device) Run(c *backend.Call) error {
	r := &rows[c.Op][c.DType]
	if r.launch == nil {
		return &backend.MissingKernelError{Op: c.Op, DType: c.DType, GPU: true}
	}
	if e := d.failure.Load(); e != nil {
		return e
	}
	graph, err := d.enter(c)
	if err != nil {
		return err
	}
	d.lastOp.Store(uint32(c.Op))
	d.trace.begin(c)
	if err := d.meet(c); err != nil {
		return err
	}
	err = r.launch(d, c, r.kernel)
	for tries := 0; tries < mostVariants && err != nil && d.refuse(err); tries++ { // another variant does it
		err = r.launch(d, c, r.kernel)
	}
	if err != nil {
		return err
	}
	d.part(c.Out())
	if d.blocking && graph == nil {
		if err := d.waitFor(d.lane); err != nil {
			return err
		}
	}
	if c.Then == op.Invalid && c.Epilogue == nil {
		return nil
	}
	return c.Follow(d)
}

// Has reports whether there is a kernel for the op on that dtype.
func (d *Device) Has(o op.Op, dt dtype.DType) bool { return Has(o, dt) }

// Has reports whether GPUs have a kernel for the op on that dtype.
func Has(o op.Op, dt dtype.DType) bool { return rows[o][dt].launch != nil }

// last names the op that was issued last; it is empty before the first.
func (d *Device) last() string {
	if o := op.Op(d.lastOp.Load()); o != op.Invalid {
		return o.String()
	}
	return ""
}

// flat returns the grid of a kernel whose blocks walk over n elements.
func (d *Device) flat(n int) kernels.Grid {
	g := kernels.Flat(uint64(n), math.MaxInt32)
	g.Walks = true
	return g
}

// paramPool recycles the parameters of one kind of kernel: a launch takes them by reference, so they live on the heap.
type paramPool[P any] struct{ pool sync.Pool }

func (p *paramPool[P]) take() *P {
	if v, ok := p.pool.Get().(*P); ok {
		return v
	}
	return new(P)
}

func (p *paramPool[P]) give(v *P) { p.pool.Put(v) }

// begin returns what a call needs beside its operands: memory, and parameters, which go back with the memory.
func (p *paramPool[P]) begin(d *Device) (scratch, *P) {
	v := p.take()
	return scratch{device: d, params: v, pool: &p.pool}, v
}

// launch issues a kernel over a grid of blocks.
func launch[P any](d *Device, k kernelID, g kernels.Grid, p *P) error {
	f, err := d.function(k)
	if err != nil {
		return err
	}
	d.limit(k, f, &g)
	// The bytes are those of p, which has no pointers; the driver has copied them when the call returns.
	params := unsafe.Slice((*byte)(unsafe.Pointer(p)), unsafe.Sizeof(*p))
	if err = d.issue(k, f, &g, params); d.madeRoom(err) {
		err = d.issue(k, f, &g, params)
	}
	return err
}

// issue gives a kernel to the compute stream and tells a profile of it.
func (d *Device) issue(k kernelID, f driver.Function, g *kernels.Grid, params []byte) error {
	if c, err := d.capturedOr(); c != nil || err != nil {
		if err == nil {
			err = d.permit(k, f, g)
		}
		if err != nil {
			return err
		}
		return c.launch(f, g, params)
	}
	w := d.watchLaunch(k, g)
	err := d.give(k, f, g, params)
	w.end(err == nil)
	return err
}

func (d *Device) give(k kernelID, f driver.Function, g *kernels.Grid, params []byte) error {
	if g.Shared > 0 || g.Cluster[0] > 0 || g.Programmatic {
		return d.launchShaped(k, f, g, params)
	}
	return d.result(d.api.LaunchKernel(d.ctx, f, dim(g.Blocks), dim(g.Threads), 0, d.streams[d.lane], params))
}

// launchShaped is launch for what not every kernel asks for.
func (d *Device) launchShaped(k kernelID, f driver.Function, g *kernels.Grid, params []byte) error {
	if err := d.permit(k, f, g); err != nil {
		return err
	}
	if g.Cluster[0] == 0 && !g.Programmatic {
		return d.result(d.api.LaunchKernel(d.ctx, f, dim(g.Blocks), dim(g.Threads), g.Shared, d.streams[d.lane], params))
	}
	if d.api.LaunchKernelEx == nil {
		return d.fail(driver.ErrNotSupported)
	}
	l := driver.Launch{Grid: dim(g.Blocks), Block: dim(g.Threads), Shared: g.Shared, Cluster: dim(g.Cluster), Programmatic: g.Programmatic}
	return d.result(d.api.LaunchKernelEx(d.ctx, f, &l, d.streams[d.lane], params))
}

// permit allows a kernel, once, the shared memory and the clusters that its launches ask for: 48 KiB and 8 blocks need no permission.
func (d *Device) permit(k kernelID, f driver.Function, g *kernels.Grid) error {
	m := &d.modules
	m.mu.Lock()
	defer m.mu.Unlock()
	if had, ok := m.shared[k]; ok && had >= g.Shared {
		return nil
	}
	if g.Shared > 0 {
		if err := d.result(d.api.FuncSetAttribute(d.ctx, f, driver.FuncMaxDynamicShared, int32(g.Shared))); err != nil {
			return err
		}
	}
	if g.Cluster[0]*g.Cluster[1]*g.Cluster[2] > 8 {
		if err := d.result(d.api.FuncSetAttribute(d.ctx, f, driver.FuncNonPortableCluster, 1)); err != nil {
			return err
		}
	}
	if m.shared == nil {
		m.shared = map[kernelID]uint32{}
	}
	m.shared[k] = g.Shared
	return nil
}

// paramsOf returns a kernel's parameters. The bytes are an allocation of their own, which is aligned for any of them.
func paramsOf[P any](params []byte) *P { return (*P)(unsafe.Pointer(unsafe.SliceData(params))) }

func dim(n [3]uint32) driver.Dim { return driver.Dim{X: n[0], Y: n[1], Z: n[2]} }

// address returns where element 0 of the view lies.
func address(v *backend.View) uint64 {
	return v.Buf.(*Buffer).ptr + uint64(v.Layout.Offset*v.DType.Size())
}
