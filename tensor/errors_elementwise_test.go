package tensor

import (
	"cresset/dtype"
)

func elementwiseErrors() []errorCase {
	ones := func(sizes ...int) *Tensor { return Ones(sizes...) }
	ints := func() *Tensor { return Ones(2).Long() }
	mask := func() *Tensor { return Ones(2).Bool() }
	return []errorCase{
		{golden: "add shapes", kind: ErrShape, do: func() { ones(2, 3).Add(ones(2, 4)) }},
		{golden: "add 3,4", kind: ErrShape, do: func() { ones(3).Add(ones(4)) }},
		{golden: "add 2x3 + 2", kind: ErrShape, do: func() { ones(2, 3).Add(ones(2)) }},
		{golden: "bool sub", kind: ErrDType, do: func() { mask().Sub(mask()) }},
		{text: "Subtraction, the `-` operator, with a bool tensor is not supported. If you are trying to invert a mask, use the `~` or `logical_not()` operator instead.",
			kind: ErrDType, do: func() { ints().SubScalarInPlace(true) }},
		{golden: "neg bool", kind: ErrDType, do: func() { mask().Neg() }},
		{golden: "int pow neg", kind: ErrValue, do: func() { ints().Pow(-1) }},
		{golden: "idiv0", kind: ErrValue, do: func() { ints().FloorDivideScalar(0) }},
		{golden: "mod0", kind: ErrValue, do: func() { ints().RemainderScalar(0) }},
		{golden: "mod0", kind: ErrValue, do: func() { ints().Remainder(Of([]int{1, 0})) }},
		{golden: "idiv0", kind: ErrValue, do: func() { ints().DivTrunc(Zeros(2, 2).Long().T()) }},
		{golden: "int idiv", kind: ErrDType, do: func() { ints().DivScalarInPlace(2) }},
		{golden: "int iadd float", kind: ErrDType, do: func() { ints().AddScalarInPlace(1.5) }},
		{golden: "int iadd ft", kind: ErrDType, do: func() { ints().AddInPlace(ones(2)) }},
		{golden: "bool iadd", kind: ErrDType, do: func() { mask().AddScalarInPlace(1) }},
		{golden: "in-place bcast", kind: ErrShape, do: func() { ones(3).AddInPlace(ones(2, 3)) }},
		{golden: "in-place bcast", kind: ErrShape, do: func() { ones(3).CopyInPlace(ones(2, 3)) }},
		{golden: "copy_", kind: ErrShape, do: func() { ones(2).CopyInPlace(ones(3)) }},
		{text: "unsupported operation: more than one element of the written-to tensor refers to a single memory location. " +
			"Please clone() the tensor before performing the operation.", do: func() { ones(1).Expand(3).AddScalarInPlace(1) }},
		{text: "For integral input tensors, argument alpha must not be a floating point number.", kind: ErrDType,
			do: func() { ints().AddScaled(ints(), 0.5) }},
		{text: "Boolean alpha only supported for Boolean results.", kind: ErrDType, do: func() { ints().AddScaled(ints(), true) }},
		{text: "\"bitwise_and_cpu\" not implemented for 'Float'", kind: ErrKernel, do: func() { ones(2).BitwiseAnd(ints()) }},
		{text: "where expected condition to be a boolean tensor, but got a tensor with dtype Float", kind: ErrDType,
			do: func() { Where(ones(2), 1, 0) }},
		{text: "where expected condition to be a boolean tensor, but got a tensor with dtype Long", kind: ErrDType,
			do: func() { Where(ints(), 1, 0) }},
		{text: "\"clamp_min_scalar_cpu\" not implemented for 'Bool'", kind: ErrKernel, do: func() { mask().Clamp(true, nil) }},
		{text: "\"clamp_max_scalar_cpu\" not implemented for 'Bool'", kind: ErrKernel, do: func() { mask().Clamp(nil, true) }},
		{text: "\"clamp_scalar_cpu\" not implemented for 'Bool'", kind: ErrKernel, do: func() { mask().Clamp(false, true) }},
		{text: "result type Float can't be cast to the desired output type signed char", kind: ErrDType,
			do: func() { ints().To(dtype.Int8).ClampInPlace(0.5, nil) }},
		{text: "result type Float can't be cast to the desired output type Long", kind: ErrDType, do: func() { ints().ClampInPlace(nil, ones(2)) }},
		{text: "Not allow zero-dim input tensor.", kind: ErrShape, do: func() { ones().PReLU(ones(2)) }},
		{text: "masked_fill_ only supports a 0-dimensional value tensor, but got tensor with 1 dimension(s).", kind: ErrShape,
			do: func() { ones(2).MaskedFill(mask(), ones(1)) }},
		{text: "torch.clamp: At least one of 'min' or 'max' must not be None", kind: ErrValue, do: func() { ones(2).Clamp(nil, nil) }},
		{text: "value cannot be converted to type uint8_t without overflow", kind: ErrValue,
			do: func() { ones(2).To(dtype.Uint8).FillInPlace(256) }},
		{text: "value cannot be converted to type uint8_t without overflow", kind: ErrValue, do: func() { ones(2).To(dtype.Uint8).Clamp(nil, -5) }},
		{text: "value cannot be converted to type uint8_t without overflow", kind: ErrValue, do: func() { ones(2).To(dtype.Uint8).Clamp(300, nil) }},
		{text: "value cannot be converted to type at::Half without overflow", kind: ErrValue,
			do: func() { ones(2).Half().MaskedFill(mask(), -1e9) }},
		{text: "value cannot be converted to type int64_t without overflow", kind: ErrValue, do: func() { ints().FillInPlace(1e30) }},
		{text: "Float did not match Double", kind: ErrDType, do: func() { ones(2).AllClose(ones(2).Double(), 0, 0) }},
	}
}
