package cuda

import (
	"errors"
	"math"
	"sync/atomic"

	"cresset/internal/backend"
	"cresset/internal/driver"
	"cresset/internal/rng"
)

// Meta is a GPU that does not exist. Its memory has addresses but no bytes, its kernels do nothing, and so an op costs what its
// launch costs. It counts memory exactly as a GPU does: what an op would hold there, scratch memory too, it holds here.
type Meta struct{ *Device }

var _ backend.Backend = (*Meta)(nil)

// errNoMeta is a meta device that was never opened, or is closed.
var errNoMeta = pyError("there is one meta device, which has no index")

// metas are the meta devices in use. The first is everybody's, and is made when it is asked for; the others are private.
var metas [maxDevices]atomic.Pointer[Meta]

// Fuse refuses a region, whose calls then run one by one: there is no driver that could load its kernel.
func (m *Meta) Fuse(*backend.Region) (backend.Fused, error) { return nil, errNoMetaKernels }

var errNoMetaKernels = errors.New("cuda: no kernels can be loaded on the meta device")

// OpenMeta returns a meta device.
func OpenMeta(index int) (backend.Backend, error) {
	if m := metas[index].Load(); m != nil {
		return m, nil
	}
	if index != 0 {
		return nil, errNoMeta
	}
	m, err := newMeta(index)
	if err != nil {
		return nil, err
	}
	metas[index].CompareAndSwap(nil, m)
	return metas[index].Load(), nil
}

// NewMeta returns a meta device that only the caller uses until closeMeta is called: it counts nobody else's memory.
func NewMeta() (m *Meta, closeMeta func(), err error) {
	for i := 1; i < len(metas); i++ {
		if metas[i].Load() != nil {
			continue
		}
		if m, err = newMeta(i); err != nil {
			return nil, nil, err
		}
		if metas[i].CompareAndSwap(nil, m) {
			return m, func() { m.close(); metas[i].Store(nil) }, nil
		}
	}
	return nil, nil, errors.New("cuda: all meta devices are in use")
}

// isMeta reports whether the device computes nothing, so that no operand is too large.
func (d *Device) isMeta() bool { return d.api.DeviceGet == nil }

// newMeta returns a device like a large GPU: how many parts a sum is cut into depends on its size, and which kernels there are on its generation.
func newMeta(index int) (*Meta, error) {
	c, err := readConfig()
	if err != nil {
		return nil, err
	}
	d := &Device{gpu: &gpu{index: index, api: emptyDriver(), generator: NewGenerator(rng.Entropy()), properties: Properties{
		Name: "meta", Major: 9, TotalMemory: math.MaxInt64, Multiprocessors: 132, MaxThreadsPerSM: 2048, WarpSize: 32, PTX: 90, SharedOptIn: 227 << 10,
	}}}
	d.modules.catalog = embedded
	d.alloc = newAllocator(d, index, c)
	d.fault.flag = make([]byte, 8)
	for k := range kernelNames {
		d.modules.functions[k].Store(1) // nothing is loaded
	}
	d.ready.Store(true)
	return &Meta{d}, nil
}

// emptyDriver returns a driver whose memory has addresses and no bytes, and whose work is complete at once.
func emptyDriver() *driver.API {
	var next atomic.Uint64
	next.Store(largeUnit) // 0 is no address
	return &driver.API{
		MemAlloc: func(_ driver.Context, bytes uint64) (driver.Ptr, driver.Result) {
			end := next.Add(bytes)
			if end > math.MaxInt64 {
				return 0, driver.ErrOutOfMemory
			}
			return driver.Ptr(end - bytes), driver.Success
		},
		MemFree: func(driver.Context, driver.Ptr) driver.Result { return driver.Success },
		MemGetInfo: func(driver.Context) (free, total uint64, r driver.Result) {
			return math.MaxInt64, math.MaxInt64, driver.Success
		},
		MemHostAlloc: func(_ driver.Context, bytes uint64, _ uint32) ([]byte, driver.Result) {
			return make([]byte, bytes), driver.Success
		},
		MemcpyHtoDAsync:   func(driver.Context, driver.Ptr, []byte, driver.Stream) driver.Result { return driver.Success },
		EventCreate:       func(driver.Context, uint32) (driver.Event, driver.Result) { return 1, driver.Success },
		EventRecord:       func(driver.Context, driver.Event, driver.Stream) driver.Result { return driver.Success },
		EventQuery:        func(driver.Context, driver.Event) driver.Result { return driver.Success },
		MemsetD8Async:     func(driver.Context, driver.Ptr, uint8, uint64, driver.Stream) driver.Result { return driver.Success },
		CtxSynchronize:    func(driver.Context) driver.Result { return driver.Success },
		StreamSynchronize: func(driver.Context, driver.Stream) driver.Result { return driver.Success },
		OccupancyMaxActiveBlocks: func(_ driver.Context, _ driver.Function, threads int32, _ uint64) (int32, driver.Result) {
			return 2048 / threads, driver.Success // MaxThreadsPerSM, as above
		},
		FuncSetAttribute: func(driver.Context, driver.Function, driver.FuncAttribute, int32) driver.Result {
			return driver.Success
		},
		LaunchKernelEx: func(driver.Context, driver.Function, *driver.Launch, driver.Stream, []byte) driver.Result {
			return driver.Success
		},
		TensorMapEncodeTiled: func(*driver.TiledTensor) (driver.TensorMap, driver.Result) { return driver.TensorMap{}, driver.Success },
		LaunchKernel: func(driver.Context, driver.Function, driver.Dim, driver.Dim, uint32, driver.Stream, []byte) driver.Result {
			return driver.Success
		},
	}
}

// CopyIn does nothing.
func (m *Meta) CopyIn(backend.Buffer, int, []byte) error { return nil }

// CopyOut returns backend.ErrNoData.
func (m *Meta) CopyOut([]byte, backend.Buffer, int) error { return backend.ErrNoData }

// CopyFrom does nothing, wherever the source is.
func (m *Meta) CopyFrom(backend.Buffer, int, backend.Buffer, int, int, backend.Backend) error {
	return nil
}

// Settle reclaims unreachable buffers, and returns the bytes that are held then.
func (m *Meta) Settle() int64 {
	a := m.alloc
	a.mu.Lock()
	defer a.mu.Unlock()
	a.collect(true)
	return a.allocated()
}

// close makes the allocator unreachable: it notices every garbage collection otherwise.
func (m *Meta) close() {
	m.alloc.mu.Lock()
	defer m.alloc.mu.Unlock()
	m.alloc.gc.closed = true
}
