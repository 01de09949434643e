package tensor

import (
	"fmt"
	"slices"

	"cresset/internal/layout"
	"cresset/internal/op"
)

// Split returns consecutive parts of one axis with size elements each; the last may be smaller.
func (x *Tensor) Split(size, axis int) []*Tensor {
	x.refuseScalar("split", ErrShape, "split expects at least a 1-dimensional tensor")
	if size < 0 {
		fail("split", ErrValue, fmt.Sprintf("split expects split_size be non-negative, but got split_size=%d", size), x)
	}
	axis = x.axis("split", axis)
	n := x.layout.Shape()[axis]
	if size == 0 && n > 0 {
		fail("split", ErrValue, fmt.Sprintf("split_size can only be 0 if dimension size is 0, but got dimension size of %d", n), x)
	}
	if n == 0 {
		return []*Tensor{x.section(op.Split, section{axis, 0, 0, 1})}
	}
	parts := x.parts("split", (n-1)/size+1)[:0]
	for at := 0; at < n; {
		end := at + min(size, n-at)
		parts = append(parts, x.section(op.Split, section{axis, at, end, 1}))
		at = end
	}
	return parts
}

// SplitSizes returns consecutive parts of one axis with the given sizes, which must add up to its extent.
func (x *Tensor) SplitSizes(sizes []int, axis int) []*Tensor {
	x.refuseScalar("split_with_sizes", ErrShape, "split expects at least a 1-dimensional tensor")
	named := axis
	axis = x.axis("split_with_sizes", axis)
	n := x.layout.Shape()[axis]
	left := n
	for _, size := range sizes {
		if size < 0 {
			fail("split_with_sizes", ErrValue, fmt.Sprintf("split_with_sizes expects split_sizes have only non-negative entries, but got split_sizes=%s", Shape(sizes).List()), x)
		}
		if left >= 0 { // once too much, always too much: a sum that overflows must not come back
			left -= size
		}
	}
	if left != 0 {
		fail("split_with_sizes", ErrShape, fmt.Sprintf("split_with_sizes expects split_sizes to sum exactly to %d (input tensor's size at dimension %d), but got split_sizes=%s",
			n, named, Shape(sizes).List()), x)
	}
	parts, at := make([]*Tensor, len(sizes)), 0
	for i, size := range sizes {
		parts[i] = x.section(op.SplitSizes, section{axis, at, at + size, 1})
		at += size
	}
	return parts
}

// Chunk splits one axis into at most n parts of equal size, the last of which may be smaller. There are fewer than n where
// the rounded-up size covers the axis sooner.
func (x *Tensor) Chunk(n, axis int) []*Tensor {
	x.refuseScalar("chunk", ErrShape, "chunk expects at least a 1-dimensional tensor")
	if n <= 0 {
		fail("chunk", ErrValue, fmt.Sprintf("chunk expects `chunks` to be greater than 0, got: %d", n), x)
	}
	axis = x.axis("chunk", axis)
	extent := x.layout.Shape()[axis]
	if extent == 0 {
		parts := x.parts("chunk", n)
		for i := range parts {
			parts[i] = x.section(op.Split, section{axis, 0, 0, 1})
		}
		return parts
	}
	return x.Split((extent-1)/n+1, axis)
}

// Unbind returns each index of one axis, which disappears.
func (x *Tensor) Unbind(axis int) []*Tensor {
	x.refuseScalar("unbind", ErrIndex, "Dimension specified as 0 but tensor has no dimensions")
	axis = x.axis("unbind", axis)
	parts := x.parts("unbind", x.layout.Shape()[axis])
	var room layout.Room
	for i := range parts {
		parts[i] = x.viewAs(op.Unbind, selectGrad, ifTracked(x, position{axis, i}), x.layout.Select(room[:], axis, i))
	}
	return parts
}

// section returns the section as the result of the view op o.
func (x *Tensor) section(o op.Op, s section) *Tensor {
	var room layout.Room
	return x.viewAs(o, sectionGrad, ifTracked(x, s), s.of(room[:], *x.layout))
}

const maxParts = 1 << 26

// parts returns room for n tensors. An expanded axis may be longer than what the machine could list, and Go's own
// out-of-memory would be fatal.
func (x *Tensor) parts(name string, n int) []*Tensor {
	if n > maxParts {
		fail(name, ErrMemory, fmt.Sprintf("a list of %d tensors is too long", n), x)
	}
	return make([]*Tensor, n)
}

// TensorSplit splits one axis into n parts whose sizes differ by at most 1, the larger ones first; some may be empty.
func (x *Tensor) TensorSplit(n, axis int) []*Tensor {
	axis = x.splitAxis(axis)
	if n <= 0 {
		fail("tensor_split", ErrValue, fmt.Sprintf("number of sections must be larger than 0, got %d", n), x)
	}
	extent := x.layout.Shape()[axis]
	parts, at := x.parts("tensor_split", n), 0
	for i := range parts {
		end := at + extent/n
		if i < extent%n {
			end++
		}
		parts[i] = x.section(op.Slice, section{axis, at, end, 1})
		at = end
	}
	return parts
}

// TensorSplitAt splits one axis before each of the given indices, as slices do: x[:i0], x[i0:i1], …, x[i:].
func (x *Tensor) TensorSplitAt(indices []int, axis int) []*Tensor {
	axis = x.splitAxis(axis)
	parts, at := make([]*Tensor, len(indices)+1), 0
	for i, end := range append(slices.Clone(indices), End) {
		parts[i] = x.Slice(axis, at, end)
		at = end
	}
	return parts
}

func (x *Tensor) splitAxis(axis int) int {
	x.refuseScalar("tensor_split", ErrShape, "tensor_split expected at least a 1-dimensional tensor, but got a tensor with 0 dims")
	return x.axis("tensor_split", axis)
}
