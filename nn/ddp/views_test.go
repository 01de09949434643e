package ddp_test

import (
	"fmt"
	"slices"
	"testing"

	"cresset/dist"
	"cresset/internal/friend"
	"cresset/nn"
	"cresset/nn/ddp"
	"cresset/tensor"
)

// TestGradientsAreViews: gradients lie in one bucket, also the second time, and those that Grad has returned see that.
func TestGradientsAreViews(t *testing.T) {
	storageOf := friend.Of[*tensor.Tensor]().StorageOf
	err := dist.Spawn(2, func(g *dist.Group) error {
		m := nn.NewLinear(2, 1)
		model, err := ddp.NewDistributedDataParallel(m, g, ddp.GradientAsBucketView(true))
		if err != nil {
			return err
		}
		var first *tensor.Tensor
		for step := range 2 {
			model.Forward(tensor.Full([]int{1, 2}, float32(4*step+g.Rank()))).Sum().Backward()
			if storageOf(m.Weight.Grad()) != storageOf(m.Bias.Grad()) {
				return fmt.Errorf("step %d: the gradients lie apart", step)
			}
			if step == 0 {
				first = m.Weight.Grad()
				nn.ZeroGrad(m)
			}
		}
		if got := tensor.Values[float32](first); !slices.Equal(got, []float32{4.5, 4.5}) {
			return fmt.Errorf("the first gradient is %v, and the second 4.5", got)
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}

// TestUnusedViews: a parameter that no rank uses in a step keeps its gradient, to which each rank has added its own since it lay in the bucket.
func TestUnusedViews(t *testing.T) {
	err := dist.Spawn(2, func(g *dist.Group) error {
		m := newBranches()
		model, err := ddp.NewDistributedDataParallel(m, g, ddp.FindUnusedParameters(true), ddp.GradientAsBucketView(true))
		if err != nil {
			return err
		}
		left, right := tensor.Ones(1, 2), tensor.Ones(2, 2)
		model.Forward(left).Sum().Backward()
		model.NoSync(func() { model.Forward(left.MulScalar(float32(g.Rank()))).Sum().Backward() })
		model.Forward(right).Sum().Backward()
		want := 1 + float32(g.Rank())
		if got := tensor.Values[float32](m.Left.Weight.Grad()); !slices.Equal(got, []float32{want, want}) {
			return fmt.Errorf("rank %d: got %v, want %g", g.Rank(), got, want)
		}
		if got := tensor.Values[float32](m.Right.Weight.Grad()); !slices.Equal(got, []float32{2, 2}) {
			return fmt.Errorf("what all use: got %v", got)
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}
