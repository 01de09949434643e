package tensor

import (
	"math"
)

func viewErrors() []errorCase {
	m := func(sizes ...int) *Tensor { return Ones(sizes...) }
	deep := m(1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1)
	huge := 1 << 40
	return []errorCase{
		{golden: "view", kind: ErrShape, do: func() { m(2, 3).View(4) }},
		{golden: "reshape", kind: ErrShape, do: func() { m(2, 3).Reshape(4, -1) }},
		{golden: "view t", kind: ErrShape, do: func() { m(2, 3).T().View(6) }},
		{golden: "dim oob", kind: ErrIndex, do: func() { m(2, 3).Unbind(2) }},
		{golden: "expand", kind: ErrShape, do: func() { m(2, 3).Expand(3, 3) }},
		{golden: "squeeze", kind: ErrIndex, do: func() { m(3).SqueezeAxis(3) }},
		{golden: "permute", kind: ErrShape, do: func() { m(2, 3).Permute(0) }},
		{golden: "chunk0", kind: ErrValue, do: func() { m(5).Chunk(0, 0) }},
		{golden: "split", kind: ErrShape, do: func() { m(5).SplitSizes([]int{2, 2}, 0) }},
		{golden: "0d chunk", kind: ErrShape, do: func() { m().Chunk(2, 0) }},
		{golden: "idx oob", kind: ErrIndex, do: func() { m(3).At(5) }},
		{golden: "too many", kind: ErrIndex, do: func() { m(3).At(0, 0) }},
		{text: "permute(): duplicate dims are not allowed.", kind: ErrValue, do: func() { m(2, 3).Permute(0, -2) }},
		{text: "Dimension out of range (expected to be in range of [-3, 2], but got 3)", kind: ErrIndex, do: func() { m(2, 3).Unsqueeze(3) }},
		{text: "start (2) + length (3) exceeds dimension size (4).", kind: ErrShape, do: func() { m(4).Narrow(0, 2, 3) }},
		{text: "start (2) + length (9223372036854775807) exceeds dimension size (4).", kind: ErrShape, do: func() { m(4).Narrow(0, 2, math.MaxInt) }},
		{text: "narrow(): length must be non-negative.", kind: ErrValue, do: func() { m(4).Narrow(0, 2, -1) }},
		{text: "start out of range (expected to be in range of [-4, 4], but got 5)", kind: ErrIndex, do: func() { m(4).Narrow(0, 5, 0) }},
		{text: "slice step must be positive", kind: ErrValue, do: func() { m(4).Slice(0, 3, 0, -1) }},
		{text: "select(): index 5 out of range for tensor of size [3] at dimension 0", kind: ErrIndex, do: func() { m(3).Select(0, 5) }},
		{text: "index -3 is out of bounds for dimension 1 with size 2", kind: ErrIndex, do: func() { m(3, 2).At(0, -3) }},
		{text: "flatten() has invalid args: start_dim cannot come after end_dim", kind: ErrShape, do: func() { m(3, 2).Flatten(1, 0) }},
		{text: "unflatten: Provided sizes [4, -1] don't multiply up to the size of dim 0 (6) in the input tensor", kind: ErrShape,
			do: func() { m(6).Unflatten(0, 4, -1) }},
		{text: "split_size can only be 0 if dimension size is 0, but got dimension size of 5", kind: ErrValue, do: func() { m(5).Split(0, 0) }},
		{text: "split expects split_size be non-negative, but got split_size=-1", kind: ErrValue, do: func() { m(5).Split(-1, 0) }},
		{text: "split_with_sizes expects split_sizes to sum exactly to 5 (input tensor's size at dimension 0), but got split_sizes=[9223372036854775807, 9223372036854775807, 7]",
			kind: ErrShape, do: func() { m(5).SplitSizes([]int{math.MaxInt, math.MaxInt, 7}, 0) }},
		{text: "a list of 1099511627776 tensors is too long", kind: ErrMemory, do: func() { m(1).Expand(huge).Unbind(0) }},
		{text: "numel: integer multiplication overflow", kind: ErrShape, do: func() { m(1, 1).Expand(huge, huge) }},
		{text: errTooManyAxes.Error(), kind: ErrShape, do: func() { deep.Unsqueeze(0) }},
		{text: errTooManyAxes.Error(), kind: ErrShape, do: func() { deep.Expand(1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1) }},
		{text: errTooManyAxes.Error(), kind: ErrShape, do: func() { deep.View(1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1) }},
		{text: errTooManyAxes.Error(), kind: ErrShape, do: func() { Stack([]*Tensor{deep}, 0) }},
		{text: errTooManyAxes.Error(), kind: ErrShape, do: func() { deep.Index(longs(0, 0).View(1, 2)) }},
	}
}

