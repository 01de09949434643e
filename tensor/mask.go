package tensor

import (
	"cresset/dtype"
	"cresset/internal/layout"
	"cresset/internal/op"
)

// NonZero returns the indices of the elements that are not zero, in row-major order: an int64 matrix with a row for each
// element and a column for each axis. It waits for the device, because the shape depends on the data.
func (x *Tensor) NonZero() *Tensor {
	mask := x.Detach().cast(dtype.Bool)
	n := int(hostSlice[int64](mask.total(op.Sum))[0])
	out := x.empty(op.NonZero, dtype.Int64, Shape{n, x.layout.Rank()})
	launch(op.NonZero, dtype.Bool, nil, []*Tensor{out}, []*Tensor{mask})
	return out
}

// NonZeroTuple returns the columns of NonZero, an int64 vector for each axis, which x.Index takes.
func (x *Tensor) NonZeroTuple() []*Tensor {
	if x.layout.Rank() == 0 {
		x = x.Unsqueeze(0)
	}
	return x.NonZero().Unbind(1)
}

// MaskedSelect returns the elements where mask, a bool tensor that is broadcast with x, is true, in row-major order.
func (x *Tensor) MaskedSelect(mask *Tensor) *Tensor {
	x.sameIndexDevice("masked_select", "wrapper_CUDA__masked_select", "mask", mask)
	if mask.dtype != dtype.Bool {
		fail("masked_select", ErrDType, "masked_select: expected BoolTensor for mask", x, mask)
	}
	shape, err := layout.Broadcast(x.layout.Shape(), mask.layout.Shape())
	check("masked_select", ErrShape, err, x, mask)
	flat := mask.Detach().Expand(shape...).Reshape(-1)
	index := flat.NonZero()
	index = index.alias(layout.Contiguous(Shape{index.layout.Shape()[0]}))
	out := x.Detach().Expand(shape...).Reshape(-1).selectRows(op.IndexSelect, 0, index)
	record(out, op.MaskedSelect, maskedSelectGrad, shape, x).save(index)
	return out
}

func maskedSelectGrad(b *backprop, dy *Tensor) {
	shape := b.params().(Shape)
	n, _ := shape.NumEl()
	b.give(0, dy.scattered(Shape{n}, 0, b.saved(0)).Reshape(shape...))
}
