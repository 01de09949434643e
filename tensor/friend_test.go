package tensor_test

import (
	"cresset/internal/friend"
	"cresset/tensor"
)

// inner is what package tensor registers for nn and optim.
var inner = friend.Of[*tensor.Tensor]()
