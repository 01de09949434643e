package tensor

import (
	"fmt"
	"runtime"

	"cresset/internal/layout"
	"cresset/internal/op"
)

// What package checkpoint needs to read elements from a file straight into a tensor's memory, and to keep what tensors share.

// readMemory calls use with the memory of a contiguous CPU tensor's elements, which use may look at until it returns.
func readMemory(x *Tensor, use func(memory []byte) error) error {
	memory, release := elementMemory(x)
	defer release()
	return use(memory)
}

// writeMemory is readMemory for a use that changes the elements.
func writeMemory(x *Tensor, use func(memory []byte) error) error {
	x.storage.version++
	return readMemory(x, use)
}

// holdToWrite is elementMemory for a use that changes the elements.
func holdToWrite(x *Tensor) (memory []byte, release func()) {
	x.storage.version++
	return elementMemory(x)
}

// elementMemory returns the memory of a contiguous CPU tensor's elements, which stays until release.
func elementMemory(x *Tensor) (memory []byte, release func()) {
	x.alive()
	if !x.storage.device.IsCPU() || !x.layout.IsContiguous() {
		fail("memory", ErrDevice, "expected a contiguous tensor on the CPU", x)
	}
	scope, size := x.hold(), x.dtype.Size()
	first, n := x.layout.Offset*size, x.layout.Size()*size
	return elements[byte](x.storage)[first : first+n : first+n], func() {
		scope.leave()
		runtime.KeepAlive(x) // the pool takes memory back whose block is unreachable
	}
}

// scaleInto fills out with x·by, which has its shape, dtype and device.
func scaleInto(out, x *Tensor, by float64) {
	binaryInto(op.Mul, out, operand{t: x}, scalar(op.Mul, by), out.dtype)
	out.storage.version++
}

// entireStorage returns a tensor of one axis over all of x's storage.
func entireStorage(x *Tensor) *Tensor {
	x.alive()
	y := x.storage.tensor(layout.Fresh(x.storage.buf.Size()/x.dtype.Size()), x.dtype)
	y.scope = x.scope
	return y
}

// strided returns a tensor over x's storage whose element at index i[0], i[1], … is number offset + Σ i[k]·stride[k] there.
func strided(x *Tensor, shape, stride []int, offset int) *Tensor {
	x.alive()
	l := layout.Of(shape, stride, offset)
	bytesOf("as_strided", x.dtype, &l)
	if last := l.Offset + l.Span(); offset < 0 || last > x.storage.buf.Size()/x.dtype.Size() {
		fail("as_strided", ErrShape, fmt.Sprintf("sizes %s, strides %s and offset %d reach beyond the storage", l.Shape().List(), Shape(stride).List(), offset), x)
	}
	y := x.storage.tensor(&l, x.dtype)
	y.scope = x.scope
	return y
}

// storageOf returns what is equal for tensors that share memory.
func storageOf(x *Tensor) any { return x.storage }
