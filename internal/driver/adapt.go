package driver

import "fmt"

// adapt sets a field of the table to a Go function around fn. There is one
// adapter for each signature; the fields' types tell them apart.
func (l *library) adapt(field any, fn uintptr) {
	switch f := field.(type) {
	case *func(uint32) Result:
		*f = in1[uint32](fn)
	case *func(Device) Result:
		*f = in1[Device](fn)
	case *func() (int32, Result):
		*f = out0[int32](fn)
	case *func(int32) (Device, Result):
		*f = out1[Device, int32](fn)
	case *func(Device) (uint64, Result):
		*f = out1[uint64, Device](fn)
	case *func(Device) (Context, Result):
		*f = out1[Context, Device](fn)
	case *func(Attribute, Device) (int32, Result):
		*f = out2[int32, Attribute, Device](fn)
	case *func(Device, Device) (int32, Result):
		*f = out2[int32, Device, Device](fn)
	case *func(Device) (string, Result):
		*f = deviceText(fn)
	case *func(Device) (UUID, Result):
		*f = deviceUUID(fn)
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
		*f = withIn1[Stream](l, fn)
	case *func(Context, Event) Result:
		*f = withIn1[Event](l, fn)
	case *func(Context, Ptr) Result:
		*f = withIn1[Ptr](l, fn)
	case *func(Context, Module) Result:
		*f = withIn1[Module](l, fn)
	case *func(Context, Context, uint32) Result:
		*f = withIn2[Context, uint32](l, fn)
	case *func(Context, Event, Stream) Result:
		*f = withIn2[Event, Stream](l, fn)
	case *func(Context, Stream, Event, uint32) Result:
		*f = withIn3[Stream, Event, uint32](l, fn)
	case *func(Context, Ptr, Ptr, uint64, Stream) Result:
		*f = withIn4[Ptr, Ptr, uint64, Stream](l, fn)
	case *func(Context, Ptr, uint8, uint64, Stream) Result:
		*f = withIn4[Ptr, uint8, uint64, Stream](l, fn)
	case *func(Context, Ptr, Context, Ptr, Context, uint64, Stream) Result:
		*f = l.peerCopy(fn)
	case *func(Context, Function, Dim, Dim, uint32, Stream, []byte) Result:
		*f = l.launch(fn)
	default:
		l.adaptOut(field, fn)
	}
}

// adaptOut is adapt for calls in a context that return more.
func (l *library) adaptOut(field any, fn uintptr) {
	switch f := field.(type) {
	case *func(Context, uint64) (Ptr, Result):
		*f = withOut1[Ptr, uint64](l, fn)
	case *func(Context, uint32) (Event, Result):
		*f = withOut1[Event, uint32](l, fn)
	case *func(Context, uint32, int32) (Stream, Result):
		*f = withOut2[Stream, uint32, int32](l, fn)
	case *func(Context) (uint64, uint64, Result):
		*f = withPair[uint64](l, fn)
	case *func(Context, Event, Event) (float32, Result):
		*f = l.elapsed(fn)
	default:
		l.adaptMemory(field, fn)
	}
}

// adaptMemory is adapt for calls in a context that take or return memory of the host.
func (l *library) adaptMemory(field any, fn uintptr) {
	switch f := field.(type) {
	case *func(Context, uint64, uint32) ([]byte, Result):
		*f = l.hostAlloc(fn)
	case *func(Context, []byte) Result:
		*f = l.hostFree(fn)
	case *func(Context, []byte, uint32) (Ptr, Result):
		*f = l.hostPointer(fn)
	case *func(Context, Ptr, []byte, Stream) Result:
		*f = l.copyIn(fn)
	case *func(Context, []byte, Ptr, Stream) Result:
		*f = l.copyOut(fn)
	case *func(Context, []byte, *JIT) (Module, Result):
		*f = l.loadModule(fn)
	case *func(Context, Module, string) (Function, Result):
		*f = l.moduleFunction(fn)
	default:
		panic(fmt.Sprintf("driver: no adapter for %T", field))
	}
}
