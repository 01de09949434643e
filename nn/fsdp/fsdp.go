// Package fsdp trains one model on the ranks of a job, each of which keeps a part of it: FullyShardedDataParallel is ZeRO (Rajbhandari et al., 2020) in the words of
// torch.distributed.fsdp.
//
// Between steps each parameter of the model is this rank's rows of it, and so are its gradient and what an optimizer keeps of it:
//
//	model, err := fsdp.NewFullyShardedDataParallel(net, g, fsdp.On(dev))
//	opt := optim.NewAdamW(nn.Parameters(model))
//	opt.ZeroGrad()
//	loss(model.Forward(x)).Backward()
//	model.ClipGradNorm(1)
//	opt.Step()
//
// From a Forward to the end of its Backward parameters are whole again, unit by unit: when the first op wants one of a unit's parameters, all of them are gathered from the
// ranks, and the next unit's begin to be.
package fsdp

import (
	"context"
	"fmt"
	"strings"

	"cresset/device"
	"cresset/dist"
	"cresset/dtype"
	"cresset/internal/friend"
	"cresset/nn"
	"cresset/tensor"
)

// FullyShardedDataParallel is a model of which every rank of a group keeps a part, and that learns from the data of all.
//
// All ranks call Forward and Backward in the same order, and use the same parameters. Each Backward leaves the mean of the ranks' gradients, added to what there was. Optimizers
// step each element by itself: Muon, Adafactor and LBFGS, which look at whole parameters, refuse the parts.
type FullyShardedDataParallel[M any] struct {
	Module  M                `nn:",inline"` // its parameters are parts between steps
	sharder *sharder         `nn:"-"`
	_       friend.Described `nn:"-"`
}

// Option is an option of NewFullyShardedDataParallel.
type Option func(*options)

type options struct {
	stage int
	dev   *device.Device
	unit  func(name string) string
	mixed dtype.DType
}

// Stage says what a rank keeps a part of between steps, and while it computes: 1, of what an optimizer keeps; 2, of gradients too; 3, the default, of parameters too. So stage 1 adds
// gradients of several Backwards in NoSync without further memory, stage 2 gives a unit's gradients back as soon as they are reduced, PyTorch's SHARD_GRAD_OP, and stage 3
// also a unit's parameters when others are used, its FULL_SHARD.
func Stage(stage int) Option { return func(o *options) { o.stage = stage } }

// On moves a model to a device in parts, so that the whole need not fit there.
func On(dev device.Device) Option { return func(o *options) { o.dev = &dev } }

// Unit says which parameters are gathered together, those for which it returns the same: PyTorch's auto_wrap_policy. Unless given it is the name up to its first number, as of a layer
// in a list, and "" without one.
func Unit(of func(name string) string) Option { return func(o *options) { o.unit = of } }

// MixedPrecision has parameters be gathered and computed in a dtype, to which Forward casts its input: PyTorch's param_dtype. Parts, and sums of gradients, keep their own.
func MixedPrecision(dt dtype.DType) Option { return func(o *options) { o.mixed = dt } }

// unitOf is the name up to its first number.
func unitOf(name string) string {
	parts := strings.Split(name, ".")
	for i, part := range parts {
		if strings.Trim(part, "0123456789") == "" {
			return strings.Join(parts[:i+1], ".")
		}
	}
	return ""
}

// NewFullyShardedDataParallel takes over a model, which should be a pointer: its parameters become this rank's parts of rank 0's, as buffers become rank 0's. Those on the meta device
// become zeros, for Load. All ranks call it with models of the same parameters, before they make an optimizer.
func NewFullyShardedDataParallel[M any](model M, g *dist.Group, opts ...Option) (*FullyShardedDataParallel[M], error) {
	o := options{stage: 3, unit: unitOf}
	for _, set := range opts {
		set(&o)
	}
	if o.stage < 1 || o.stage > 3 {
		return nil, fault(fmt.Sprintf("there is no stage %d of ZeRO: 1, 2 and 3 are there", o.stage))
	}
	s := &sharder{options: o, group: g, syncs: true}
	if err := s.start(model); err != nil {
		return nil, err
	}
	return &FullyShardedDataParallel[M]{Module: model, sharder: s}, nil
}

// Forward computes the model.
func (f *FullyShardedDataParallel[M]) Forward(x *tensor.Tensor) *tensor.Tensor {
	m, ok := any(f.Module).(nn.Module)
	if !ok {
		panic(fault(fmt.Sprintf("%T has no Forward of one tensor to one tensor: use fsdp.Call", f.Module)))
	}
	f.sharder.begin()
	if dt := f.sharder.mixed; dt != dtype.Undefined && x.DType().IsFloat() {
		x = x.To(dt)
	}
	y := m.Forward(x)
	f.sharder.follow(y)
	return y
}

// Call computes f, whose results are the tensors that Backward starts from.
func Call[M, In any](m *FullyShardedDataParallel[M], in In, f func(model M, in In) []*tensor.Tensor) []*tensor.Tensor {
	m.sharder.begin()
	outs := f(m.Module, in)
	m.sharder.follow(outs...)
	return outs
}

// NoSync calls f, in which Backwards keep whole gradients of this rank alone; the next one outside reduces their sums.
func (f *FullyShardedDataParallel[M]) NoSync(run func()) {
	before := f.sharder.syncs
	f.sharder.syncs = false
	defer func() { f.sharder.syncs = before }()
	run()
}

// NoGrad calls run, in which a Forward tracks no gradients of parameters and no Backward follows it, as in torch.no_grad: parameters are parts again when it has ended.
func (f *FullyShardedDataParallel[M]) NoGrad(run func()) {
	f.sharder.constant = true
	defer func() { f.sharder.constant = false }()
	run()
}

// ClipGradNorm is nn.ClipGradNorm for the gradients of all ranks' parts. All ranks call it.
func (f *FullyShardedDataParallel[M]) ClipGradNorm(max float64, opts ...nn.ClipOption) float64 {
	var grads []*tensor.Tensor
	for _, p := range nn.Parameters(f.Module) {
		if g := inner.BorrowGrad(p); g != nil && g.NumEl() > 0 {
			grads = append(grads, g)
		}
	}
	mine := nn.TotalNorm(grads, append(opts[:len(opts):len(opts)], nn.ErrorIfNonFinite(false))...)
	norms := tensor.Empty(f.sharder.group.Size()).To(dtype.Float64)
	must(f.sharder.group.AllGather(norms, tensor.FromSlice([]float64{mine})).Wait(ctx))
	norm := nn.TotalNorm([]*tensor.Tensor{norms}, opts...)
	nn.ClipGradsWithNorm(nn.Parameters(f.Module), max, norm)
	return norm
}

// String returns the model's tree of layers.
func (f *FullyShardedDataParallel[M]) String() string {
	return "FullyShardedDataParallel(\n  (module): " + strings.ReplaceAll(nn.Describe(f.Module), "\n", "\n  ") + "\n)"
}

// inner is what package tensor registers: gradients without a copy, what depends on what, and memory that comes and goes.
var inner = friend.Of[*tensor.Tensor]()

func fault(text string) *tensor.Error {
	return &tensor.Error{Op: "fully_sharded_data_parallel", Kind: tensor.ErrValue, Err: fmt.Errorf("%s", text)}
}

// must panics with an error of the group, for Backward has none to return.
func must(err error) {
	if err != nil {
		panic(&tensor.Error{Op: "fully_sharded_data_parallel", Kind: tensor.ErrValue, Err: err})
	}
}

// Every wait has the group's limit.
var ctx = context.Background()
