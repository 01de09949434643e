package driver

import (
	"bytes"
	"runtime"
)

const logBytes = 16 << 10 // of each log of the compiler

// Options of the compiler, with the numbers of CUjit_option.
const (
	jitMaxRegisters   = 0
	jitInfoLog        = 3
	jitInfoLogBytes   = 4
	jitErrorLog       = 5
	jitErrorLogBytes  = 6
	jitLineInfo       = 13
	maxJITOptionCount = 6
)

// options are the compiler's options in C's form: names and values, side by side.
type options struct {
	names  []uint32
	values []uintptr
}

func (o *options) add(name uint32, value uintptr) {
	o.names = append(o.names, name)
	o.values = append(o.values, value)
}

func (l *library) loadModule(fn uintptr) func(Context, []byte, *JIT) (Module, Result) {
	return func(ctx Context, image []byte, jit *JIT) (Module, Result) {
		if jit == nil {
			jit = &JIT{}
		}
		var pinner runtime.Pinner
		defer pinner.Unpin()
		info, complaints := make([]byte, logBytes), make([]byte, logBytes)
		opts := options{make([]uint32, 0, maxJITOptionCount), make([]uintptr, 0, maxJITOptionCount)}
		opts.add(jitInfoLog, pinned(&pinner, info))
		opts.add(jitInfoLogBytes, logBytes)
		opts.add(jitErrorLog, pinned(&pinner, complaints))
		opts.add(jitErrorLogBytes, logBytes)
		if jit.MaxRegisters > 0 {
			opts.add(jitMaxRegisters, uintptr(jit.MaxRegisters))
		}
		if jit.LineInfo {
			opts.add(jitLineInfo, 1)
		}
		o := takeOuts()
		defer o.release()
		r := l.within(ctx, fn, o.first(), pinned(&pinner, cString(image)), uintptr(len(opts.names)),
			pinned(&pinner, opts.names), pinned(&pinner, opts.values))
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
