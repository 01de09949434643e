package pipeline_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"

	"cresset/device"
	"cresset/dist"
	"cresset/dtype"
	"cresset/internal/race"
	"cresset/internal/ranktest"
	"cresset/nn"
	"cresset/nn/pipeline"
	"cresset/optim"
	"cresset/tensor"
)

var ctx = context.Background()

func TestMain(m *testing.M) {
	os.Exit(ranktest.Main(m, os.Stderr, "3", map[string]func(g *dist.Group) error{"training": training}))
}

// seeding is held while a rank draws numbers, which are the program's.
var seeding sync.Mutex

// net is the same on all ranks; it begins with a table, so that numbers of words go in.
func net() *nn.Sequential {
	seeding.Lock()
	defer seeding.Unlock()
	tensor.ManualSeed(3)
	return nn.To(nn.NewSequential(nn.NewEmbedding(9, 4), nn.NewFlatten(), nn.NewLinear(12, 8), nn.NewTanh(), nn.NewLinear(8, 8), nn.NewTanh(), nn.NewLinear(8, 1)), dtype.Float64)
}

func batch(step int) (x, y *tensor.Tensor) {
	ids := make([]int64, 12*3)
	for i := range ids {
		ids[i] = int64((i*7 + step*5) % 9)
	}
	x = tensor.FromSlice(ids, 12, 3)
	return x, x.Double().SumAxes([]int{1}).Sin().View(12, 1)
}

// training compares stages with the whole model: losses, gradients and weights.
func training(g *dist.Group) error {
	for _, dev := range []device.Device{device.CPU, device.CUDA(g.LocalRank() % 3)} {
		for _, micro := range []int{1, 2, 6} {
			alone, stage := net(), nn.To(pipeline.Split(net(), g.Size())[g.Rank()], dev)
			schedule := pipeline.New1F1B(stage, g, micro, func(y, target *tensor.Tensor) *tensor.Tensor { return tensor.MSELoss(y, target) })
			one, mine := optim.NewSGD(nn.Parameters(alone), optim.LR(0.1), optim.Momentum(0.9)), optim.NewSGD(nn.Parameters(stage), optim.LR(0.1), optim.Momentum(0.9))
			for step := range 3 {
				x, y := batch(step)
				one.ZeroGrad()
				mine.ZeroGrad()
				want := tensor.MSELoss(alone.Forward(x), y)
				want.Backward()
				if g.Rank() > 0 {
					x = nil
				}
				if g.Rank() < g.Size()-1 {
					y = nil
				}
				loss, err := schedule.Step(ctx, on(x, dev), on(y, dev))
				if err != nil {
					return err
				}
				if last := g.Rank() == g.Size()-1; (loss != nil) != last || last && !loss.CPU().AllClose(want.Detach(), 1e-10, 1e-10) {
					return fmt.Errorf("%d micro-batches on %s: a loss of %v, %v alone", micro, dev, loss, want)
				}
				one.Step()
				mine.Step()
			}
			parts := pipeline.Split(alone, g.Size())[g.Rank()]
			wanted := nn.State(parts)
			for name, got := range nn.State(stage) {
				if !got.CPU().AllClose(wanted[name], 1e-9, 1e-9) {
					return fmt.Errorf("%d micro-batches on %s: %s is\n%v, alone\n%v", micro, dev, name, got, wanted[name])
				}
			}
		}
	}
	return nil
}

func on(x *tensor.Tensor, dev device.Device) *tensor.Tensor {
	if x == nil {
		return nil
	}
	return x.To(dev)
}

func TestTraining(t *testing.T) {
	for _, n := range []int{1, 2, 3} {
		if race.Enabled && n < 3 {
			continue // what ranks do at once is the same
		}
		if err := dist.Spawn(n, training); err != nil {
			t.Errorf("%d ranks: %v", n, err)
		}
	}
}

func TestTrainingUnderMPI(t *testing.T) {
	ranktest.UnderMPI(t, "training")
}

