package nn

import (
	"fmt"
	"slices"
	"strings"

	"cresset/device"
	"cresset/dtype"
	"cresset/tensor"
)

// Option changes how a layer is made. A layer says which it takes and panics on others.
type Option struct {
	name string
	set  func(*options)
}

type options struct {
	place   tensor.Place
	noBias  bool
	window  windowOptions
	norm    normOptions
	padding *int // Embedding: the index that stands for nothing
}

// On makes the layer's parameters on a device, drawn from that device's generator.
func On(dev device.Device) Option {
	return Option{"On", func(o *options) { o.place = tensor.On(dev).As(o.place.DType()) }}
}

// As makes the layer's parameters in a dtype.
func As(dt dtype.DType) Option {
	return Option{"As", func(o *options) { o.place = o.place.As(dt) }}
}

// NoBias leaves the bias out.
var NoBias = Option{"NoBias", func(o *options) { o.noBias = true }}

// read applies the options to a layer that takes those with the given names.
func read(layer string, opts []Option, takes ...string) options {
	var o options
	for _, opt := range opts {
		if !slices.Contains(takes, opt.name) {
			panic(fault(layer, fmt.Sprintf("New%s does not take nn.%s; it takes %s", layer, opt.name, strings.Join(takes, ", "))))
		}
		opt.set(&o)
	}
	return o
}
