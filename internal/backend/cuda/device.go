package cuda

import (
	"fmt"
	"sync"
	"sync/atomic"

	"cresset/internal/backend"
	"cresset/internal/backend/cuda/kernels"
	"cresset/internal/driver"
	"cresset/internal/profile"
	"cresset/internal/rng"
)

// Device is one GPU as a backend, or one of its streams. Its calls issue work and return; what fails later is told by the next call that waits.
type Device struct {
	*gpu
	lane stream // on which its work is issued
}

// gpu is what all streams of a device share.
type gpu struct {
	index      int
	api        *driver.API
	handle     driver.Device
	properties Properties
	silent     error // why the driver told nothing of the device
	generator  *Generator

	starting    sync.Mutex
	ready       atomic.Bool
	ctx         driver.Context
	streams     [streams]driver.Stream
	alloc       *allocator
	events      eventList
	timing      eventList // for timers
	pinned      pinnedPool
	modules     moduleTable
	plans       memo[planKey, *kernels.ProductPlan]
	convPlans   memo[convolutionKey, convolutionPlan]
	maps        memo[driver.TiledTensor, encoded]
	emitted     emitted
	blas        blas // where the user asks for it
	fault       faultWord
	blocking    bool
	failure     atomic.Pointer[Error] // the first sticky error
	lastOp      atomic.Uint32         // the op that was issued last
	peers       [maxDevices]atomic.Uint32
	copySources copySources
	trace       *Trace // of a modelled GPU, else nil
	stopwatches stopwatches
	epoch       atomic.Uint64
	crossings   crossings
}

var _ backend.Backend = (*Device)(nil)

// maxDevices is more than a machine has: device.Device has 7 bits for the index.
const maxDevices = 128

// newDevice describes a GPU without touching it. The error says that the driver told nothing of it; the device can be neither used nor
// described then.
func newDevice(api *driver.API, index int) (*Device, error) {
	d := &Device{gpu: &gpu{
		index: index, api: api, generator: NewGenerator(rng.Entropy()), timing: eventList{timed: true}, modules: moduleTable{catalog: embedded},
	}}
	var r driver.Result
	d.handle, r = api.DeviceGet(int32(index))
	d.silent = r.Err("cuDeviceGet")
	if d.silent == nil {
		d.properties, d.silent = readProperties(api, d.handle)
	}
	return d, d.silent
}

// start makes the device ready on its first use, which takes memory on it.
func (d *Device) start() error {
	if d.ready.Load() {
		return nil
	}
	d.starting.Lock()
	defer d.starting.Unlock()
	if d.ready.Load() {
		return nil
	}
	if err := d.Silent(); err != nil {
		return err
	}
	if p := d.properties; p.Major < minMajor {
		return &CapabilityError{Device: d.index, Name: p.Name, Major: p.Major, Minor: p.Minor}
	}
	c, err := readConfig()
	if err != nil {
		return err
	}
	if err := d.open(); err != nil {
		return err
	}
	d.alloc = newAllocator(d, d.index, c)
	d.alloc.profiled = true
	d.blocking = launchBlocking()
	d.ready.Store(true)
	return nil
}

// open takes the primary context, streams and the word for faults. A GPU that cannot be opened now, since another program has it for
// itself or all of its memory, may be free the next time: it is not lost.
func (d *Device) open() error {
	r := driver.Success
	if d.ctx, r = d.api.DevicePrimaryCtxRetain(d.handle); r == driver.Success {
		r = d.openStreams()
		if r == driver.Success {
			return nil
		}
	}
	e := d.failed(r)
	e.starting = true
	if d.ctx != 0 {
		d.api.DevicePrimaryCtxRelease(d.handle) // streams go with it; a failure here has the cause that is told
		d.ctx = 0
	}
	return e
}

func (d *Device) openStreams() (r driver.Result) {
	for s := range lanes {
		if d.streams[s], r = d.api.StreamCreate(d.ctx, driver.StreamNonBlocking, 0); r != driver.Success {
			return r
		}
	}
	return d.openFault()
}

