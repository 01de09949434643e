package tensor

import (
	"fmt"

	"cresset/dtype"
	"cresset/internal/layout"
	"cresset/internal/op"
)

// Take returns the elements of x, counted in row-major order, that index, int64, names: a tensor of the index's shape. Negative
// indices count from the end.
func (x *Tensor) Take(index *Tensor) *Tensor {
	const name = "take"
	x.sameIndexDevice(name, "wrapper_CUDA_take", "index", index)
	if index.dtype != dtype.Int64 {
		fail(name, ErrDType, "take(): Expected a long tensor for index, but got "+index.dtype.ScalarName(), x, index)
	}
	n := x.layout.Size()
	if n == 0 && index.layout.Size() > 0 {
		fail(name, ErrIndex, "take(): tried to take from an empty tensor", x, index)
	}
	at := index.Detach().Reshape(-1).wrapped(op.Ravel{Axis: wholeTensor, Extent: n})
	return x.Reshape(-1).IndexSelect(0, at).Reshape(index.layout.Shape()...)
}

// wholeTensor as the axis of indices says that they count all elements of a tensor.
const wholeTensor = -1

// TakeAlongAxis is Gather of x and index, int64, broadcast together but for the axis, of which negative indices count from the end;
// without an axis it takes elements in row-major order.
func (x *Tensor) TakeAlongAxis(index *Tensor, axis ...int) *Tensor {
	const name = "take_along_dim"
	x.sameIndexDevice(name, "wrapper_CUDA_gather", "index", index)
	if len(axis) == 0 {
		return x.Reshape(-1).Gather(0, index.Reshape(-1))
	}
	if index.dtype != dtype.Int64 {
		fail(name, ErrDType, "torch.take_along_dim(): dtype of indices should be Long but got "+index.dtype.ScalarName(), x, index)
	}
	at := x.axis(name, axis[0])
	if a, b := x.layout.Rank(), index.layout.Rank(); a != b {
		fail(name, ErrShape, fmt.Sprintf("torch.take_along_dim(): input and indices should have the same number of dimensions, but got %d dimensions for input, and %d dimensions for indices",
			a, b), x, index)
	}
	x.refuseScalar(name, ErrIndex, "Dimension specified as 0 but tensor has no dimensions")
	from, to := x.Shape(), index.Shape()
	from[at], to[at] = 1, 1
	common, err := layout.Broadcast(from, to)
	check(name, ErrShape, err, x, index)
	from, to = append(Shape{}, common...), append(Shape{}, common...)
	from[at], to[at] = x.layout.Shape()[at], index.layout.Shape()[at]
	index = index.Detach().wrapped(op.Ravel{Axis: at, Extent: from[at]})
	return x.Expand(from...).Gather(at, index.Expand(to...))
}
