// Package linalg is torch.linalg: factors of matrices, solutions of equations, norms. A matrix is the last two axes of a tensor; the
// axes before count matrices, a batch. Elements are float32 or float64 unless a function says more. Mistakes, and matrices for which there
// is no result, panic with a *tensor.Error in PyTorch's words.
//
//	q, r := linalg.QR(a)
//	x := linalg.Solve(a, b)
//
// What factors matrices runs on the CPU alone: on a GPU it is an error that there is no kernel, and nothing moves by itself.
package linalg

import (
	"errors"
	"fmt"

	"cresset/internal/friend"
	"cresset/tensor"
)

// inner is what package tensor computes, with gradients.
var inner = friend.Of[*tensor.Tensor]().Linalg

// given panics where an operand is nil that a function, by its name in C++, cannot do without.
func given(name, argument string, position int, t *tensor.Tensor) {
	if t == nil {
		fail(name, tensor.ErrValue, fmt.Sprintf("%s(): argument '%s' (position %d) must be Tensor, not NoneType", name, argument, position))
	}
}

// fail panics with an error of the caller's.
func fail(op string, kind error, text string) {
	panic(&tensor.Error{Op: op, Kind: kind, Err: errors.New(text)})
}
