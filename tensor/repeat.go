package tensor

import (
	"fmt"
	"slices"

	"cresset/dtype"
	"cresset/internal/backend"
	"cresset/internal/layout"
	"cresset/internal/op"
)

// Repeat returns counts[i] copies of x behind each other along each axis i. There may be more counts than axes: the first ones are for
// new axes in front.
func (x *Tensor) Repeat(counts ...int) *Tensor {
	refuseNil("repeat", "input", 1, x)
	lead := len(counts) - x.layout.Rank()
	if lead < 0 {
		fail("repeat", ErrShape, "Number of dimensions of repeat dims can not be smaller than number of dimensions of tensor", x)
	}
	from := append(Shape(slices.Repeat([]int{1}, lead)), x.layout.Shape()...)
	shape := make(Shape, len(counts))
	for i, n := range counts {
		shape[i] = from[i] * n
		if n != 0 && shape[i]/n != from[i] {
			fail("repeat", ErrMemory, "Storage size calculation overflowed", x)
		}
	}
	out := x.empty(op.Repeat, x.dtype, checkSizes("repeat", shape))
	if out.layout.Size() > 0 {
		split, copies := splitCopies(from, counts)
		if len(split) > layout.MaxRank {
			check("repeat", ErrShape, errTooManyAxes, x)
		}
		once := x.layout.Squeeze(nil, 1<<x.layout.Rank()-1)
		for _, axis := range copies {
			once = once.Unsqueeze(nil, axis)
		}
		out.alias(layout.Contiguous(split)).copyFrom(x.alias(once.Expand(nil, split)))
	}
	record(out, op.Repeat, repeatGrad, slices.Clone(counts), x)
	return out
}

// splitCopies returns the shape of a Repeat in which the copies have axes of their own, and which these are. Axes of extent 1 are left
// out.
func splitCopies(from Shape, counts []int) (split Shape, copies []int) {
	for i, n := range counts {
		if n != 1 {
			copies = append(copies, len(split))
			split = append(split, n)
		}
		if from[i] != 1 {
			split = append(split, from[i])
		}
	}
	return split, copies
}

func repeatGrad(b *backprop, dy *Tensor) {
	shape, counts := b.input(0), b.params().([]int)
	if dy.layout.Size() == 0 {
		b.give(0, dy.zeros(shape))
		return
	}
	split, copies := splitCopies(append(Shape(slices.Repeat([]int{1}, len(counts)-len(shape))), shape...), counts)
	if dy = dy.Reshape(split...); len(copies) > 0 {
		dy = dy.SumAxes(copies)
	}
	b.give(0, dy.Reshape(shape...))
}

// Tile is Repeat of the last axes: counts that are missing in front are 1.
func (x *Tensor) Tile(counts ...int) *Tensor {
	refuseNil("tile", "input", 1, x)
	missing := max(x.layout.Rank()-len(counts), 0)
	return x.Repeat(append(slices.Repeat([]int{1}, missing), counts...)...)
}

// RepeatInterleave returns x with each index of an axis repeated, the copies next to each other; without an axis the elements of x in
// row-major order. repeats is a number, or a tensor of integers with a number for each index.
func (x *Tensor) RepeatInterleave(repeats any, axis ...int) *Tensor {
	const name = "repeat_interleave"
	refuseNil(name, "input", 1, x)
	if len(axis) == 0 {
		return x.Flatten(0, -1).RepeatInterleave(repeats, 0)
	}
	at := x.axis(name, axis[0])
	if counts, ok := repeats.(*Tensor); ok {
		x.refuseScalar(name, ErrIndex, fmt.Sprintf("Dimension specified as %d but tensor has no dimensions", axis[0]))
		return x.IndexSelect(at, x.repeatedIndices(counts, axis[0]))
	}
	n := int(scalarOf(name, repeats).Int())
	switch {
	case n < 0:
		fail(name, ErrValue, "Repeats must be non-negative", x)
	case n == 1 && x.layout.Rank() > 0:
		return x.Clone()
	}
	apart := x.Unsqueeze(at + 1)
	shape := apart.Shape()
	shape[at+1] = n
	return apart.Expand(shape...).Flatten(at, at+1)
}

// repeatedIndices returns each index of an axis as often as counts says.
func (x *Tensor) repeatedIndices(counts *Tensor, axis int) *Tensor {
	const name = "repeat_interleave"
	x.sameIndexDevice(name, "wrapper_CUDA__index_select", "repeats", counts)
	n := x.Size(axis)
	switch size := counts.layout.Size(); {
	case counts.layout.Rank() > 1:
		fail(name, ErrShape, "repeats must be 0-dim or 1-dim tensor", x, counts)
	case size != 1 && size != n:
		fail(name, ErrShape, fmt.Sprintf("repeats must have the same size as input along dim, but got repeats.size(0) = %d and input.size(%d) = %d", size, axis, n),
			x, counts)
	case !counts.isIndex():
		fail(name, ErrKernel, noKernel("repeat_interleave_cpu", counts.dtype, x), x, counts)
	case counts.LtScalar(0).Any().Item() == true:
		fail(name, ErrValue, "repeats can not be negative", x, counts)
	case n == 0:
		return x.zerosAs(dtype.Int64, Shape{0})
	}
	ends := counts.Detach().cast(dtype.Int64).Expand(n).CumSum(0) // where the copies of each index end
	total := int(hostSlice[int64](ends.Select(0, n-1))[0])
	passed := x.zerosAs(dtype.Int64, Shape{total + 1})
	passed.scatterInto(0, ends, ends.like(op.Fill, dtype.Int64).fill(backend.Scalar{I: 1, Kind: backend.IntScalar}))
	return passed.CumSum(0).Narrow(0, 0, total)
}
