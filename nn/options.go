package nn

import (
	"cresset/device"
	"cresset/dtype"
	"cresset/tensor"
)

// Option changes how a layer is made.
type Option func(*options)

type options struct {
	place   tensor.Place
	noBias  bool
	window  windowOptions
	norm    normOptions
	padding *int // Embedding: the index that stands for nothing
}

// On makes the layer's parameters on a device, drawn from that device's generator.
func On(dev device.Device) Option {
	return func(o *options) { o.place = tensor.On(dev).As(o.place.DType()) }
}

// As makes the layer's parameters in a dtype.
func As(dt dtype.DType) Option { return func(o *options) { o.place = o.place.As(dt) } }

// NoBias leaves the bias out.
func NoBias(o *options) { o.noBias = true }

func read(opts []Option) options {
	var o options
	for _, f := range opts {
		f(&o)
	}
	return o
}
