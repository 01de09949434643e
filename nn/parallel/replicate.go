package parallel

import (
	"fmt"

	"cresset/device"
	"cresset/internal/friend"
	"cresset/nn"
	"cresset/tensor"
)

// checkMain panics where a parameter or a buffer is not on the main GPU.
func checkMain(model any, main device.Device) {
	check := func(t *tensor.Tensor) {
		if t.Device() != main {
			panic(&tensor.Error{Op: "data_parallel", Kind: tensor.ErrDevice, Err: &homeError{main, t.Device()}})
		}
	}
	for _, p := range nn.Parameters(model) {
		check(p)
	}
	for _, b := range nn.Buffers(model) {
		check(b)
	}
}

// homeError is a model that is not where its replicas come from.
type homeError struct{ main, found device.Device }

// Error returns PyTorch's text.
func (e *homeError) Error() string {
	return fmt.Sprintf("module must have its parameters and buffers on device %s (device_ids[0]) but found one of them on device: %s", e.main, e.found)
}

// Hint says what moves the model.
func (e *homeError) Hint() string {
	index, _ := e.main.Index()
	return fmt.Sprintf("nn.To(model, device.CUDA(%d)) moves it there, before it is wrapped or afterwards", index)
}

// replicate returns n models, for the first n devices. Parameters are results that gradients flow back from; buffers are
// copies, but for those of the first model.
func replicate[M any](model M, c *config, n int) []M {
	copies := make([]map[*tensor.Tensor]*tensor.Tensor, n)
	for i := range copies {
		copies[i] = make(map[*tensor.Tensor]*tensor.Tensor)
	}
	spread := func(ts []*tensor.Tensor, r friend.Replicas[*tensor.Tensor]) {
		for i, replica := range r.Of(ts, c.devices[:n]) {
			for k, t := range replica {
				copies[i][ts[k]] = t
			}
		}
	}
	spread(nn.ParameterList(model), c.parameters)
	var buffers []*tensor.Tensor
	for _, b := range nn.Buffers(model) {
		buffers = append(buffers, b)
	}
	spread(buffers, c.buffers)
	models := make([]M, n)
	for i := range models {
		models[i] = nn.Copy(model, func(t *tensor.Tensor) *tensor.Tensor {
			if r, ok := copies[i][t]; ok {
				return r
			}
			return t // not part of the model's state
		})
	}
	return models
}
