package driver

import (
	"runtime"
	"sync"
	"unsafe"
)

// maxPlaces is how many parameters a kernel with places can have.
const maxPlaces = 16

// places knows where kernels have their parameters. A packed buffer goes to the start of the driver's memory for parameters, but a
// parameter whose alignment is more than that memory's, such as a tensor map, lies behind it, and the others with it. Such kernels
// are given their parameters one by one.
type places struct {
	ask uintptr // cuFuncGetParamInfo, since CUDA 12.4; 0 where there is none

	mu sync.RWMutex // guards of
	of map[Function][]uintptr
}

// placesOf returns the offsets of a kernel's parameters, or nil where a packed buffer will do: the first lies at the start, and is too
// small for a tensor map.
func (l *library) placesOf(ctx Context, k Function) []uintptr {
	p := &l.places
	if p.ask == 0 {
		return nil
	}
	p.mu.RLock()
	offsets, known := p.of[k]
	p.mu.RUnlock()
	if known {
		return offsets
	}
	offsets = l.askPlaces(ctx, k)
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.of == nil {
		p.of = map[Function][]uintptr{}
	}
	p.of[k] = offsets
	return offsets
}

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
