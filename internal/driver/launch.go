package driver

import (
	"runtime"
	"sync"
	"unsafe"
)

// Marks of the list that cuLaunchKernel takes as its last argument.
const (
	launchEnd        = 0
	launchParams     = 1
	launchParamBytes = 2
)

// launchFrame holds what a launch points to. It is pooled memory of the heap, which does not move, so its addresses hold
// while the frame is out of the pool.
type launchFrame struct {
	extra  [5]uintptr
	bytes  uintptr
	params [MaxParams]byte
}

var launchPool = sync.Pool{New: func() any {
	f := new(launchFrame)
	f.extra = [5]uintptr{
		// Sound as integers: they point into f, which is on the heap and holds them.
		launchParams, uintptr(unsafe.Pointer(&f.params)),
		launchParamBytes, uintptr(unsafe.Pointer(&f.bytes)),
		launchEnd,
	}
	return f
}}

func (l *library) launch(fn uintptr) func(Context, Function, Dim, Dim, Stream, []byte) Result {
	return func(ctx Context, k Function, grid, block Dim, s Stream, params []byte) Result {
		if len(params) > MaxParams {
			return ErrInvalidValue
		}
		f := launchPool.Get().(*launchFrame)
		f.bytes = uintptr(copy(f.params[:], params))
		r := l.within(ctx, fn, uintptr(k),
			uintptr(grid.X), uintptr(grid.Y), uintptr(grid.Z),
			uintptr(block.X), uintptr(block.Y), uintptr(block.Z),
			0, uintptr(s), 0, // no dynamic shared memory
			uintptr(unsafe.Pointer(&f.extra))) // sound: f stays reachable, see KeepAlive
		runtime.KeepAlive(f)
		launchPool.Put(f)
		return r
	}
}
