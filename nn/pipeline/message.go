package pipeline

import (
	"context"
	"fmt"

	"cresset/dist"
	"cresset/dtype"
	"cresset/tensor"
)

// Tags of messages: a head, which tells dtype and shape, and the elements behind it.
const (
	onward = 0 // results
	back   = 2 // gradients
)

// maxAxes is how many axes a tensor has at most.
const maxAxes = 16

// A message is on its way to another rank; its tensors stay as they are until it has arrived.
type message struct {
	head, elements *tensor.Tensor
	works          [2]*dist.Work
}

// send begins to send a tensor. The next rank is at most as many messages behind as it has micro-batches ahead of it, so that those before these have arrived.
func (s *Schedule1F1B) send(ctx context.Context, x *tensor.Tensor, to, tag int) error {
	head := make([]int64, 2+maxAxes)
	head[0], head[1] = int64(x.DType()), int64(x.Dim())
	for i, n := range x.Shape() {
		head[2+i] = int64(n)
	}
	m := &message{head: tensor.FromSlice(head), elements: x.Contiguous()}
	m.works = [2]*dist.Work{s.group.Send(m.head, to, tag), s.group.Send(m.elements, to, tag+1)}
	s.sent = append(s.sent, m)
	return s.settle(ctx, 2*s.group.Size())
}

// settle waits for all messages but the last few.
func (s *Schedule1F1B) settle(ctx context.Context, left int) error {
	for len(s.sent) > left {
		for _, w := range s.sent[0].works {
			if err := w.Wait(ctx); err != nil {
				return err
			}
		}
		s.sent = s.sent[1:]
	}
	return nil
}

// receive returns what another rank sends, on the stage's device.
func (s *Schedule1F1B) receive(ctx context.Context, from, tag int) (*tensor.Tensor, error) {
	head := tensor.Empty(2 + maxAxes).To(dtype.Int64)
	if err := s.group.Receive(head, from, tag).Wait(ctx); err != nil {
		return nil, err
	}
	h := tensor.Values[int64](head)
	if h[1] < 0 || h[1] > maxAxes {
		return nil, fmt.Errorf("rank %d sent a tensor of %d axes", from, h[1])
	}
	shape := make([]int, h[1])
	for i := range shape {
		shape[i] = int(h[2+i])
	}
	x := tensor.On(s.device).As(dtype.DType(h[0])).Empty(shape...)
	return x, s.group.Receive(x, from, tag+1).Wait(ctx)
}
