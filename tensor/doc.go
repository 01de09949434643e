// Package tensor holds tensors that live on a device, the operations on them, and their gradients: PyTorch's way of
// computing, in Go.
//
// Operations are methods; results stay where their operands are. A mistake of the caller panics with a *Error whose text
// is PyTorch's; Try turns that into an error. A tensor tracks gradients where an input does, and Backward adds them to
// the leaves:
//
//	w := tensor.Randn(3, 1).SetRequiresGrad(true)
//	loss := x.MatMul(w).Sub(y).Square().Mean()
//	loss.Backward()
//	fmt.Println(w.Grad())
//
// Memory comes back when the garbage collector finds a tensor unreachable; Scope and Release make that certain and early.
package tensor
