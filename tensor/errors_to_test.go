package tensor

import (
	"cresset/device"
	"cresset/dtype"
)

func toErrors() []errorCase {
	x := Ones(2)
	released := Ones(2)
	released.Release()
	return []errorCase{
		{golden: "ones big", kind: ErrMemory, do: func() { Ones(1e15) }},
		{golden: "size neg", kind: ErrShape, do: func() { Zeros(-1) }},
		{golden: "to bad", kind: ErrDevice, do: func() { device.MustParse("foo") }},
		{golden: "tensor ragged", kind: ErrShape, do: func() { Of([][]int{{1, 2}, {3}}) }},
		{golden: "tensor None", kind: ErrDType, do: func() { Of(nil) }},
		{golden: "tensor list none", kind: ErrDType, do: func() { Of([]any{nil}) }},

		{text: "to() received an invalid combination of arguments", kind: ErrValue, do: func() { x.To(nil) }},
		{text: "to() received a nil tensor", kind: ErrValue, do: func() { x.To((*Tensor)(nil)) }},
		{text: "to() received an invalid combination of arguments - got two devices, cpu and cpu", kind: ErrValue,
			do: func() { x.To(device.CPU, device.CPU) }},
		{text: "to() received an invalid combination of arguments - got two dtypes, torch.float32 and torch.int64", kind: ErrValue,
			do: func() { x.To(dtype.Float32, dtype.Int64) }},
		{text: "to() received an undefined dtype", kind: ErrValue, do: func() { x.To(dtype.Undefined) }},
		{text: "DType(99) is not the dtype of a tensor", kind: ErrDType, do: func() { x.To(dtype.DType(99)) }},
		{text: "this tensor's memory was released: by Release, by its scope's Close, or by a Loader that advanced", kind: ErrReleased,
			do: func() { released.Double() }},
		{text: "expected scalar type Double but found Float", kind: ErrDType, do: func() { Data[float64](x) }},
		{text: "a slice can only share the memory of a contiguous tensor", kind: ErrShape, do: func() { Data[float32](Ones(2, 2).T()) }},
		{text: "shape '[2, 2]' is invalid for input of size 3", kind: ErrShape, do: func() { FromSlice(make([]int64, 3), 2, 2) }},

		{text: "Storage size calculation overflowed with sizes=[4294967296, 4294967296]", kind: ErrMemory, do: func() { Zeros(1<<32, 1<<32) }},
		{text: "Storage size calculation overflowed with sizes=[2305843009213693952, 2]", kind: ErrMemory, do: func() { Empty(1<<61, 2) }},
		{text: "tensors with more than 16 dimensions are not supported", kind: ErrShape, do: func() { Zeros(make([]int, 17)...) }},
		{text: "DType(99) is not the dtype of a tensor", kind: ErrDType, do: func() { Place{}.As(dtype.DType(99)).Zeros(2) }},
	}
}
