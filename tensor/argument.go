package tensor

import (
	"fmt"
	"slices"

	"cresset/dtype"
	"cresset/internal/backend"
	"cresset/internal/op"
)

// argument is an operand under the name that PyTorch's errors give it.
type argument struct {
	name string
	t    *Tensor
}

// refuseNil panics where an operand is nil that an op cannot do without.
func refuseNil(name, argument string, position int, t *Tensor) {
	if t == nil {
		fail(name, ErrValue, fmt.Sprintf("%s(): argument '%s' (position %d) must be Tensor, not NoneType", name, argument, position))
	}
}

// refuseNilOperand panics since an operand of an op is nil.
func refuseNilOperand(o op.Op, argument string, position int) {
	refuseNil(o.String(), argument, position, nil)
}

// refuseNilIn panics where one of a list of operands is nil.
func refuseNilIn(name string, ts []*Tensor) {
	for i, t := range ts {
		if t == nil {
			fail(name, ErrValue, fmt.Sprintf("expected Tensor as element %d in argument 0, but got NoneType", i))
		}
	}
}

// checkArguments panics where an operand of an op that is not elementwise is nil, or operands lie on several devices; not
// even tensors without axes may.
func checkArguments(o op.Op, arguments ...argument) {
	for i, a := range arguments {
		if a.t == nil {
			refuseNil(o.String(), a.name, i+1, a.t)
		}
	}
	first := arguments[0].t.storage.device
	for _, a := range arguments[1:] {
		if dev := a.t.storage.device; dev != first {
			failArgument(o.String(), wrapper(o), a.name, first, dev, arguments...)
		}
	}
}

// wrapper is the method of which PyTorch's errors speak: two underscores where its kernel is not a structured one.
func wrapper(o op.Op) string {
	switch o {
	case op.BatchNorm, op.LayerNorm:
		return "wrapper_CUDA__native_" + o.String()
	case op.RMSNorm:
		return "wrapper_CUDA___fused_rms_norm"
	case op.Dot:
		return "wrapper_CUDA__dot"
	}
	return "wrapper_CUDA_" + o.String()
}

// refuseBool panics where x is bool; kernel is PyTorch's name of the CPU's kernel that does not take it.
func (x *Tensor) refuseBool(o op.Op, kernel string) {
	if x.dtype == dtype.Bool {
		fail(o.String(), ErrKernel, noKernel(kernel, dtype.Bool, x), x)
	}
}

// refuseIntegers panics where the first operand is no float, which a kernel does not take.
func refuseIntegers(name, kernel string, operands ...*Tensor) {
	if dt := operands[0].dtype; !dt.IsFloat() {
		fail(name, ErrKernel, noKernel(kernel, dt, operands[0]), operands...)
	}
}

// noKernel is PyTorch's text where a kernel does not take a dtype; the kernel is given by its name on the CPU. Operands
// may be nil.
func noKernel(kernel string, dt dtype.DType, operands ...*Tensor) string {
	gpu := slices.ContainsFunc(operands, func(t *Tensor) bool { return t != nil && t.IsCUDA() })
	return fmt.Sprintf("\"%s\" not implemented for '%s'", backend.KernelName(kernel, gpu), dt.ScalarName())
}

// refuseGrad panics where a, by which PyTorch's function has no derivative, tracks gradients: it would get none.
func refuseGrad(function string, a argument) {
	if a.t != nil && a.t.RequiresGrad() {
		fail(function, ErrAutograd, fmt.Sprintf("The function '%s' is not differentiable with respect to argument '%s'. This input cannot have requires_grad True.",
			function, a.name), a.t)
	}
}
