package driver

import (
	"bytes"
	"runtime"
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

func (l *library) moduleFunction(fn uintptr) func(Context, Module, string) (Function, Result) {
	return func(ctx Context, m Module, name string) (Function, Result) {
		var pinner runtime.Pinner
		defer pinner.Unpin()
		o := takeOuts()
		defer o.release()
		r := l.within(ctx, fn, o.first(), uintptr(m), pinned(&pinner, cString(name)))
		if r == Success {
			l.learn(ctx, Function(o.a))
		}
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
