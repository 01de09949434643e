package tensor

import (
	"fmt"
	"runtime"

	"cresset/device"
	"cresset/dtype"
	"cresset/internal/backend"
	"cresset/internal/layout"
	"cresset/internal/mem"
)

// FromSlice returns a CPU tensor that shares the slice's memory, as torch.from_numpy does: changes are seen by both.
// Without sizes it has one axis.
func FromSlice[T dtype.Element](s []T, sizes ...int) *Tensor {
	dt := dtype.Of[T]()
	shape := Shape{len(s)}
	if len(sizes) > 0 {
		shape = checkSizes("from_slice", sizes)
	}
	if n, _ := shape.NumEl(); n != len(s) {
		fail("from_slice", ErrShape, fmt.Sprintf("shape '%s' is invalid for input of size %d", shape.List(), len(s)))
	}
	st := &storage{backend: host, buf: mem.Wrap(s), device: device.CPU}
	st.shared.Store(true)
	if placement.on.Load() {
		placement.made(st, "from_slice")
	}
	return st.tensor(new(layout.Contiguous(shape)), dt)
}

// Data returns the elements of a contiguous CPU tensor as a slice that shares its memory: changes are seen by both. The
// element type must be the tensor's. It panics with PyTorch's text for a tensor on a GPU or one that requires gradients.
func Data[T dtype.Element](x *Tensor) []T {
	x.alive()
	x.noteRead("data")
	switch dt := dtype.Of[T](); {
	case !x.storage.device.IsCPU():
		failHint("data", ErrDevice, fmt.Sprintf("can't convert %s device type tensor to numpy. Use Tensor.cpu() to copy the tensor to host memory first.", x.storage.device),
			placeHint([]argument{{"x", x}}))
	case x.node != nil:
		fail("data", ErrAutograd, "Can't call numpy() on Tensor that requires grad. Use tensor.detach().numpy() instead.", x)
	case x.dtype != dt:
		failHint("data", ErrDType, fmt.Sprintf("expected scalar type %s but found %s", dt.ScalarName(), x.dtype.ScalarName()), "convert the tensor with To first")
	case !x.layout.IsContiguous():
		failHint("data", ErrShape, "a slice can only share the memory of a contiguous tensor", "call Contiguous first; it copies")
	}
	defer x.hold().leave()
	x.storage.show()
	at, n := x.layout.Offset, x.layout.Size()
	if n == 0 {
		return []T{} // its offset may lie behind the storage
	}
	return elements[T](x.storage)[at : at+n : at+n]
}

// elements returns all elements of a host storage.
func elements[T dtype.Element](s *storage) []T { return mem.Slice[T](s.buf.(*mem.Block)) }

// show takes the memory out of the pool for good: the caller may keep its slice for as long as it likes.
func (s *storage) show() {
	if !s.shared.Swap(true) {
		s.buf.(*mem.Block).Disown()
		if h := s.pinned(); h != nil {
			h.Keep()
		}
	}
}

// hostSlice returns x's elements in row-major order on the host, as a copy.
func hostSlice[T dtype.Element](x *Tensor) []T {
	x.alive()
	x.noteRead("values")
	y := x.Detach().CPU().Contiguous().cast(dtype.Of[T]())
	defer y.hold().leave()
	block, err := mem.Alloc(y.NumEl() * y.dtype.Size()) // which refuses what Go's own memory would end the process for
	check("values", ErrMemory, err, x)
	block.Disown()
	out := mem.Slice[T](block)
	if len(out) > 0 {
		copy(out, elements[T](y.storage)[y.layout.Offset:])
	}
	runtime.KeepAlive(y) // the pool takes memory back whose block is unreachable
	return out
}

// Item returns the value of a tensor with one element: a float64, int64 or bool.
func (x *Tensor) Item() any {
	switch v := x.number(); v.Kind {
	case backend.FloatScalar:
		return v.F
	case backend.BoolScalar:
		return v.I != 0
	default:
		return v.I
	}
}

// Float64 returns the value of a tensor with one element as a float64.
func (x *Tensor) Float64() float64 { return x.number().Float() }

// number returns the value of a tensor with one element.
func (x *Tensor) number() backend.Scalar {
	x.single()
	x.alive()
	x.noteRead("item")
	if !x.storage.device.IsCPU() {
		x = x.Detach().CPU()
	}
	defer x.hold().leave()
	v := x.scalar()
	runtime.KeepAlive(x) // the pool takes memory back whose block is unreachable
	return v
}

// single panics where x has no one value to tell.
func (x *Tensor) single() {
	if x.NumEl() != 1 {
		fail("item", ErrValue, fmt.Sprintf("a Tensor with %d elements cannot be converted to Scalar", x.NumEl()), x)
	}
	if x.storage.device.IsMeta() {
		fail("item", ErrMeta, "Tensor.item() cannot be called on meta tensors", x)
	}
}

// Values copies the elements in row-major order to a new slice, converted to T.
func Values[T dtype.Element](x *Tensor) []T { return hostSlice[T](x) }
