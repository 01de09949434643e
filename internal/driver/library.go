package driver

import (
	"runtime"
	"sync"

	"cresset/internal/dl"
)

// library is an open libcuda.
type library struct {
	*dl.Library
	setCurrent uintptr // cuCtxSetCurrent
	places     places
	jit        struct {
		once sync.Once
		path string
		err  error
	}
}

func (l *library) lacks(symbol string) error { return &SymbolError{l.Path, symbol, l.Tried} }

// callWithin calls f on an OS thread on which ctx is current.
func (l *library) callWithin(ctx Context, f func()) Result {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	r := Result(dl.Call(l.setCurrent, uintptr(ctx)))
	if r == Success {
		f()
	}
	return r
}

// within makes ctx current and calls fn on the same OS thread. The current context belongs to the thread, and a goroutine
// may change threads between two calls.
func (l *library) within(ctx Context, fn uintptr, args ...uintptr) Result {
	runtime.LockOSThread()
	r := Result(dl.Call(l.setCurrent, uintptr(ctx)))
	if r == Success {
		r = Result(dl.Call(fn, args...))
	}
	runtime.UnlockOSThread()
	return r
}
