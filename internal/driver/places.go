package driver

import (
	"maps"
	"runtime"
	"sync"
	"sync/atomic"
	"unsafe"
)

// maxPlaces is how many parameters a kernel with places can have.
const maxPlaces = 16

// places knows where kernels have their parameters. A packed buffer goes to the start of the driver's memory for parameters, but a
// parameter whose alignment is more than that memory's, such as a tensor map, lies behind it, and the others with it. Such kernels
// are given their parameters one by one.
type places struct {
	ask uintptr // cuFuncGetParamInfo, since CUDA 12.4; 0 where there is none

	mu sync.Mutex // guards changes of known, whose maps do not change
	// known has the offsets of the parameters of such kernels alone, which are few.
	known atomic.Pointer[map[Function][]uintptr]
}

// of returns the offsets of a kernel's parameters, or nil where a packed buffer will do.
func (p *places) of(k Function) []uintptr {
	if known := p.known.Load(); known != nil {
		return (*known)[k]
	}
	return nil
}

// learn asks where a kernel that the driver has found takes its parameters. Its handle may have been that of another one, of a context
// that has ended.
func (l *library) learn(ctx Context, k Function) {
	p := &l.places
	if p.ask == 0 {
		return
	}
	offsets := l.askPlaces(ctx, k)
	p.mu.Lock()
	defer p.mu.Unlock()
	if offsets == nil && p.of(k) == nil {
		return
	}
	next := map[Function][]uintptr{}
	if known := p.known.Load(); known != nil {
		next = maps.Clone(*known)
	}
	if next[k] = offsets; offsets == nil {
		delete(next, k)
	}
	p.known.Store(&next)
}

// askPlaces returns nil where the first parameter lies at the start and is too small for a tensor map.
func (l *library) askPlaces(ctx Context, k Function) (offsets []uintptr) {
	for i := range uintptr(maxPlaces) {
		o := takeOuts()
		r := l.within(ctx, l.places.ask, uintptr(k), i, o.first(), o.second())
		at, size := uintptr(o.a), o.b
		o.release()
		if r != Success || i == 0 && at == 0 && size < uint64(len(TensorMap{})) {
			break
		}
		offsets = append(offsets, at)
	}
	return offsets
}

// arguments returns what cuLaunchKernel takes of the frame: pointers to parameters, or a packed buffer.
func (f *launchFrame) arguments(offsets []uintptr) (params, extra uintptr) {
	if offsets == nil {
		return 0, uintptr(unsafe.Pointer(&f.extra)) // sound: f stays reachable, see KeepAlive
	}
	start := uintptr(unsafe.Pointer(&f.params)) // sound as an integer: f is on the heap
	for i, at := range offsets {
		f.pointers[i] = start + min(at-offsets[0], MaxParams)
	}
	runtime.KeepAlive(f)
	return uintptr(unsafe.Pointer(&f.pointers)), 0 // sound: f stays reachable, see KeepAlive
}
