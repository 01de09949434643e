package ddp_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"

	"cresset/device"
	"cresset/dist"
	"cresset/dtype"
	"cresset/internal/mpi/mpitest"
	"cresset/internal/race"
	"cresset/internal/ranktest"
	"cresset/nn"
	"cresset/nn/ddp"
	"cresset/optim"
	"cresset/tensor"
)

var ctx = context.Background()

func TestMain(m *testing.M) {
	os.Exit(ranktest.Main(m, os.Stderr, "2", map[string]func(g *dist.Group) error{"training": training, "sync batch norm": syncs, "speed": speed}))
}

const rows, inputs = 12, 6

// batch returns data that a fixed function makes, in float64.
func batch(step int) (x, y *tensor.Tensor) {
	s := make([]float64, rows*inputs)
	for i := range s {
		s[i] = math.Sin(float64(step*len(s)+i) * 0.7)
	}
	x = tensor.FromSlice(s, rows, inputs)
	return x, x.SumAxes([]int{1}).Sin().View(rows, 1)
}

// seeding is held while a rank draws numbers, which are the program's.
var seeding sync.Mutex

// perceptron returns a model that starts at other values for each seed.
func perceptron(seed int64, dev device.Device) *nn.Sequential {
	seeding.Lock()
	defer seeding.Unlock()
	tensor.ManualSeed(seed)
	return nn.To(nn.NewSequential(nn.NewLinear(inputs, 40), nn.NewTanh(), nn.NewLinear(40, 40), nn.NewTanh(), nn.NewLinear(40, 1)), dtype.Float64, dev)
}

// alone trains on whole batches, and returns the losses and the weights.
var alone = sync.OnceValues(func() (losses []float64, weights *tensor.Tensor) {
	model := perceptron(0, device.CPU)
	opt := optim.NewSGD(nn.Parameters(model), optim.LR(0.05), optim.Momentum(0.9))
	for step := range 4 {
		x, y := batch(step)
		opt.ZeroGrad()
		loss := tensor.MSELoss(model.Forward(x), y)
		loss.Backward()
		opt.Step()
		losses = append(losses, loss.Float64())
	}
	return losses, nn.ParametersToVector(nn.Parameters(model)).Detach()
})

// training has each rank learn from its part of the batches, from values that differ before the model is wrapped, and wants the losses of a training on
// one device.
func training(g *dist.Group) error {
	for _, dev := range []device.Device{device.CPU, device.CUDA(g.LocalRank() % 2)} {
		for _, bucket := range []float64{25, 0.002} {
			if race.Enabled && dev.IsCUDA() && (bucket > 1 || g.Engine() != "local" || g.Size() != 2) {
				continue // what goes on at once is the same
			}
			for _, views := range []bool{false, true} {
				if views && dev.IsCUDA() && bucket > 1 {
					continue // small buckets say more
				}
				if err := trained(g, dev, ddp.BucketCapMB(bucket), ddp.GradientAsBucketView(views)); err != nil {
					return fmt.Errorf("%s, buckets of %g MiB, as views %t: %w", dev, bucket, views, err)
				}
			}
		}
	}
	return nil
}

func trained(g *dist.Group, dev device.Device, opts ...ddp.Option) error {
	model, err := ddp.NewDistributedDataParallel(perceptron(int64(g.Rank()), dev), g, opts...)
	if err != nil {
		return err
	}
	opt := optim.NewSGD(nn.Parameters(model), optim.LR(0.05), optim.Momentum(0.9))
	wanted, weights := alone()
	for step, want := range wanted {
		x, y := batch(step)
		each := rows / g.Size()
		x, y = x.Narrow(0, g.Rank()*each, each).To(dev), y.Narrow(0, g.Rank()*each, each).To(dev)
		opt.ZeroGrad()
		// The first half of the rows adds to the gradients of this rank, the second half's Backward reduces.
		var loss *tensor.Tensor
		model.NoSync(func() {
			loss = tensor.MSELoss(model.Forward(x.Narrow(0, 0, each/2)), y.Narrow(0, 0, each/2)).MulScalar(0.5)
			loss.Backward()
		})
		second := tensor.MSELoss(model.Forward(x.Narrow(0, each/2, each/2)), y.Narrow(0, each/2, each/2)).MulScalar(0.5)
		second.Backward()
		opt.Step()
		mean := loss.Add(second).Detach()
		if err := g.AllReduce(mean, dist.Avg).Wait(ctx); err != nil {
			return err
		}
		if got := mean.Float64(); math.Abs(got-want) > 1e-6 {
			return fmt.Errorf("step %d: loss %.9f, on one device %.9f", step, got, want)
		}
	}
	if got := nn.ParametersToVector(nn.Parameters(model)).Detach().CPU(); !got.AllClose(weights, 1e-6, 1e-6) {
		return errors.New("the weights are others than on one device")
	}
	return nil
}

func TestTraining(t *testing.T) {
	for _, n := range []int{1, 2, 3} {
		if err := dist.Spawn(n, training); err != nil {
			t.Errorf("%d ranks: %v", n, err)
		}
	}
}

