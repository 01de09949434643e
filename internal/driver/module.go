package driver

import (
	"bytes"
	"runtime"
	"unsafe"
)

const logBytes = 16 << 10 // of each log of the compiler

// Options of the compiler, with the numbers of CUjit_option.
const (
	jitInfoLog       = 3
	jitInfoLogBytes  = 4
	jitErrorLog      = 5
	jitErrorLogBytes = 6
)

func (l *library) loadModule(fn uintptr) func(Context, []byte, *JIT) (Module, Result) {
	return func(ctx Context, image []byte, jit *JIT) (Module, Result) {
		if jit == nil {
			jit = &JIT{}
		}
		if !bytes.HasPrefix(image, []byte("\x7fELF")) {
			_, _ = l.openJIT() // without it the driver says that there is none
		}
		var pinner runtime.Pinner
		defer pinner.Unpin()
		info, complaints := make([]byte, logBytes), make([]byte, logBytes)
		names := []uint32{jitInfoLog, jitInfoLogBytes, jitErrorLog, jitErrorLogBytes}
		values := []uintptr{pinned(&pinner, info), logBytes, pinned(&pinner, complaints), logBytes}
		o := takeOuts()
		defer o.release()
		r := l.within(ctx, fn, o.first(), pinned(&pinner, cString(image)), uintptr(len(names)),
			pinned(&pinner, names), pinned(&pinner, values))
		jit.Info, jit.Errors = goString(info), goString(complaints)
		return Module(o.a), r
	}
}

const inputPTX = 1 // of CUjitInputType

func (l *library) linkAdd(fn uintptr) func(Context, Link, []byte, string) Result {
	return func(ctx Context, k Link, text []byte, name string) Result {
		_, _ = l.openJIT() // without it the driver says that there is none
		var pinner runtime.Pinner
		defer pinner.Unpin()
		text = cString(text)
		return l.within(ctx, fn, uintptr(k), inputPTX, pinned(&pinner, text), uintptr(len(text)), pinned(&pinner, cString(name)), 0, 0, 0)
	}
}

func (l *library) linkComplete(fn uintptr) func(Context, Link) ([]byte, Result) {
	return func(ctx Context, k Link) ([]byte, Result) {
		o := takeOuts()
		defer o.release()
		// The slot holds a pointer to C's memory, which Go's collector ignores.
		r := l.within(ctx, fn, uintptr(k), uintptr(unsafe.Pointer(&o.host)), o.first())
		if r != Success || o.host == nil {
			return nil, r
		}
		return bytes.Clone(unsafe.Slice((*byte)(o.host), o.a)), r // so many bytes are what the driver says
	}
}

func (l *library) moduleFunction(fn uintptr) func(Context, Module, string) (Function, Result) {
	return func(ctx Context, m Module, name string) (Function, Result) {
		var pinner runtime.Pinner
		defer pinner.Unpin()
		o := takeOuts()
		defer o.release()
		r := l.within(ctx, fn, o.first(), uintptr(m), pinned(&pinner, cString(name)))
		return Function(o.a), r
	}
}

// cString returns a copy of text that ends with a zero.
func cString[T string | []byte](text T) []byte {
	c := make([]byte, len(text)+1)
	copy(c, text)
	return c
}

// goString returns what stands before the first zero.
func goString(c []byte) string {
	text, _, _ := bytes.Cut(c, []byte{0})
	return string(text)
}
