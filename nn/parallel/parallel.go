// Package parallel runs one model on several GPUs at once, in one process: DataParallel splits each batch between copies of
// the model.
package parallel

import (
	"fmt"
	"sync"

	"cresset/cuda"
	"cresset/device"
	"cresset/internal/friend"
	"cresset/nn"
	"cresset/tensor"
)

// Option is an option of NewDataParallel.
type Option func(*options)

type options struct {
	ids    []int
	output *device.Device
	config
}

// DeviceIDs are the GPUs to use, all unless given. The model must be on the first, the main GPU.
func DeviceIDs(ids ...int) Option { return func(o *options) { o.ids = append([]int{}, ids...) } }

// OutputDevice is where results are put together, the main GPU unless given.
func OutputDevice(dev device.Device) Option { return func(o *options) { o.output = &dev } }

// Dim is the axis along which inputs are divided and outputs are put together, 0 unless given.
func Dim(axis int) Option { return func(o *options) { o.axis = axis } }

// DropRows lets inputs be divided into unequal numbers of parts: what has no counterpart in all of them is lost without a word,
// as in PyTorch. It is an error unless DropRows is given.
func DropRows(on bool) Option { return func(o *options) { o.dropRows = on } }

// Warn is told what PyTorch warns of: GPUs of unequal size, and scalars that become a vector.
func Warn(f func(text string)) Option { return func(o *options) { o.warn = f } }

// DataParallel computes a model on several GPUs at once: each gets a part of the batch and a copy of the model, and the
// results are put together. Gradients flow back to the model, where those of the parts are added. Of the copies only that on
// the main GPU shares its buffers with the model, so running statistics are those of the first part.
//
// nn.To, nn.Parameters and the like see the model as "module". It may be moved before it is wrapped, or afterwards.
type DataParallel[M any] struct {
	Module M
	config *config          `nn:"-"`
	_      friend.Described `nn:"-"` // has nn.Describe print the fields
}

// config is what a DataParallel was asked for, and the memory of its copies.
type config struct {
	devices             []device.Device // none without a GPU
	output              device.Device
	axis                int
	dropRows            bool
	warn                func(text string)
	scalarsWarned       sync.Once
	parameters, buffers friend.Replicas[*tensor.Tensor]
}

// inner is what package tensor registers for models on several devices.
var inner = friend.Of[*tensor.Tensor]()

// NewDataParallel wraps a model, which should be a pointer. With one device it moves the model there; with several the model
// has to be on the first when it is used. Without a GPU, and where no device was asked for, the result computes as the model
// does.
func NewDataParallel[M any](model M, opts ...Option) (*DataParallel[M], error) {
	var o options
	o.warn = func(string) {}
	for _, set := range opts {
		set(&o)
	}
	c := &o.config
	c.parameters, c.buffers = inner.NewReplicas(), inner.NewReplicas()
	d := &DataParallel[M]{Module: model, config: c}
	if o.ids == nil && cuda.DeviceCount() == 0 {
		return d, nil
	}
	ids, err := deviceIDs(o.ids)
	if err != nil {
		return nil, err
	}
	for _, id := range ids {
		c.devices = append(c.devices, device.CUDA(id))
	}
	c.output = c.devices[0]
	if o.output != nil {
		if c.output, err = outputDevice(*o.output); err != nil {
			return nil, err
		}
	}
	if err := warnOfImbalance(ids, c.warn); err != nil {
		return nil, err
	}
	if len(ids) > 1 {
		return d, nil
	}
	return d, tensor.Try(func() { nn.To(model, c.devices[0]) })
}

// deviceIDs returns the GPUs that were asked for, all of them for nil.
func deviceIDs(asked []int) ([]int, error) {
	n := cuda.DeviceCount()
	if asked == nil {
		asked = make([]int, n)
		for i := range asked {
			asked[i] = i
		}
	}
	if len(asked) == 0 {
		return nil, mistake("DeviceIDs is empty; leave it out for all GPUs")
	}
	seen := make(map[int]bool)
	for _, id := range asked {
		switch {
		case id < 0 || id >= n:
			return nil, mistake(fmt.Sprintf("Invalid device id %d: there are %d GPUs", id, n))
		case seen[id]:
			return nil, mistake(fmt.Sprintf("Invalid device id %d: it stands in DeviceIDs twice", id))
		}
		seen[id] = true
	}
	return asked, nil
}

func outputDevice(dev device.Device) (device.Device, error) {
	index, ok := dev.Index()
	if dev.IsCPU() || dev.IsCUDA() && (!ok || index < cuda.DeviceCount()) {
		return dev, nil
	}
	return dev, mistake(fmt.Sprintf("Invalid output device %s", dev))
}

// Forward computes the model, whose Forward takes one tensor, on all devices. It panics where a replica fails, with a
// *tensor.Error that leads to a *ReplicaError for each that did.
func (d *DataParallel[M]) Forward(x *tensor.Tensor) *tensor.Tensor {
	return Call(d, x, func(model M, x *tensor.Tensor) *tensor.Tensor { return module(model).Forward(x) })
}

// module returns the model as a module: Forward may belong to it or to a pointer to it.
func module[M any](model M) nn.Module {
	if m, ok := any(model).(nn.Module); ok {
		return m
	}
	if m, ok := any(&model).(nn.Module); ok {
		return m
	}
	panic(mistake(fmt.Sprintf("%T has no Forward of one tensor to one tensor: use parallel.Call", model)))
}

// Call computes f on all devices: each replica of the model gets its part of the input. Tensors are divided wherever they
// stand in slices, arrays, maps and structs; all else goes to every replica as it is. Results have to be tensors, or slices,
// arrays, maps and structs of them, and are put together likewise; a nil stays nil. Scalars become a vector with an element
// for each replica. f runs in a goroutine for each replica.
func Call[M, In, Out any](d *DataParallel[M], in In, f func(model M, in In) Out) Out {
	c := d.config
	if c == nil {
		panic(mistake("a DataParallel is made by NewDataParallel"))
	}
	if len(c.devices) == 0 {
		return f(d.Module, in)
	}
	checkMain(d.Module, c.devices[0])
	inputs := scatter(in, c)
	if len(c.devices) == 1 {
		return f(d.Module, inputs[0])
	}
	models := replicate(d.Module, c, len(inputs))
	outputs := apply(models, inputs, c.devices, f)
	return gather(outputs, c)
}

// String prints the wrapped model as PyTorch does.
func (d *DataParallel[M]) String() string { return nn.Describe(d) }
