// Package quant makes linear layers of int8 or int4 for inference: torchao's quantize_.
package quant

import (
	"fmt"
	"slices"

	"cresset/dtype"
	"cresset/internal/friend"
	"cresset/nn"
	"cresset/tensor"
)

// A Config says how weights are quantized: Int8WeightOnly, Int4WeightOnly or Int8DynamicActivation.
type Config interface {
	// check returns what is wrong with the config, and with it for a layer of so many inputs.
	check(in int) error
	// quantize returns a weight [out, in] in fewer bits.
	quantize(w *tensor.Tensor) nn.QuantizedWeight
	// empty returns a weight of a size whose numbers are not there yet.
	empty(out, in int, place tensor.Place) nn.QuantizedWeight
}

// Option is an option of Quantize.
type Option interface{ set(*options) }

type options struct {
	filter func(name string) bool
}

type option func(*options)

func (f option) set(o *options) { f(o) }

// Filter has Quantize leave layers as they are whose names keep refuses.
func Filter(keep func(name string) bool) Option { return option(func(o *options) { o.filter = keep }) }

// product is a linear layer.
type product interface {
	Product() friend.Product[*tensor.Tensor]
}

// Named returns the config that flags and settings name int8, int8-dynamic, int4, int4-64 or int4-32: the number is a group's size, 128 unless given. It is nil for
// another name.
func Named(name string) Config {
	return map[string]Config{
		"int8": Int8WeightOnly{}, "int8-dynamic": Int8DynamicActivation{},
		"int4": Int4WeightOnly{GroupSize: 128}, "int4-64": Int4WeightOnly{GroupSize: 64}, "int4-32": Int4WeightOnly{GroupSize: 32},
	}[name]
}

// Quantize gives the linear layers of a model weights in fewer bits, in place and one after the other, and releases what they had: torchao's quantize_. A weight that another layer
// shares, as an embedding does that is tied to the output layer, stays. Weights that are quantized have no gradient; inputs have that of the layer with the weight that its
// numbers stand for. It panics with a *tensor.Error where the config does not fit a layer, or a weight is not finite, is quantized or divided among ranks; then no layer
// has changed, but for weights that are not finite. A copy that nn.Frozen made shares its weights with its model, so that the one is of no use once
// the other is quantized.
func Quantize[M any](model M, config Config, opts ...Option) M {
	for _, l := range layersOf(model, config, opts) {
		l.quantize(config)
	}
	return model
}

// Prepare gives the layers of a model that Quantize would change quantized weights without numbers, for a state that is read into them.
func Prepare[M any](model M, config Config, opts ...Option) M {
	for _, l := range layersOf(model, config, opts) {
		p := l.layer.Product()
		out, in := p.Weight.Size(p.Outputs), p.Weight.Size(1-p.Outputs)
		*p.Quantized, *p.At = config.empty(out, in, tensor.On(p.Weight.Device())), nil
	}
	return model
}

// layer is a linear layer by its name.
type layer struct {
	name  string
	layer product
}

// quantize gives the layer a quantized weight, and gives back the one that it had and all that was made of it on the way.
func (l layer) quantize(config Config) {
	p := l.layer.Product()
	scope := tensor.NewScope()
	defer scope.Close()
	w := scope.Enter(p.Weight.Detach())
	if p.Outputs == 1 {
		w = w.Transpose(0, 1).Contiguous()
	}
	if !w.IsFinite().All().Item().(bool) {
		panic(fault("the weight of %s has numbers that are not finite", l.name))
	}
	*p.Quantized, *p.At = config.quantize(w.To(dtype.Float32)), nil
	p.Weight.Release()
}

// layersOf returns the layers to quantize, and panics where one cannot be.
func layersOf(model any, config Config, opts []Option) []layer {
	if config == nil {
		panic(fault("a config is expected, not nil"))
	}
	var o options
	for _, opt := range opts {
		opt.set(&o)
	}
	names := make(map[any]int) // of storages
	for _, t := range nn.State(model) {
		names[inner.StorageOf(t)]++
	}
	var layers []layer
	skipped := make(map[any]bool)
	for name, m := range nn.Modules(model) {
		l, linear := m.(product)
		if out, of := m.(*nn.OutProjection); of { // which torchao leaves as it is, too
			skipped[out], skipped[out.Linear] = true, true
		}
		if !linear || skipped[m] || o.filter != nil && !o.filter(name) {
			continue
		}
		switch p := l.Product(); {
		case p.Weight == nil:
			panic(fault("the weight of %s is quantized already", name))
		case *p.Compute != nil:
			panic(fault("the weight of %s is divided among ranks", name))
		case names[inner.StorageOf(p.Weight)] > 1:
		default:
			if err := config.check(p.Weight.Size(1 - p.Outputs)); err != nil {
				panic(fault("%s: %v", name, err))
			}
			layers = append(layers, layer{name, l})
		}
	}
	return layers
}

// Layers returns the names of a model's layers that are quantized, and of its other linear layers.
func Layers(model any) (quantized, others []string) {
	for name, m := range nn.Modules(model) {
		if l, linear := m.(product); linear {
			if *l.Product().Quantized != nil {
				quantized = append(quantized, name)
			} else {
				others = append(others, name)
			}
		}
	}
	return quantized, others
}

// ConfigOf returns the config with which a model's layers were quantized, nil where none is. It panics where there are several.
func ConfigOf(model any) Config {
	var configs []Config
	for _, m := range nn.Modules(model) {
		if l, linear := m.(product); linear {
			if q, ok := (*l.Product().Quantized).(interface{ config() Config }); ok && !slices.Contains(configs, q.config()) {
				configs = append(configs, q.config())
			}
		}
	}
	switch len(configs) {
	case 0:
		return nil
	case 1:
		return configs[0]
	}
	panic(fault("the model has layers of %v and of %v", configs[0], configs[1]))
}

var inner = friend.Of[*tensor.Tensor]()

// fault is a mistake of who quantizes.
func fault(format string, args ...any) *tensor.Error {
	return &tensor.Error{Op: "quantize", Kind: tensor.ErrValue, Err: fmt.Errorf(format, args...)}
}