// Index returns the device's number among the visible ones.
func (d *Device) Index() int { return d.index }

// Properties describes the device.
func (d *Device) Properties() Properties { return d.properties }

// Silent returns why the driver tells nothing of the device; nil where it does.
func (d *Device) Silent() error {
	if d.silent == nil {
		return nil
	}
	return &SilentError{Device: d.index, Err: d.silent}
}

// Generator returns the device's stream of random numbers.
func (d *Device) Generator() backend.Generator { return d.generator }

// NewGenerator returns another stream for tensors on the device.
func (*Device) NewGenerator(seed uint64) backend.Generator { return NewGenerator(seed) }

// Alloc returns memory for use on the compute stream, not zeroed.
func (d *Device) Alloc(bytes int) (backend.Buffer, error) {
	if e := d.failure.Load(); e != nil {
		return nil, e
	}
	b, err := d.alloc.alloc(bytes, d.lane)
	if err != nil {
		return nil, err
	}
	d.fresh(b)
	return b, nil
}

// Free gives memory back; work that was issued before is not disturbed.
func (d *Device) Free(b backend.Buffer) { d.alloc.release(b.(*Buffer)) }

// Sync waits for all issued work and returns its error.
func (d *Device) Sync() error {
	if err := d.start(); err != nil {
		return err
	}
	if e := d.failure.Load(); e != nil {
		return e
	}
	if err := d.uncaptured("Synchronize", "wait for the replay, outside of the capture"); err != nil {
		return err
	}
	f := profile.Begin(profile.Runtime, "cudaDeviceSynchronize")
	defer f.End()
	if r := d.api.CtxSynchronize(d.ctx); r != driver.Success {
		return d.fail(r)
	}
	return d.checkFault()
}

// Memory returns what tensors hold on the device.
func (d *Device) Memory() backend.MemoryStats {
	s := d.Stats()
	return backend.MemoryStats{
		Allocated: s.AllocatedBytes[All].Current, Peak: s.AllocatedBytes[All].Peak, Reserved: s.ReservedBytes[All].Current,
	}
}

// MemInfo returns the free and the total bytes of the device, for all processes.
func (d *Device) MemInfo() (free, total int64, err error) {
	if err := d.start(); err != nil {
		return 0, 0, err
	}
	if e := d.failure.Load(); e != nil {
		return 0, 0, e
	}
	return d.info()
}

// result is nil for the driver's success and else what fail makes of it.
func (d *Device) result(r driver.Result) error {
	if r == driver.Success {
		return nil
	}
	return d.fail(r)
}

// fail makes an error of the driver's result and remembers the first that is sticky.
func (d *Device) fail(r driver.Result) error {
	e := d.failed(r)
	if !ends(r) {
		return e
	}
	if d.failure.CompareAndSwap(nil, e) {
		return e
	}
	return d.failure.Load()
}

// failed makes an error of the driver's result.
func (d *Device) failed(r driver.Result) *Error {
	e := &Error{Device: d.index, Result: r, Detail: d.explain(r)}
	if !r.Known() {
		e.name, e.text = d.api.Explanation(r)
	}
	return e
}

// ends reports whether the device is of no more use after a result: a lost one answers with an unknown error, or is not
// available.
func ends(r driver.Result) bool {
	return r.Sticky() || r == driver.ErrUnknown || r == driver.ErrDeviceUnavailable
}

// explain tells what is known of a failure's cause.
func (d *Device) explain(r driver.Result) string {
	if d.api.Explain != nil && d.ctx != 0 {
		if err := d.api.Explain(d.ctx); err != nil {
			return err.Error()
		}
	}
	if o := d.last(); ends(r) && o != "" {
		if d.blocking {
			return "in " + o
		}
		return fmt.Sprintf("in %s or an op before it", o)
	}
	return ""
}

// Failed returns the sticky error after which the device computes nothing more, nil while there was none.
func (d *Device) Failed() error {
	if e := d.failure.Load(); e != nil {
		return e
	}
	return nil
}
