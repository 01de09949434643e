package fsdp

import (
	"bytes"
	"encoding/json"
	"fmt"

	"cresset/device"
	"cresset/dtype"
	"cresset/nn"
	"cresset/tensor"
)

// start divides a model's parameters.
func (s *sharder) start(model any) error {
	for name, p := range nn.Parameters(model) {
		if p.Dim() == 0 {
			return fault(fmt.Sprintf("fully_shard doesn't support scalar parameters. Change %s to a 1D tensor with numel equal to 1.", name))
		}
		s.params = append(s.params, &param{name: name, leaf: p, whole: p.Shape()})
	}
	if err := s.compare(); err != nil {
		return err
	}
	units := map[string]*unit{}
	for _, p := range s.params {
		dev := p.leaf.Device()
		if s.dev != nil {
			dev = *s.dev
		}
		place := tensor.On(dev).As(p.leaf.DType())
		name := s.unit(p.name)
		key := fmt.Sprintf("%s of %s on %s", name, p.leaf.DType(), dev)
		u := units[key]
		if u == nil {
			u = &unit{name: name, place: place}
			units[key] = u
			s.units = append(s.units, u)
		}
		u.params = append(u.params, p)
		if err := s.divide(p, place); err != nil {
			return err
		}
		p.leaf.SetData(p.shard)
		if p.leaf.RequiresGrad() {
			p.leaf.RegisterPostAccumulateGradHook(func(*tensor.Tensor) { s.arrived(u, p) })
		}
	}
	for _, u := range s.units {
		compute := u.params[0].leaf.DType()
		if s.mixed != dtype.Undefined && compute.IsFloat() {
			compute = s.mixed
		}
		u.prepare(compute, func() { s.fetch(u) })
	}
	return s.startBuffers(model)
}

// divide makes a parameter's part from rank 0's values.
func (s *sharder) divide(p *param, place tensor.Place) error {
	if p.leaf.Device().IsMeta() {
		p.cut(nil, s.group.Rank(), s.group.Size(), place)
		return nil
	}
	values := p.leaf.Detach()
	if s.group.Rank() == 0 {
		values = values.Contiguous()
	} else {
		values = tensor.EmptyLike(values).Contiguous()
	}
	if err := s.group.Broadcast(values, 0).Wait(ctx); err != nil {
		return err
	}
	p.cut(values, s.group.Rank(), s.group.Size(), place)
	return nil
}

// startBuffers moves buffers, and makes them rank 0's.
func (s *sharder) startBuffers(model any) error {
	for _, b := range nn.Buffers(model) {
		if s.dev != nil {
			if b.Device().IsMeta() {
				b.SetData(tensor.On(*s.dev).As(b.DType()).Zeros(b.Shape()...))
			}
			b.SetData(b.Detach().To(*s.dev))
		}
		if b.Device() == device.Meta {
			continue
		}
		whole := b.Detach().Contiguous()
		if err := s.group.Broadcast(whole, 0).Wait(ctx); err != nil {
			return err
		}
		b.Detach().CopyInPlace(whole)
	}
	return nil
}

// compare returns an error unless all ranks have parameters of the same names, dtypes and shapes.
func (s *sharder) compare() error {
	var mine []string
	for _, p := range s.params {
		mine = append(mine, fmt.Sprintf("%s, a %s of %s", p.name, tensor.Shape(p.whole), p.leaf.DType()))
	}
	text, err := json.Marshal(mine)
	if err != nil {
		return err
	}
	all, err := s.group.AllGatherBytes(ctx, text)
	if err != nil {
		return err
	}
	for rank, other := range all {
		if bytes.Equal(other, all[0]) {
			continue
		}
		var first, theirs []string
		if err := json.Unmarshal(all[0], &first); err != nil {
			return err
		}
		if err := json.Unmarshal(other, &theirs); err != nil {
			return err
		}
		for i := range max(len(first), len(theirs)) {
			if i >= len(first) || i >= len(theirs) {
				return fault(fmt.Sprintf("the model has %d parameters on rank 0, and %d on rank %d", len(first), len(theirs), rank))
			}
			if first[i] != theirs[i] {
				return fault(fmt.Sprintf("parameter %d is %s on rank 0, and %s on rank %d", i, first[i], theirs[i], rank))
			}
		}
	}
	if len(mine) == 0 {
		return fault("the model has no parameters")
	}
	return nil
}
