package nn

import (
	"cresset/device"
	"cresset/tensor"
)

// ToEmpty gives the parameters and buffers of a model memory on a device, with no defined values, and returns the model. One that was made with
// On(device.Meta) takes no memory and draws no numbers before; a file then fills it.
func ToEmpty[M any](model M, dev device.Device) M {
	give := func(t *tensor.Tensor) { t.SetData(tensor.On(dev).As(t.DType()).Empty(t.Shape()...)) }
	for _, p := range Parameters(model) {
		give(p)
	}
	for _, b := range Buffers(model) {
		give(b)
	}
	return model
}
