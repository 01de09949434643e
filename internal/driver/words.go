package driver

import (
	"runtime"
	"sync"
	"unsafe"

	"cresset/internal/dl"
)

// word is what goes to C in one register or stack slot.
type word interface {
	~int32 | ~uint8 | ~uint32 | ~uint64 | ~uintptr
}

// outs is where C writes results. It is pooled memory of the heap: Go's heap
// does not move, so its address holds while C has it.
type outs struct {
	a, b uint64
	host unsafe.Pointer // memory of C, never of Go
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

// The addresses are sound as integers because o is on the heap and stays
// reachable until release.
func (o *outs) first() uintptr  { return uintptr(unsafe.Pointer(&o.a)) }
func (o *outs) second() uintptr { return uintptr(unsafe.Pointer(&o.b)) }

func in1[A word](fn uintptr) func(A) Result {
	return func(a A) Result { return Result(dl.Call(fn, uintptr(a))) }
}

func out0[O word](fn uintptr) func() (O, Result) {
	return func() (O, Result) {
		o := takeOuts()
		defer o.release()
		r := Result(dl.Call(fn, o.first()))
		return O(o.a), r
	}
}

func out1[O, A word](fn uintptr) func(A) (O, Result) {
	return func(a A) (O, Result) {
		o := takeOuts()
		defer o.release()
		r := Result(dl.Call(fn, o.first(), uintptr(a)))
		return O(o.a), r
	}
}

func out2[O, A, B word](fn uintptr) func(A, B) (O, Result) {
	return func(a A, b B) (O, Result) {
		o := takeOuts()
		defer o.release()
		r := Result(dl.Call(fn, o.first(), uintptr(a), uintptr(b)))
		return O(o.a), r
	}
}

func withIn1[A word](l *library, fn uintptr) func(Context, A) Result {
	return func(ctx Context, a A) Result { return l.within(ctx, fn, uintptr(a)) }
}

func withIn2[A, B word](l *library, fn uintptr) func(Context, A, B) Result {
	return func(ctx Context, a A, b B) Result { return l.within(ctx, fn, uintptr(a), uintptr(b)) }
}

func withIn3[A, B, C word](l *library, fn uintptr) func(Context, A, B, C) Result {
	return func(ctx Context, a A, b B, c C) Result {
		return l.within(ctx, fn, uintptr(a), uintptr(b), uintptr(c))
	}
}

func withIn4[A, B, C, D word](l *library, fn uintptr) func(Context, A, B, C, D) Result {
	return func(ctx Context, a A, b B, c C, d D) Result {
		return l.within(ctx, fn, uintptr(a), uintptr(b), uintptr(c), uintptr(d))
	}
}

func withOut1[O, A word](l *library, fn uintptr) func(Context, A) (O, Result) {
	return func(ctx Context, a A) (O, Result) {
		o := takeOuts()
		defer o.release()
		r := l.within(ctx, fn, o.first(), uintptr(a))
		return O(o.a), r
	}
}

func withOut2[O, A, B word](l *library, fn uintptr) func(Context, A, B) (O, Result) {
	return func(ctx Context, a A, b B) (O, Result) {
		o := takeOuts()
		defer o.release()
		r := l.within(ctx, fn, o.first(), uintptr(a), uintptr(b))
		return O(o.a), r
	}
}

func withPair[O word](l *library, fn uintptr) func(Context) (O, O, Result) {
	return func(ctx Context) (O, O, Result) {
		o := takeOuts()
		defer o.release()
		r := l.within(ctx, fn, o.first(), o.second())
		return O(o.a), O(o.b), r
	}
}
