package tp

import (
	"cresset/device"
	"cresset/nn"
	"cresset/tensor"
)

// FullState returns the whole model's state on rank 0, in memory of the host, and nil elsewhere. All ranks call it.
func (s *Sharding) FullState() (state map[string]*tensor.Tensor, err error) {
	err = tensor.Try(func() {
		of := map[any]*tensor.Tensor{}
		for _, p := range nn.Parameters(s.model) {
			if c, divided := s.cuts[p]; divided {
				of[inner.StorageOf(p)] = s.join(p.Detach().CPU(), c)
			}
		}
		if s.group.Rank() > 0 {
			return
		}
		state = map[string]*tensor.Tensor{}
		for name, x := range nn.State(s.model) {
			if whole, ok := of[inner.StorageOf(x)]; ok {
				state[name] = whole
			} else {
				state[name] = x.To(device.CPU, tensor.Copy(true))
			}
		}
	})
	return state, err
}

// join makes the parts of all ranks whole.
func (s *Sharding) join(part *tensor.Tensor, c cut) *tensor.Tensor {
	blocks, n := make([]*tensor.Tensor, c.blocks), part.Size(c.axis)/c.blocks
	for i := range blocks {
		block := part.Narrow(c.axis, i*n, n).Transpose(c.axis, -1)
		blocks[i] = s.gather(block, c.extent/c.blocks).Transpose(c.axis, -1)
	}
	return tensor.Cat(blocks, c.axis)
}
