//go:build !nocuda

package dl

import "unsafe"

// cgocall calls a function of assembly or C with one argument on the system's stack. Both cgo and purego call it; purego.SyscallN adds 70 ns, for it copies room for 32 integers and 8 floats
// several times. That is a tenth of an all-reduce of 4 bytes, a row of docs/distributed.md.
//
//go:linkname cgocall runtime.cgocall
func cgocall(fn uintptr, arg unsafe.Pointer) int32

// callFrame and look are where the assembly begins.
var callFrame, look uintptr

// call calls the function. A frame is on the heap, so it stays where it is.
func (f *frame) call() { cgocall(callFrame, unsafe.Pointer(f)) }

// run asks. So is a Look.
func (l *Look) run() { cgocall(look, unsafe.Pointer(l)) }
