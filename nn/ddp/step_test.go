package ddp_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"cresset/dist"
	"cresset/dtype"
	"cresset/nn"
	"cresset/nn/ddp"
	"cresset/tensor"
)

// TestForwardWithoutBackward: a validation between two steps is none of them.
func TestForwardWithoutBackward(t *testing.T) {
	for _, unused := range []bool{false, true} {
		err := dist.Spawn(2, func(g *dist.Group) error {
			m := nn.NewLinear(2, 1)
			model, err := ddp.NewDistributedDataParallel(m, g, ddp.FindUnusedParameters(unused))
			if err != nil {
				return err
			}
			x := tensor.Full([]int{1, 2}, float32(g.Rank()))
			for range 2 {
				model.Forward(x)
				model.Forward(x).Sum().Backward()
				model.Forward(x)
			}
			return same(m.Weight.Grad(), tensor.Full([]int{1, 2}, float32(1)))
		})
		if err != nil {
			t.Errorf("unused %t: %v", unused, err)
		}
	}
}

func same(got, want *tensor.Tensor) error {
	if !got.AllClose(want, 1e-6, 1e-6) {
		return fmt.Errorf("got %v, want %v", got, want)
	}
	return nil
}

// TestMovedModel: a model that was moved after it was wrapped is named, with its parameter.
func TestMovedModel(t *testing.T) {
	err := dist.Spawn(1, func(g *dist.Group) error {
		model, err := ddp.NewDistributedDataParallel(nn.NewLinear(2, 1), g)
		if err != nil {
			return err
		}
		nn.To(model, dtype.Float64)
		err = tensor.Try(func() { model.Forward(tensor.Ones(1, 2).To(dtype.Float64)) })
		if err == nil || err.Error() != "parameter weight was torch.float32 on cpu when the model was wrapped, and is torch.float64 on cpu: a model is moved before it is wrapped" {
			return fmt.Errorf("got %v", err)
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}

// TestBackwardFails: the next Forward says which gradients did not come.
func TestBackwardFails(t *testing.T) {
	err := dist.Spawn(1, func(g *dist.Group) error {
		m := nn.NewSequential(nn.NewLinear(2, 2), nn.NewLinear(2, 1))
		model, err := ddp.NewDistributedDataParallel(m, g)
		if err != nil {
			return err
		}
		remove := nn.ParameterList(m)[0].RegisterHook(func(*tensor.Tensor) *tensor.Tensor { panic(errors.New("its own")) })
		defer remove()
		func() {
			defer func() { _ = recover() }()
			model.Forward(tensor.Ones(1, 2)).Sum().Backward()
		}()
		err = tensor.Try(func() { model.Forward(tensor.Ones(1, 2)) })
		if err == nil || !strings.HasSuffix(err.Error(), "did not receive grad: 0.weight") {
			return fmt.Errorf("got %v", err)
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}

// blend is a model with a shared layer, a frozen one, one of another dtype and one that is computed anew for its gradient.
type blend struct{ Shared, Frozen, Double *nn.Linear }

func newBlend() *blend {
	m := &blend{nn.NewLinear(2, 2), nn.NewLinear(2, 2), nn.To(nn.NewLinear(2, 1), dtype.Float64)}
	for _, p := range nn.Parameters(m.Frozen) {
		p.SetRequiresGrad(false)
	}
	return m
}

func (m *blend) Forward(x *tensor.Tensor) *tensor.Tensor {
	x = nn.Checkpoint(func(x *tensor.Tensor) *tensor.Tensor { return m.Shared.Forward(x).Tanh() }, m.Shared.Forward(x))
	return m.Double.Forward(m.Frozen.Forward(x).To(dtype.Float64))
}

// TestBlend compares the gradients of ranks that have the same data with the model's own.
func TestBlend(t *testing.T) {
	for _, unused := range []bool{false, true} {
		err := dist.Spawn(2, func(g *dist.Group) error {
			seeding.Lock()
			m := newBlend()
			seeding.Unlock()
			model, err := ddp.NewDistributedDataParallel(m, g, ddp.FindUnusedParameters(unused), ddp.BucketCapMB(1e-5))
			if err != nil {
				return err
			}
			x := tensor.FromSlice([]float32{1, 2}, 1, 2)
			m.Forward(x).Sum().Backward()
			var want []*tensor.Tensor
			for _, p := range nn.Parameters(model) {
				if p.RequiresGrad() {
					want = append(want, p.Grad().Clone())
					p.ZeroGrad()
				}
			}
			model.Forward(x).Sum().Backward()
			for _, p := range nn.Parameters(model) {
				if p.RequiresGrad() {
					if err := same(p.Grad(), want[0]); err != nil {
						return err
					}
					want = want[1:]
				}
			}
			return nil
		})
		if err != nil {
			t.Errorf("unused %t: %v", unused, err)
		}
	}
}

// TestResultThatHoldsItself wants tensors to be found where a walk would not end.
func TestResultThatHoldsItself(t *testing.T) {
	err := dist.Spawn(1, func(g *dist.Group) error {
		model, err := ddp.NewDistributedDataParallel(nn.NewLinear(2, 1), g)
		if err != nil {
			return err
		}
		out := ddp.Call(model, tensor.Ones(1, 2), func(m *nn.Linear, x *tensor.Tensor) []any {
			all := []any{nil, m.Forward(x)}
			all[0] = all
			return all
		})
		out[1].(*tensor.Tensor).Sum().Backward()
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}
