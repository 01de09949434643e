package driver

import (
	"runtime"
	"sync"
	"unsafe"

	"cresset/internal/dl"
)

// outs is where C writes results. It is pooled memory of the heap: Go's heap does not move, so its address holds while C has
// it.
type outs struct {
	a, b uint64
	host unsafe.Pointer // memory of C, never of Go
	args [4]uintptr     // of a call that returns a
}

var outPool = sync.Pool{New: func() any { return new(outs) }}

func takeOuts() *outs {
	o := outPool.Get().(*outs)
	*o = outs{}
	return o
}

func (o *outs) release() {
	runtime.KeepAlive(o)
	outPool.Put(o)
}

// The addresses are sound as integers because o is on the heap and stays reachable until release.
func (o *outs) first() uintptr  { return uintptr(unsafe.Pointer(&o.a)) }
func (o *outs) second() uintptr { return uintptr(unsafe.Pointer(&o.b)) }

// out calls fn with the address for a result before the arguments.
func out(fn uintptr, args ...uintptr) (uint64, Result) {
	o := takeOuts()
	defer o.release()
	r := Result(dl.Call(fn, append(append(o.args[:0], o.first()), args...)...))
	return o.a, r
}

// out is as the function of that name, in a context.
func (l *library) out(ctx Context, fn uintptr, args ...uintptr) (uint64, Result) {
	o := takeOuts()
	defer o.release()
	r := l.within(ctx, fn, append(append(o.args[:0], o.first()), args...)...)
	return o.a, r
}

func withPair(l *library, fn uintptr) func(Context) (uint64, uint64, Result) {
	return func(ctx Context) (uint64, uint64, Result) {
		o := takeOuts()
		defer o.release()
		r := l.within(ctx, fn, o.first(), o.second())
		return o.a, o.b, r
	}
}
