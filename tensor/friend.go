package tensor

import "cresset/internal/friend"

// The functions of this package that nn, optim and nn/parallel need and users do not: the one registration of the project.
var _ = friend.Lend(&friend.Tensors[*Tensor]{
	BorrowGrad:  (*Tensor).borrowGrad,
	SGDStep:     sgdStep,
	AdamStep:    adamStep,
	LinearReLU:  (*Tensor).linearReLU,
	Conv2DReLU:  (*Tensor).conv2DReLU,
	CatOn:       catOn,
	NewReplicas: func() friend.Replicas[*Tensor] { return new(replicas) },
})
