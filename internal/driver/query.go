package driver

import (
	"runtime"
	"unsafe"

	"cresset/internal/dl"
)

const textBytes = 256 // NVIDIA's own programs use this for names

// deviceText adapts calls that write a string for a device into a buffer.
func deviceText(fn uintptr) func(Device) (string, Result) {
	return func(dev Device) (string, Result) {
		var pinner runtime.Pinner
		defer pinner.Unpin()
		text := make([]byte, textBytes)
		r := Result(dl.Call(fn, pinned(&pinner, text), textBytes, uintptr(dev)))
		return goString(text), r
	}
}

// resultText adapts calls that give a string of the driver for a result.
func resultText(fn uintptr) func(Result) (string, Result) {
	return func(of Result) (string, Result) {
		o := takeOuts()
		defer o.release()
		// The slot holds a pointer to C's memory, which Go's collector ignores.
		r := Result(dl.Call(fn, uintptr(of), uintptr(unsafe.Pointer(&o.host))))
		if o.host == nil {
			return "", r
		}
		text := unsafe.Slice((*byte)(o.host), textBytes) // read to its end, which is a zero
		n := 0
		for n < textBytes && text[n] != 0 {
			n++
		}
		return string(text[:n]), r
	}
}

func deviceUUID(fn uintptr) func(Device) (UUID, Result) {
	return func(dev Device) (UUID, Result) {
		var pinner runtime.Pinner
		defer pinner.Unpin()
		id := make([]byte, len(UUID{}))
		r := Result(dl.Call(fn, pinned(&pinner, id), uintptr(dev)))
		return UUID(id), r
	}
}

// pinned moves p off the stack, where it could move, and returns its address, which is sound as an integer until the pinner
// unpins it. p is not empty.
func pinned[T any](pinner *runtime.Pinner, p []T) uintptr {
	at := unsafe.SliceData(p)
	pinner.Pin(at)
	return uintptr(unsafe.Pointer(at))
}