func joinErrors() []errorCase {
	m := func(sizes ...int) *Tensor { return Ones(sizes...) }
	huge, odd := m(1).Expand(1<<62), []int{1}
	return []errorCase{
		{golden: "cat", kind: ErrShape, do: func() { Cat([]*Tensor{m(2, 3), m(2, 4)}, 0) }},
		{golden: "cat dims", kind: ErrShape, do: func() { Cat([]*Tensor{m(2, 3), m(3)}, 0) }},
		{golden: "cat empty", kind: ErrValue, do: func() { Cat(nil, 0) }},
		{golden: "stack", kind: ErrShape, do: func() { Stack([]*Tensor{m(2), m(3)}, 0) }},
		{text: "stack expects a non-empty TensorList", kind: ErrValue, do: func() { Stack(nil, 0) }},
		{text: "zero-dimensional tensor (at position 1) cannot be concatenated", kind: ErrShape, do: func() { Cat([]*Tensor{m(2), m()}, 0) }},
		{text: "Dimension out of range (expected to be in range of [-1, 0], but got 1)", kind: ErrIndex, do: func() { Cat([]*Tensor{m(2)}, 1) }},
		{text: "Storage size calculation overflowed", kind: ErrMemory, do: func() { Cat([]*Tensor{huge, huge}, 0) }},
		{text: "Length of pad must be even but instead it equals 1", kind: ErrValue, do: func() { m(2).Pad(odd, 0) }},
		{text: "Length of pad should be no more than twice the number of dimensions of the input. Pad length is 4 while the input has 1 dimensions.",
			kind: ErrValue, do: func() { m(2).Pad([]int{1, 1, 1, 1}, 0) }},
		{text: "The input size 2, plus negative padding -2 and -1, resulted in a negative output size, which is invalid. Check dimension 0 of your input.",
			kind: ErrShape, do: func() { m(2).Pad([]int{-2, -1}, 0) }},
		{text: "Storage size calculation overflowed", kind: ErrMemory, do: func() { m(2).Pad([]int{math.MaxInt, math.MaxInt}, 0) }},
	}
}

