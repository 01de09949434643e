package tensor

import (
	"runtime"

	"cresset/device"
	"cresset/dtype"
	"cresset/internal/backend"
	"cresset/internal/friend"
	"cresset/internal/layout"
	"cresset/internal/mem"
)

// captureOf returns the graph in the making that work on x belongs to, nil for none.
func captureOf(x *Tensor) friend.Capture {
	if b, ok := x.storage.backend.(backend.Capturer); ok {
		if c := b.Capturing(); c != nil {
			return c
		}
	}
	return nil
}

// constantOn returns a CPU tensor, whose numbers follow from shapes and positions alone, on another device and in another dtype. A graph keeps
// them as they are, where any other copy from the host is refused.
func constantOn(x *Tensor, dev device.Device, dt dtype.DType) *Tensor {
	dev = resolve(dev)
	b := backendOf("to", dev)
	capturer, ok := b.(backend.Capturer)
	if !ok || capturer.Capturing() == nil {
		return x.To(dev, dt)
	}
	src := x.cast(dt).Contiguous()
	size := dt.Size()
	bytes := src.storage.buf.(*mem.Block).Bytes()[src.layout.Offset*size:][:src.layout.Size()*size]
	buf, err := capturer.Capturing().Constant(bytes)
	runtime.KeepAlive(src)
	checkDone("to", err, x)
	return (&storage{backend: b, buf: buf, device: dev}).tensor(new(layout.Contiguous(src.layout.Shape())), dt)
}

// epochOf returns a number that changes where elements on x's device may change without notice, by graphs.
func epochOf(x *Tensor) uint64 {
	if b, ok := x.storage.backend.(backend.Capturer); ok {
		return b.Epoch()
	}
	return 0
}