// noted notes what it computes.
type noted struct {
	*nn.Linear
	order []string
}

func (n *noted) Forward(x *tensor.Tensor) *tensor.Tensor {
	n.order = append(n.order, "F")
	y := n.Linear.Forward(x)
	y.RegisterHook(func(*tensor.Tensor) *tensor.Tensor { n.order = append(n.order, "B"); return nil })
	return y
}

// TestOrder: a rank computes as many micro-batches ahead as there are ranks behind it.
func TestOrder(t *testing.T) {
	want := []string{"F F F B F B B B", "F F B F B F B B", "F B F B F B F B"}
	err := dist.Spawn(3, func(g *dist.Group) error {
		seeding.Lock()
		stage := &noted{Linear: nn.NewLinear(2, 2)}
		seeding.Unlock()
		var x *tensor.Tensor
		if g.Rank() != 1 {
			x = tensor.Ones(4, 2)
		}
		_, err := pipeline.New1F1B(stage, g, 4, func(y, target *tensor.Tensor) *tensor.Tensor { return tensor.MSELoss(y, target) }).Step(ctx, x, x)
		if got := strings.Join(stage.order, " "); got != want[g.Rank()] {
			err = errors.Join(err, fmt.Errorf("got %s, want %s", got, want[g.Rank()]))
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}

func TestSplit(t *testing.T) {
	m := nn.NewSequential(nn.NewLinear(4, 4), nn.NewTanh(), nn.NewLinear(4, 4), nn.NewLinear(4, 4), nn.NewLinear(4, 4), nn.NewTanh())
	for stages, want := range map[int][]int{1: {6}, 2: {3, 3}, 4: {2, 1, 1, 2}, 6: {1, 1, 1, 1, 1, 1}} {
		var got []int
		for _, part := range pipeline.Split(m, stages) {
			got = append(got, part.Len())
		}
		if !slices.Equal(got, want) {
			t.Errorf("%d stages: %v, want %v", stages, got, want)
		}
	}
}

// TestSplitLeavesNoStageWithoutParameters where the chain has enough layers that have them.
func TestSplitLeavesNoStageWithoutParameters(t *testing.T) {
	m := nn.NewSequential(nn.NewTanh(), nn.NewLinear(8, 12), nn.NewTanh(), nn.NewLinear(12, 12), nn.NewTanh(), nn.NewLinear(12, 4), nn.NewTanh(), nn.NewLinear(4, 1))
	for i, part := range pipeline.Split(m, 4) {
		if want := []int{3, 2, 2, 1}[i]; part.Len() != want {
			t.Errorf("stage %d has %d modules, want %d", i, part.Len(), want)
		}
	}
}

// TestMistakes are refused in words.
func TestMistakes(t *testing.T) {
	mse := func(y, target *tensor.Tensor) *tensor.Tensor { return tensor.MSELoss(y, target) }
	err := dist.Spawn(1, func(g *dist.Group) error {
		step := func(x, y *tensor.Tensor) error {
			_, err := pipeline.New1F1B(nn.NewTanh(), g, 2, mse).Step(ctx, x, y)
			return err
		}
		for want, err := range map[string]error{
			"rank 0 has to give the input":                                     step(nil, tensor.Ones(2)),
			"rank 0 has to give the target":                                    step(tensor.Ones(2), nil),
			"2 micro-batches do not divide the input of shape torch.Size([3])": step(tensor.Ones(3), tensor.Ones(2)),
			"0 is no number of micro-batches":                                  tensor.Try(func() { pipeline.New1F1B(nn.NewTanh(), g, 0, mse) }),
			"1 modules cannot be divided into 2 stages":                        tensor.Try(func() { pipeline.Split(nn.NewSequential(nn.NewTanh()), 2) }),
		} {
			if err == nil || err.Error() != want {
				t.Errorf("got %v, want %s", err, want)
			}
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}