func indexErrors() []errorCase {
	m := func(sizes ...int) *Tensor { return Ones(sizes...) }
	mask := func(sizes ...int) *Tensor { return m(sizes...).Bool() }
	return []errorCase{
		{golden: "idx oob2", kind: ErrIndex, do: func() { m(3).Index(longs(5)) }},
		{golden: "too many", kind: ErrIndex, do: func() { m(3).Index(longs(0), longs(0)) }},
		{golden: "int idx float", kind: ErrIndex, do: func() { m(3).Index(m(1)) }},
		{golden: "emb oob", kind: ErrIndex, do: func() { Embedding(m(3, 2), longs(3)) }},
		{golden: "emb float", kind: ErrDType, do: func() { Embedding(m(3, 2), m(1)) }},
		{text: "index -4 is out of bounds for dimension 1 with size 3", kind: ErrIndex, do: func() { m(2, 3).Index(All, longs(-4)) }},
		{text: "index is out of bounds for dimension with size 0", kind: ErrIndex, do: func() { m(0).Index(longs(0)) }},
		{text: "shape mismatch: indexing tensors could not be broadcast together with shapes [2], [3]", kind: ErrIndex,
			do: func() { m(4, 4).Index(longs(0, 1), longs(0, 1, 2)) }},
		{text: "The shape of the mask [3] at index 0 does not match the shape of the indexed tensor [2, 3] at index 0", kind: ErrIndex,
			do: func() { m(2, 3).Index(mask(3)) }},
		{text: "too many indices for tensor of dimension 1", kind: ErrIndex, do: func() { m(3).Index(mask(3, 1)) }},
		{text: "masked_select: expected BoolTensor for mask", kind: ErrDType, do: func() { m(3).MaskedSelect(m(3)) }},
		{text: "index_select(): Index is supposed to be a vector", kind: ErrIndex, do: func() { m(3).IndexSelect(0, longs(0).View(1, 1)) }},
		{text: "index_select(): Expected dtype int32 or int64 for index", kind: ErrDType, do: func() { m(3).IndexSelect(0, m(1)) }},
		{text: "index out of range in self", kind: ErrIndex, do: func() { m(3).IndexSelect(0, longs(0, -1)) }},
		{text: "index_add_(): Number of indices (2) should be equal to source.size(dim): (3), for dim: 0", kind: ErrShape,
			do: func() { m(4).IndexAdd(0, longs(0, 1), m(3)) }},
		{text: "source tensor shape must match self tensor shape, excluding the specified dimension. Got self.shape = [4, 2] source.shape = [1, 3]",
			kind: ErrShape, do: func() { m(4, 2).IndexAdd(0, longs(0), m(1, 3)) }},
		{text: "index_add_(): self (Float) and source (Double) must have the same scalar type", kind: ErrDType,
			do: func() { m(4).IndexAdd(0, longs(0), m(1).Double()) }},
		{text: "index out of range in self", kind: ErrIndex, do: func() { m(4).IndexAdd(0, longs(4), m(1)) }},
		{text: "gather(): Expected dtype int32/int64 for index", kind: ErrDType, do: func() { m(3).Gather(0, m(1)) }},
		{text: "scatter(): Expected dtype int32/int64 for index", kind: ErrDType, do: func() { m(3).ScatterAdd(0, m(1), m(1)) }},
		{text: "Dimension specified as -1 but tensor has no dimensions", kind: ErrIndex, do: func() { m().Roll([]int{1}, -1) }},
		{text: "value cannot be converted to type int8_t without overflow", kind: ErrValue,
			do: func() { Of([]int8{1}).Pad([]int{0, 1}, 300) }},
		{text: "Padding value causes wrapping around more than once.", kind: ErrShape, do: func() { m(1, 4).PadCircular([]int{-2, 3}) }},
		{text: "Index tensor must have the same number of dimensions as input tensor", kind: ErrShape, do: func() { m(3, 2).Gather(0, longs(0)) }},
		{text: "Size does not match at dimension 0 expected index [3, 1] to be no larger than self [2, 2] apart from dimension 1", kind: ErrShape,
			do: func() { m(2, 2).Gather(1, longs(0, 0, 0).View(3, 1)) }},
		{text: "index 2 is out of bounds for dimension 1 with size 2", kind: ErrIndex, do: func() { m(2, 2).Gather(1, longs(2).View(1, 1)) }},
		{text: "index -1 is out of bounds for dimension 0 with size 2", kind: ErrIndex, do: func() { m(2).ScatterAdd(0, longs(-1), m(1)) }},
		{text: "scatter(): Expected self.dtype to be equal to src.dtype", kind: ErrDType, do: func() { m(2).ScatterAdd(0, longs(0), longs(0)) }},
		{text: "Expected index [2] to be no larger than self [2] apart from dimension 0 and to be no larger size than src [1]", kind: ErrShape,
			do: func() { m(2).ScatterAdd(0, longs(0, 1), m(1)) }},
		{text: "tril: input tensor must have at least 2 dimensions", kind: ErrShape, do: func() { m(2).Tril(0) }},
		{text: "'weight' must be 2-D", kind: ErrShape, do: func() { Embedding(m(3), longs(0)) }},
		{text: "Padding_idx must be within num_embeddings", kind: ErrValue, do: func() { Embedding(m(3, 2), longs(0), PaddingIndex(3)) }},
		{text: "one_hot is only applicable to index tensor of type LongTensor.", kind: ErrDType, do: func() { OneHot(m(3), 3) }},
		{text: "Class values must be smaller than num_classes.", kind: ErrIndex, do: func() { OneHot(longs(0, 3), 3) }},
		{text: "Class values must be non-negative.", kind: ErrIndex, do: func() { OneHot(longs(0, -1), 3) }},
		{text: "Class values must be non-negative.", kind: ErrIndex, do: func() { OneHot(longs(0, -1), -1) }},
		{text: "Can not infer total number of classes from empty tensor.", kind: ErrValue, do: func() { OneHot(longs(), -1) }},
		{text: "selected index k out of range", kind: ErrIndex, do: func() { m(3).TopK(4, 0) }},
		{text: "selected index k out of range", kind: ErrIndex, do: func() { m(3).TopK(-1, 0) }},
	}
}