func TestTrainingUnderMPI(t *testing.T) {
	mpitest.Each(t, func(t *testing.T, l mpitest.Launcher) {
		for _, n := range []int{2, 3} {
			if race.Enabled && n == 2 {
				continue
			}
			if r := l.Run(t, n, "training"); r.Code != 0 {
				t.Errorf("%d ranks: exit %d\n%s\n%s", n, r.Code, r.Stdout, r.Stderr)
			}
		}
	})
}

// branches is a model of which one half or the other is used.
type branches struct {
	Left, Right *nn.Linear
	Never       *nn.Linear
	Seen        *tensor.Tensor `nn:",buffer"`
}

func (b *branches) Forward(x *tensor.Tensor) *tensor.Tensor {
	if x.Size(0) == 1 {
		return b.Left.Forward(x)
	}
	return b.Right.Forward(x)
}

func newBranches() *branches {
	return &branches{nn.NewLinear(2, 1), nn.NewLinear(2, 1), nn.NewLinear(2, 1), tensor.Zeros(1)}
}

// TestUnusedParameters: ranks use different parts of a model. What none uses keeps no gradient, what one uses gets its part of the mean everywhere.
func TestUnusedParameters(t *testing.T) {
	err := dist.Spawn(2, func(g *dist.Group) error {
		m := newBranches()
		model, err := ddp.NewDistributedDataParallel(m, g, ddp.FindUnusedParameters(true))
		if err != nil {
			return err
		}
		out := ddp.Call(model, tensor.Ones(g.Rank()+1, 2), func(m *branches, x *tensor.Tensor) map[string]any {
			return map[string]any{"loss": []*tensor.Tensor{m.Forward(x).Sum()}}
		})
		out["loss"].([]*tensor.Tensor)[0].Backward()
		if m.Never.Weight.Grad() != nil {
			return fmt.Errorf("a gradient of what nobody uses: %v", m.Never.Weight.Grad())
		}
		left, right := tensor.Values[float32](m.Left.Weight.Grad()), tensor.Values[float32](m.Right.Weight.Grad())
		if !slices.Equal(left, []float32{0.5, 0.5}) || !slices.Equal(right, []float32{1, 1}) {
			return fmt.Errorf("gradients %v and %v", left, right)
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}

// TestMissingGradients: without FindUnusedParameters the next Forward says which gradients did not come.
func TestMissingGradients(t *testing.T) {
	err := dist.Spawn(1, func(g *dist.Group) error {
		model, err := ddp.NewDistributedDataParallel(newBranches(), g)
		if err != nil {
			return err
		}
		model.Forward(tensor.Ones(1, 2)).Sum().Backward()
		err = tensor.Try(func() { model.Forward(tensor.Ones(1, 2)) })
		if err == nil || !strings.HasPrefix(err.Error(), "Expected to have finished reduction in the prior iteration before starting a new one.") ||
			!strings.HasSuffix(err.Error(), "did not receive grad: right.weight, right.bias, never.weight, never.bias") {
			return fmt.Errorf("got %v", err)
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}

// TestBuffers: a Forward takes rank 0's buffers, unless it is asked not to.
func TestBuffers(t *testing.T) {
	for _, takes := range []bool{true, false} {
		err := dist.Spawn(2, func(g *dist.Group) error {
			m := newBranches()
			model, err := ddp.NewDistributedDataParallel(m, g, ddp.BroadcastBuffers(takes), ddp.FindUnusedParameters(true))
			if err != nil {
				return err
			}
			m.Seen.FillInPlace(float32(g.Rank() + 5))
			model.Forward(tensor.Ones(1, 2)).Sum().Backward()
			if got := m.Seen.Float64(); got != 5 && takes || !takes && got != float64(g.Rank()+5) {
				return fmt.Errorf("takes %t: rank %d has %g", takes, g.Rank(), got)
			}
			return nil
		})
		if err != nil {
			t.Error(err)
		}
	}
}

// TestModelsDiffer: ranks with other parameters are refused in PyTorch's words.
func TestModelsDiffer(t *testing.T) {
	for want, other := range map[string]nn.Module{
		"DDP expects same model across all ranks, but Rank 0 has 2 params, while rank 1 has inconsistent 1 params.":   nn.NewLinear(3, 2, nn.Bias(false)),
		"[1]: params[0] in this process with sizes [2, 4] appears not to match sizes of the same param in process 0.": nn.NewLinear(4, 2),
		"DistributedDataParallel is not needed when a module doesn't have any parameters that require a gradient.":    nn.NewTanh(),
	} {
		err := dist.Spawn(2, func(g *dist.Group) error {
			m := nn.Module(nn.NewLinear(3, 2))
			if g.Rank() == 1 || strings.Contains(want, "not needed") {
				m = other
			}
			_, err := ddp.NewDistributedDataParallel(m, g)
			if err == nil || err.Error() != want {
				return fmt.Errorf("got %v, want %s", err, want)
			}
			return nil
		})
		if err != nil {
			t.Error(err)
		}
	}
}
