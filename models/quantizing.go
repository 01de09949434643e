package models

import (
	"slices"

	"cresset/checkpoint"
	"cresset/internal/friend"
	"cresset/nn"
	"cresset/nn/quant"
	"cresset/tensor"
)

// quantizing returns the option of checkpoint.Load that quantizes the linear layers of m, whose tensors lie on the meta device, each as soon as its weight was read: no more than one
// weight is there before it is quantized. alike makes a model like m. What the config does not fit is an error before anything is read.
func (o *options) quantizing(m Model, alike func() (Model, error)) (checkpoint.LoadOption, error) {
	like, err := alike()
	if err != nil {
		return nil, err
	}
	layers := map[*tensor.Tensor]string{} // by their weights
	weights := map[string]*tensor.Tensor{}
	err = tensor.Try(func() {
		names, _ := quant.Layers(quant.Prepare(like, o.quantize))
		for name, module := range nn.Modules(m) {
			if l, linear := module.(interface {
				Product() friend.Product[*tensor.Tensor]
			}); linear && slices.Contains(names, name) {
				layers[l.Product().Weight] = name
			}
		}
		empty := func(x *tensor.Tensor) { x.SetData(tensor.On(o.device).As(x.DType()).Empty(x.Shape()...)) }
		for name, p := range nn.Parameters(m) {
			if _, quantized := layers[p]; quantized {
				weights[name] = p
			} else {
				empty(p)
			}
		}
		for _, b := range nn.Buffers(m) {
			empty(b)
		}
	})
	return checkpoint.Reading(func(name string, x *tensor.Tensor, read func(*tensor.Tensor) error) error {
		p := weights[name]
		if p == nil {
			return read(x)
		}
		w := tensor.On(o.device).As(x.DType()).Empty(x.Shape()...)
		if err := read(w); err != nil {
			return err
		}
		p.SetData(w)
		quant.Quantize(m, o.quantize, quant.Filter(func(layer string) bool { return layer == layers[p] }))
		return nil
	}), err
}
