package dl

import "sync"

// maxArgs is how many arguments Call takes: an id of NCCL takes sixteen behind six registers.
const maxArgs = 24

// A frame is a call of a C function. Assembly knows where its fields lie.
type frame struct {
	fn, n, result uintptr
	args          [maxArgs]uintptr
}

// frames keeps frames for reuse: what goes to C escapes, and so would be allocated at each call.
var frames = sync.Pool{New: func() any { return new(frame) }}

// Call calls a C function that takes integers and pointers and returns an integer or pointer; results narrower than a word
// are in its low bits. Memory that an argument points to must be off the stack, and the caller keeps it alive until Call has
// returned.
func Call(fn uintptr, args ...uintptr) uintptr {
	f := frames.Get().(*frame)
	f.fn, f.n = fn, uintptr(len(args))
	copy(f.args[:len(args)], args)
	f.call()
	result := f.result
	frames.Put(f)
	return result
}

// A Look asks a C function whether something has ended, as MPI_Test is asked: fn(request, flag, status) writes another int32 than 0 at flag where it has, and returns another int32 than 0
// where it fails.
type Look struct {
	fn, most, result      uintptr // assembly knows these as well
	request, flag, status uintptr
	memory                *Memory
	flagAt                int
}

// NewLook returns one of a function, and of where in memory the request, the flag and the status lie.
func NewLook(fn uintptr, memory *Memory, request, flag, status int) *Look {
	return &Look{fn: fn, request: memory.Address(request), flag: memory.Address(flag), status: memory.Address(status), memory: memory, flagAt: flag}
}

// Times asks until the function says that it has ended, or fails, but no more often than most, which is at least 1, and returns what it has returned at last. Where there is assembly for
// it all that is one change from Go to C.
func (l *Look) Times(most int) uintptr {
	l.most = uintptr(most)
	l.run()
	return l.result
}
