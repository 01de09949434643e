package tensor

import (
	"fmt"

	"cresset/device"
	"cresset/dtype"
	"cresset/internal/layout"
	"cresset/internal/op"
)

// Tensor is an array of numbers of one dtype on one device: a layout over a storage that other tensors may share.
type Tensor struct {
	layout    *layout.Layout // results share that of their operands, so nobody changes it
	storage   *storage
	node      *node  // where gradients go; nil for a tensor that does not track them
	scope     *Scope // owns results that are computed from this tensor
	dtype     dtype.DType
	view      bool   // shares its storage with the tensor it was made from
	parameter bool   // prints as a parameter
	rebased   uint32 // history.rebased when this tensor last agreed with it
	history   *history
}

// Shape is the extent of each axis; it prints as PyTorch prints a torch.Size.
type Shape = layout.Shape

// Shape returns the extent of each axis, as a copy.
func (x *Tensor) Shape() Shape { return append(Shape{}, x.layout.Shape()...) }

// Size returns the extent of one axis, which may count from the end. It panics where x has no axes.
func (x *Tensor) Size(axis int) int {
	if x != nil && x.layout.Rank() == 0 {
		fail("size", ErrIndex, fmt.Sprintf("Dimension specified as %d but tensor has no dimensions", axis), x)
	}
	axis = x.axis("size", axis)
	return x.layout.Shape()[axis]
}

// Dim returns the number of axes.
func (x *Tensor) Dim() int { return x.layout.Rank() }

// NumEl returns the number of elements.
func (x *Tensor) NumEl() int { return x.layout.Size() }

// Stride returns the distance in elements between neighbours along each axis, as a copy.
func (x *Tensor) Stride() []int { return append([]int{}, x.layout.Strides()...) }

// StorageOffset returns the index of the first element in the storage.
func (x *Tensor) StorageOffset() int { return x.layout.Offset }

// IsContiguous reports whether the elements lie in row-major order without gaps.
func (x *Tensor) IsContiguous() bool { return x.layout.IsContiguous() }

// DType returns the type of the elements.
func (x *Tensor) DType() dtype.DType { return x.dtype }

// Device returns where the elements are. A CUDA device always carries its index.
func (x *Tensor) Device() device.Device { return x.storage.device }

// IsCUDA reports whether the tensor is on a GPU.
func (x *Tensor) IsCUDA() bool { return x.storage.device.IsCUDA() }

// SharesStorage reports whether x and y look at the same memory.
func (x *Tensor) SharesStorage(y *Tensor) bool { return x.storage == y.storage }

// Version returns how often the elements were changed in place; views and detached tensors count together.
func (x *Tensor) Version() int { return int(x.storage.version) }

// axis resolves an axis that may count from the end.
func (x *Tensor) axis(name string, axis int) int {
	refuseNil(name, "input", 1, x)
	a, err := layout.Axis(axis, x.layout.Rank())
	if err != nil {
		fail(name, ErrIndex, err.Error(), x)
	}
	return a
}

// A view, its layout and up to four axes are one allocation, of the room for two where that is enough. As results share
// layouts, a view that tracks gradients stays apart from its own.
type (
	flatView struct {
		tensor Tensor
		laid   layout.Layout
		room   [4]int
	}
	deepView struct {
		tensor Tensor
		laid   layout.Layout
		room   [8]int
	}
)

// see returns a view of x without a gradient record, whose layout is to be set, and room for its axes.
func (x *Tensor) see(rank int) (y *Tensor, room []int) {
	x.alive()
	switch {
	case x.node != nil:
		y = new(Tensor)
		y.layout, room = layout.New(rank)
		if x.scope != nil && x.scope.watched {
			y.node = unrecorded(op.Alias, x.dtype, y.layout, x)
		}
	case rank == 3 || rank == 4:
		v := new(deepView)
		v.tensor.layout = &v.laid
		y, room = &v.tensor, v.room[:]
	default:
		v := new(flatView)
		v.tensor.layout = &v.laid
		y, room = &v.tensor, v.room[:]
	}
	y.storage, y.dtype, y.scope = x.storage, x.dtype, x.scope
	y.view, y.history, y.rebased = true, x.history, x.rebased
	return y, room
}

// alias returns a view of x under another layout, without a gradient record. It keeps a copy of the layout.
func (x *Tensor) alias(l layout.Layout) *Tensor {
	y, room := x.see(l.Rank())
	y.layout.Set(room, &l)
	return y
}
