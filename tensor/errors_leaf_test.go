package tensor

import "cresset/device"

func leafErrors() []errorCase {
	leaf := Ones(2).SetRequiresGrad(true)
	return []errorCase{
		{golden: "grad assign shape", kind: ErrShape, do: func() { leaf.SetGrad(Ones(3)) }},
		{golden: "grad assign dtype", kind: ErrDType, do: func() { leaf.SetGrad(Ones(2).Double()) }},
		{text: "can't assign Variable as its own grad", kind: ErrAutograd, do: func() { leaf.SetGrad(leaf) }},
		{text: "attempting to assign a gradient with device type 'meta' to a tensor with device type 'cpu'. Please ensure that the gradient and " +
			"the tensor are on the same device", kind: ErrDevice, do: func() { leaf.SetGrad(On(device.Meta).Ones(3)) }},
		{golden: "rg int", kind: ErrAutograd, do: func() { Parameter(Of(1)) }},
		{golden: "rg int_", kind: ErrAutograd, do: func() { Of(1).SetRequiresGrad(true) }},
		{golden: "param ->", kind: ErrAutograd, do: func() { Parameter(Of([]int{1, 2})) }},
		{golden: "numpy grad", kind: ErrAutograd, do: func() { Data[float32](leaf) }},
		{golden: "item", kind: ErrValue, do: func() { Ones(2).Item() }},
	}
}
