// Package ddp trains one model on the ranks of a job, each with its own part of the data: DistributedDataParallel keeps the copies of the ranks equal by
// reducing their gradients while Backward computes them.
package ddp

import (
	"context"
	"fmt"

	"cresset/dist"
	"cresset/internal/friend"
	"cresset/nn"
	"cresset/tensor"
)

// DistributedDataParallel is a model that every rank of a group has. Backward leaves in each parameter the mean of the ranks' gradients, so that equal
// optimizers take equal steps.
//
// nn.Parameters and the like see the model as "module". It is moved and frozen before it is wrapped. All ranks call Forward and Backward in the same order.
type DistributedDataParallel[M any] struct {
	Module  M
	reducer *reducer         `nn:"-"`
	_       friend.Described `nn:"-"` // has nn.Describe print the fields
}

// Option is an option of NewDistributedDataParallel.
type Option func(*options)

type options struct {
	bucketCap        float64
	broadcastBuffers bool
	findUnused       bool
	asViews          bool
}

// BucketCapMB is how many MiB of gradients are reduced at once, 25 unless given. The first bucket has 1 MiB at most.
func BucketCapMB(mb float64) Option { return func(o *options) { o.bucketCap = mb } }

// BroadcastBuffers says whether each Forward first takes rank 0's buffers, except in NoSync. It is on unless given.
func BroadcastBuffers(on bool) Option { return func(o *options) { o.broadcastBuffers = on } }

// FindUnusedParameters has each Forward look which parameters its result depends on, so that others do not keep a Backward waiting: those that no rank
// uses keep the gradient that they have.
func FindUnusedParameters(on bool) Option { return func(o *options) { o.findUnused = on } }

// GradientAsBucketView has the gradients of parameters lie in the buckets in which they are reduced, which saves their memory a second time and a copy. What Grad has returned then changes
// in the next Backward, also after ZeroGrad. It is off unless given, as in PyTorch.
func GradientAsBucketView(on bool) Option { return func(o *options) { o.asViews = on } }

// NewDistributedDataParallel wraps a model, which should be a pointer. All ranks call it with models of the same parameters, which become
// rank 0's, as buffers do.
func NewDistributedDataParallel[M any](model M, g *dist.Group, opts ...Option) (*DistributedDataParallel[M], error) {
	o := options{bucketCap: 25, broadcastBuffers: true}
	for _, set := range opts {
		set(&o)
	}
	r := &reducer{group: g, options: o, syncs: true}
	for name, p := range nn.Parameters(model) {
		if p.RequiresGrad() {
			r.names, r.params = append(r.names, name), append(r.params, p)
		}
	}
	for _, b := range nn.Buffers(model) {
		r.buffers = append(r.buffers, b)
	}
	if err := r.start(nn.ParameterList(model)); err != nil {
		return nil, err
	}
	return &DistributedDataParallel[M]{Module: model, reducer: r}, nil
}

// Forward computes the model.
func (d *DistributedDataParallel[M]) Forward(x *tensor.Tensor) *tensor.Tensor {
	m, ok := any(d.Module).(nn.Module)
	if !ok {
		panic(fault(fmt.Sprintf("%T has no Forward of one tensor to one tensor: use ddp.Call", d.Module)))
	}
	d.reducer.begin()
	y := m.Forward(x)
	d.reducer.follow(y)
	return y
}

// Call computes f, whose result holds the tensors that Backward starts from in slices, arrays, maps, pointers and exported fields of structs.
func Call[M, In, Out any](d *DistributedDataParallel[M], in In, f func(model M, in In) Out) Out {
	d.reducer.begin()
	out := f(d.Module, in)
	d.reducer.follow(tensorsIn(out)...)
	return out
}

// NoSync calls f, in which a Backward adds to the gradients of this rank alone; the next one outside reduces their sums.
func (d *DistributedDataParallel[M]) NoSync(f func()) {
	before := d.reducer.syncs
	d.reducer.syncs = false
	defer func() { d.reducer.syncs = before }()
	f()
}

// String returns the model's tree of layers.
func (d *DistributedDataParallel[M]) String() string { return nn.Describe(d) }

func fault(text string) *tensor.Error {
	return &tensor.Error{Op: "distributed_data_parallel", Kind: tensor.ErrValue, Err: fmt.Errorf("%s", text)}
}

// Every wait has the group's limit.
var ctx = context.Background()
