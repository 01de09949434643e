package dl

import "sync"

// maxArgs is how many arguments Call takes: an id of NCCL takes sixteen behind six registers.
const maxArgs = 24

// frames keeps argument slices for reuse: what goes to C escapes, and so would be allocated at each call.
var frames = sync.Pool{New: func() any { return new([maxArgs]uintptr) }}

// CallWith is Call for arguments that are on the heap already.
func CallWith(fn uintptr, args []uintptr) uintptr { return call(fn, args) }

// Call calls a C function that takes integers and pointers and returns an integer or pointer; results narrower than a word
// are in its low bits. Memory that an argument points to must be off the stack, and the caller keeps it alive until Call has
// returned.
func Call(fn uintptr, args ...uintptr) uintptr {
	frame := frames.Get().(*[maxArgs]uintptr)
	result := call(fn, frame[:copy(frame[:len(args)], args)])
	frames.Put(frame)
	return result
}
