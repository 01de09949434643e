package driver

import (
	"runtime"
	"unsafe"
)

// address returns where p's bytes are. What comes in through the table's fields is never on a stack, so the address is sound
// as an integer while p is kept.
func address(p []byte) uintptr { return uintptr(unsafe.Pointer(unsafe.SliceData(p))) }

func (l *library) copyIn(fn uintptr) func(Context, Ptr, []byte, Stream) Result {
	return func(ctx Context, dst Ptr, src []byte, s Stream) Result {
		r := l.within(ctx, fn, uintptr(dst), address(src), uintptr(len(src)), uintptr(s))
		runtime.KeepAlive(src)
		return r
	}
}

func (l *library) copyOut(fn uintptr) func(Context, []byte, Ptr, Stream) Result {
	return func(ctx Context, dst []byte, src Ptr, s Stream) Result {
		r := l.within(ctx, fn, address(dst), uintptr(src), uintptr(len(dst)), uintptr(s))
		runtime.KeepAlive(dst)
		return r
	}
}

func (l *library) peerCopy(fn uintptr) func(Context, Ptr, Context, Ptr, Context, uint64, Stream) Result {
	return func(ctx Context, dst Ptr, dstCtx Context, src Ptr, srcCtx Context, n uint64, s Stream) Result {
		return l.within(ctx, fn, uintptr(dst), uintptr(dstCtx), uintptr(src), uintptr(srcCtx), uintptr(n), uintptr(s))
	}
}

func (l *library) hostAlloc(fn uintptr) func(Context, uint64, uint32) ([]byte, Result) {
	return func(ctx Context, n uint64, flags uint32) ([]byte, Result) {
		o := takeOuts()
		defer o.release()
		// The slot holds a pointer to C's memory, which Go's collector ignores.
		r := l.within(ctx, fn, uintptr(unsafe.Pointer(&o.host)), uintptr(n), uintptr(flags))
		if r != Success {
			return nil, r
		}
		return unsafe.Slice((*byte)(o.host), n), r // n bytes are what was asked for
	}
}
