package tensor

import (
	"fmt"

	"cresset/dtype"
	"cresset/internal/op"
)

// argument is an operand under the name that PyTorch's errors give it.
type argument struct {
	name string
	t    *Tensor
}

// checkArguments panics where operands of ops that are not elementwise lie on several devices; not even tensors without
// axes may. An argument may be nil.
func checkArguments(o op.Op, arguments ...argument) {
	first := arguments[0].t.storage.device
	for _, a := range arguments[1:] {
		if a.t == nil {
			continue
		}
		if dev := a.t.storage.device; dev != first {
			text := fmt.Sprintf("Expected all tensors to be on the same device, but found at least two devices, %s and %s! "+
				"(when checking argument for argument %s in method wrapper_CUDA_%s)", first, dev, a.name, o)
			failHint(o.String(), ErrDevice, text, "move one of them with To")
		}
	}
}

// refuseBool panics where x is bool; kernel is PyTorch's name of the kernel that does not take it.
func (x *Tensor) refuseBool(o op.Op, kernel string) {
	if x.dtype == dtype.Bool {
		fail(o.String(), ErrKernel, fmt.Sprintf("\"%s\" not implemented for 'Bool'", kernel), x)
	}
}
