package hub

import (
	"cresset/device"
	"cresset/dtype"
	"cresset/internal/friend"
	"cresset/tensor"
)

// Constant returns positions of tokens on a device: numbers that a graph keeps.
func Constant(positions [][]int, dev device.Device) *tensor.Tensor {
	return friend.Of[*tensor.Tensor]().ConstantOn(tensor.Of(positions), dev, dtype.Int64)
}
