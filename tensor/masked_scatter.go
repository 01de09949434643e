package tensor

import (
	"fmt"

	"cresset/dtype"
	"cresset/internal/layout"
	"cresset/internal/op"
)

// MaskedScatter returns x, broadcast with mask, with the elements of src, in row-major order, where mask, a bool tensor, is true. It
// waits for the device, because how many it needs depends on the data.
func (x *Tensor) MaskedScatter(mask, src *Tensor) *Tensor {
	const name = "masked_scatter"
	x.sameIndexDevice(name, "wrapper_CUDA_masked_scatter_", "mask", mask)
	x.sameIndexDevice(name, "wrapper_CUDA_masked_scatter_", "source", src)
	if mask.dtype != dtype.Bool {
		fail(name, ErrDType, "masked_scatter_ only supports boolean masks, but got mask with dtype "+mask.dtype.ScalarName(), x, mask, src)
	}
	if x.dtype != src.dtype {
		fail(name, ErrDType, fmt.Sprintf("masked_scatter: expected self and source to have same dtypes but got%s and %s",
			x.dtype.ScalarName(), src.dtype.ScalarName()), x, mask, src)
	}
	shape, err := layout.Broadcast(x.layout.Shape(), mask.layout.Shape())
	check(name, ErrShape, err, x, mask)
	at := mask.Detach().Expand(shape...).Reshape(-1).NonZero().Reshape(-1)
	n := at.layout.Size()
	if n > src.layout.Size() {
		fail(name, ErrShape, "Number of elements of source < number of ones in mask", x, mask, src)
	}
	out := x.empty(op.MaskedScatter, x.dtype, shape, mask, src).copyFrom(x.alias(x.layout.Expand(nil, shape)))
	flat := out.alias(layout.Contiguous(Shape{out.layout.Size()}))
	flat.putRows(0, at, src.Detach().Reshape(-1).Narrow(0, 0, n))
	record(out, op.MaskedScatter, maskedScatterGrad, nil, x, src).save(mask, at)
	return out
}

func maskedScatterGrad(b *backprop, dy *Tensor) {
	mask, at := b.saved(0), b.saved(1)
	b.giveNeeded(0, func() *Tensor { return dy.MaskedFill(mask, 0) })
	b.giveNeeded(1, func() *Tensor {
		shape := b.input(1)
		n, _ := shape.NumEl()
		return dy.Reshape(-1).IndexSelect(0, at).paddedTo(Shape{n}).Reshape(shape...)
	})
}

// MaskedScatterInPlace writes the elements of src to x as MaskedScatter says; mask broadcasts to x.
func (x *Tensor) MaskedScatterInPlace(mask, src *Tensor) *Tensor {
	x.mutable(op.MaskedScatter, src)
	return x.become(op.MaskedScatter, x.MaskedScatter(mask, src))
}
