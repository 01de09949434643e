// Package pipeline has each rank of a job compute some of a model's layers, its stage: pipeline parallelism in the words of torch.distributed.pipelining. A batch passes the stages in parts,
// micro-batches, so that all ranks have work:
//
//	stage := pipeline.Split(net, g.Size())[g.Rank()]
//	schedule := pipeline.New1F1B(stage, g, 8, func(y, target *tensor.Tensor) *tensor.Tensor { return tensor.MSELoss(y, target) })
//	opt := optim.NewSGD(nn.Parameters(stage))
//	opt.ZeroGrad()
//	loss, err := schedule.Step(ctx, x, y) // x on the first rank, y on the last
//	opt.Step()
package pipeline

import (
	"context"
	"fmt"

	"cresset/device"
	"cresset/dist"
	"cresset/nn"
	"cresset/tensor"
)

// Schedule1F1B is the order of Narayanan et al. (2019): a rank computes forward until the first micro-batch comes back, then one forward and one backward in turn, so that a rank which has n
// ranks behind it keeps what the gradients of n + 1 micro-batches need, however many there are.
type Schedule1F1B struct {
	stage        nn.Module
	group        *dist.Group
	microbatches int
	loss         func(y, target *tensor.Tensor) *tensor.Tensor
	device       device.Device // of the stage
	forward      []*passed     // of micro-batches that have not come back
	total        *tensor.Tensor
	sent         []*message
	met          bool
}

// passed is a micro-batch that has been computed forward.
type passed struct{ x, y *tensor.Tensor }

// New1F1B returns the schedule of this rank, whose number is that of its stage. Batches are divided into so many micro-batches; loss, of the last rank, is a mean over a micro-batch.
func New1F1B(stage nn.Module, g *dist.Group, microbatches int, loss func(y, target *tensor.Tensor) *tensor.Tensor) *Schedule1F1B {
	if microbatches < 1 {
		panic(fault(fmt.Sprintf("%d is no number of micro-batches", microbatches)))
	}
	s := &Schedule1F1B{stage: stage, group: g, microbatches: microbatches, loss: loss}
	for _, p := range nn.Parameters(stage) {
		s.device = p.Device()
		break
	}
	return s
}

// Step passes a batch through all stages, forward and back, and returns the mean of the losses on the last rank, nil elsewhere. Gradients are those of the mean. The first rank gives the input and
// the last one the target; others' are nil. All ranks call it.
func (s *Schedule1F1B) Step(ctx context.Context, x, target *tensor.Tensor) (loss *tensor.Tensor, err error) {
	failed := tensor.Try(func() { err = s.step(ctx, x, target) })
	loss, s.forward, s.total = s.total, nil, nil
	if err == nil {
		err = failed
	}
	if err != nil {
		s.sent = nil
		return nil, err
	}
	return loss, nil
}

func (s *Schedule1F1B) step(ctx context.Context, x, target *tensor.Tensor) error {
	xs, err := s.divide("input", x, s.first())
	if err != nil {
		return err
	}
	targets, err := s.divide("target", target, s.last())
	if err != nil {
		return err
	}
	if !s.met { // ranks find out together how tensors of GPUs go, before any of them sends
		if err := s.group.AllReduce(tensor.On(s.device).Zeros(1), dist.Sum).Wait(ctx); err != nil {
			return err
		}
		s.met = true
	}
	ahead := min(s.microbatches, s.group.Size()-s.group.Rank()-1)
	for i := range s.microbatches + ahead {
		if i < s.microbatches {
			if err := s.passOn(ctx, xs, targets, i); err != nil {
				return err
			}
		}
		if i >= ahead {
			if err := s.passBack(ctx); err != nil {
				return err
			}
		}
	}
	return s.settle(ctx, 0)
}

func (s *Schedule1F1B) first() bool { return s.group.Rank() == 0 }
func (s *Schedule1F1B) last() bool  { return s.group.Rank() == s.group.Size()-1 }

// divide returns the micro-batches of what a rank has to give.
func (s *Schedule1F1B) divide(what string, t *tensor.Tensor, gives bool) ([]*tensor.Tensor, error) {
	switch {
	case !gives:
		return nil, nil
	case t == nil:
		return nil, fault(fmt.Sprintf("rank %d has to give the %s", s.group.Rank(), what))
	case t.Dim() == 0 || t.Size(0)%s.microbatches != 0:
		return nil, fault(fmt.Sprintf("%d micro-batches do not divide the %s of shape %s", s.microbatches, what, t.Shape()))
	}
	return t.Chunk(s.microbatches, 0), nil
}

// passOn computes a micro-batch forward.
func (s *Schedule1F1B) passOn(ctx context.Context, xs, targets []*tensor.Tensor, i int) error {
	m := &passed{}
	if s.first() {
		m.x = xs[i]
	} else {
		x, err := s.receive(ctx, s.group.Rank()-1, onward)
		if err != nil {
			return err
		}
		m.x = x
		if x.DType().IsFloat() {
			x.SetRequiresGrad(true)
		}
	}
	s.forward = append(s.forward, m)
	m.y = s.stage.Forward(m.x)
	if !s.last() {
		return s.send(ctx, m.y.Detach(), s.group.Rank()+1, onward)
	}
	m.y = s.loss(m.y, targets[i]).DivScalar(s.microbatches)
	if part := m.y.Detach(); s.total == nil {
		s.total = part.Clone()
	} else {
		s.total.AddInPlace(part)
	}
	return nil
}

// passBack computes the oldest micro-batch that is there backward.
func (s *Schedule1F1B) passBack(ctx context.Context) error {
	m := s.forward[0]
	s.forward = s.forward[1:]
	if s.last() {
		m.y.Backward()
	} else {
		dy, err := s.receive(ctx, s.group.Rank()+1, back)
		if err != nil {
			return err
		}
		if m.y.RequiresGrad() {
			m.y.Backward(tensor.Gradient(dy))
		}
	}
	if s.first() {
		return nil
	}
	dx := m.x.Grad()
	if dx == nil {
		dx = tensor.ZerosLike(m.x)
	}
	return s.send(ctx, dx, s.group.Rank()-1, back)
}

func fault(text string) *tensor.Error {
	return &tensor.Error{Op: "pipeline", Kind: tensor.ErrValue, Err: fmt.Errorf("%s", text)}
}
