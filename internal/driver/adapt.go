package driver

import (
	"math"

	"cresset/internal/dl"
)

// adapt sets a field of the table to a Go function around fn. There is one adapter for each signature; the fields' types
// tell them apart.
func (l *library) adapt(field any, fn uintptr) {
	switch f := field.(type) {
	case *func(uint32) Result:
		*f = func(flags uint32) Result { return Result(dl.Call(fn, uintptr(flags))) }
	case *func(Device) Result:
		*f = func(dev Device) Result { return Result(dl.Call(fn, uintptr(dev))) }
	case *func() (int32, Result):
		*f = func() (int32, Result) { v, r := out(fn); return int32(v), r }
	case *func(int32) (Device, Result):
		*f = func(ordinal int32) (Device, Result) { v, r := out(fn, uintptr(ordinal)); return Device(v), r }
	case *func(Device) (uint64, Result):
		*f = func(dev Device) (uint64, Result) { return out(fn, uintptr(dev)) }
	case *func(Device) (Context, Result):
		*f = func(dev Device) (Context, Result) { v, r := out(fn, uintptr(dev)); return Context(v), r }
	case *func(Attribute, Device) (int32, Result):
		*f = func(a Attribute, dev Device) (int32, Result) {
			v, r := out(fn, uintptr(a), uintptr(dev))
			return int32(v), r
		}
	case *func(Device, Device) (int32, Result):
		*f = func(dev, peer Device) (int32, Result) {
			v, r := out(fn, uintptr(dev), uintptr(peer))
			return int32(v), r
		}
	case *func(Device) (string, Result):
		*f = deviceText(fn)
	case *func(Result) (string, Result):
		*f = resultText(fn)
	case *func(Device) (UUID, Result):
		*f = deviceUUID(fn)
	case *func(*TiledTensor) (TensorMap, Result):
		*f = encodeTiled(fn)
	default:
		l.adaptWithin(field, fn)
	}
}

// adaptWithin is adapt for calls in a context that return a result alone.
func (l *library) adaptWithin(field any, fn uintptr) {
	switch f := field.(type) {
	case *func(Context) Result:
		*f = func(ctx Context) Result { return l.within(ctx, fn) }
	case *func(Context, Stream) Result:
		*f = func(ctx Context, s Stream) Result { return l.within(ctx, fn, uintptr(s)) }
	case *func(Context, Event) Result:
		*f = func(ctx Context, e Event) Result { return l.within(ctx, fn, uintptr(e)) }
	case *func(Context, Ptr) Result:
		*f = func(ctx Context, p Ptr) Result { return l.within(ctx, fn, uintptr(p)) }
	case *func(Context, Context, uint32) Result:
		*f = func(ctx, peer Context, flags uint32) Result { return l.within(ctx, fn, uintptr(peer), uintptr(flags)) }
	case *func(Context, Event, Stream) Result:
		*f = func(ctx Context, e Event, s Stream) Result { return l.within(ctx, fn, uintptr(e), uintptr(s)) }
	case *func(Context, Stream, Event, uint32) Result:
		*f = func(ctx Context, s Stream, e Event, flags uint32) Result {
			return l.within(ctx, fn, uintptr(s), uintptr(e), uintptr(flags))
		}
	case *func(Context, Ptr, Ptr, uint64, Stream) Result:
		*f = func(ctx Context, dst, src Ptr, bytes uint64, s Stream) Result {
			return l.within(ctx, fn, uintptr(dst), uintptr(src), uintptr(bytes), uintptr(s))
		}
	case *func(Context, Ptr, uint8, uint64, Stream) Result:
		*f = func(ctx Context, dst Ptr, value uint8, n uint64, s Stream) Result {
			return l.within(ctx, fn, uintptr(dst), uintptr(value), uintptr(n), uintptr(s))
		}
	case *func(Context, Ptr, Context, Ptr, Context, uint64, Stream) Result:
		*f = l.peerCopy(fn)
	case *func(Context, Function, FuncAttribute, int32) Result:
		*f = func(ctx Context, k Function, a FuncAttribute, value int32) Result {
			return l.within(ctx, fn, uintptr(k), uintptr(a), uintptr(value))
		}
	case *func(Context, Function, Dim, Dim, uint32, Stream, []byte) Result:
		*f = l.launch(fn)
	case *func(Context, Function, *Launch, Stream, []byte) Result:
		*f = l.launchEx(fn)
	default:
		l.adaptOut(field, fn)
	}
}

// adaptOut is adapt for calls in a context that return more.
func (l *library) adaptOut(field any, fn uintptr) {
	switch f := field.(type) {
	case *func(Context, uint64) (Ptr, Result):
		*f = func(ctx Context, bytes uint64) (Ptr, Result) {
			v, r := l.out(ctx, fn, uintptr(bytes))
			return Ptr(v), r
		}
	case *func(Context, uint32) (Event, Result):
		*f = func(ctx Context, flags uint32) (Event, Result) {
			v, r := l.out(ctx, fn, uintptr(flags))
			return Event(v), r
		}
	case *func(Context, uint32, int32) (Stream, Result):
		*f = func(ctx Context, flags uint32, priority int32) (Stream, Result) {
			v, r := l.out(ctx, fn, uintptr(flags), uintptr(priority))
			return Stream(v), r
		}
	case *func(Context) (uint64, uint64, Result):
		*f = withPair(l, fn)
	case *func(Context, Function, int32, uint64) (int32, Result):
		*f = func(ctx Context, k Function, threads int32, shared uint64) (int32, Result) {
			v, r := l.out(ctx, fn, uintptr(k), uintptr(threads), uintptr(shared))
			return int32(v), r
		}
	case *func(Context, Function, *Launch) (int32, Result):
		*f = l.clusters(fn)
	case *func(Context, Event, Event) (float32, Result):
		*f = func(ctx Context, start, end Event) (float32, Result) {
			v, r := l.out(ctx, fn, uintptr(start), uintptr(end))
			return math.Float32frombits(uint32(v)), r
		}
	default:
		l.adaptMemory(field, fn)
	}
}

// adaptMemory is adapt for calls in a context that take or return memory of the host.
func (l *library) adaptMemory(field any, fn uintptr) {
	switch f := field.(type) {
	case *func(Context, uint64, uint32) ([]byte, Result):
		*f = l.hostAlloc(fn)
	case *func(Context, []byte, uint32) (Ptr, Result):
		*f = func(ctx Context, p []byte, flags uint32) (Ptr, Result) {
			v, r := l.out(ctx, fn, address(p), uintptr(flags))
			return Ptr(v), r
		}
	case *func(Context, Ptr, []byte, Stream) Result:
		*f = l.copyIn(fn)
	case *func(Context, []byte, Ptr, Stream) Result:
		*f = l.copyOut(fn)
	case *func(Context, []byte, *JIT) (Module, Result):
		*f = l.loadModule(fn)
	case *func(Context, Module, string) (Function, Result):
		*f = l.moduleFunction(fn)
	default:
		l.adaptGraph(field, fn)
	}
}
