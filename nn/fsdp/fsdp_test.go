package fsdp_test

import (
	"context"
	"fmt"
	"math"
	"os"
	"sync"
	"testing"

	"cresset/device"
	"cresset/dist"
	"cresset/dtype"
	"cresset/internal/race"
	"cresset/internal/ranktest"
	"cresset/nn"
	"cresset/nn/fsdp"
	"cresset/optim"
	"cresset/tensor"
)

var ctx = context.Background()

func TestMain(m *testing.M) {
	os.Exit(ranktest.Main(m, os.Stderr, "4", map[string]func(g *dist.Group) error{"training": training}))
}

const rows, inputs = 12, 5

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

// perceptron returns a model of layers whose rows divide by no number of ranks; it starts at other values for each seed.
func perceptron(seed int64) *nn.Sequential {
	seeding.Lock()
	defer seeding.Unlock()
	tensor.ManualSeed(seed)
	return nn.To(nn.NewSequential(nn.NewLinear(inputs, 7), nn.NewTanh(), nn.NewLinear(7, 11), nn.NewTanh(), nn.NewLinear(11, 7), nn.NewTanh(), nn.NewLinear(7, 1)), dtype.Float64)
}

// way is a way to train: an optimizer, and how many parts of a batch are accumulated.
type way struct {
	name   string
	make   func(model any) optim.Optimizer
	clip   float64
	parts  int
	noSync bool
}

var ways = []way{
	{"SGD", func(m any) optim.Optimizer {
		return optim.NewSGD(nn.Parameters(m), optim.LR(0.05), optim.Momentum(0.9))
	}, 0, 1, false},
	{"AdamW of matrices, clipped", func(m any) optim.Optimizer {
		return optim.NewAdamW(nn.Parameters(m), optim.LR(0.02), optim.WeightDecay(0),
			optim.For(func(_ string, p *tensor.Tensor) bool { return p.Dim() >= 2 }, optim.WeightDecay(0.1)))
	}, 0.5, 1, false},
	{"RMSprop, reduced twice", func(m any) optim.Optimizer { return optim.NewRMSprop(nn.Parameters(m), optim.LR(0.01)) }, 0, 2, false},
	{"Adam, reduced once", func(m any) optim.Optimizer { return optim.NewAdam(nn.Parameters(m), optim.LR(0.02)) }, 0.5, 2, true},
}

// steps trains, on the rank's part of each batch, and returns the mean losses and the norms of gradients.
func (w way) steps(model nn.Module, x func(t *tensor.Tensor) *tensor.Tensor, noSync func(func()), clip func(max float64) float64) (seen []float64) {
	opt := w.make(model)
	for step := range 4 {
		a, b := batch(step)
		a, b = x(a), x(b)
		opt.ZeroGrad()
		loss := 0.0
		for part := range w.parts {
			each := a.Size(0) / w.parts
			run := func() {
				l := tensor.MSELoss(model.Forward(a.Narrow(0, part*each, each)), b.Narrow(0, part*each, each)).DivScalar(w.parts)
				l.Backward()
				loss += l.Float64()
			}
			if w.noSync && part < w.parts-1 {
				noSync(run)
			} else {
				run()
			}
		}
		seen = append(seen, loss)
		if w.clip > 0 {
			seen = append(seen, clip(w.clip))
		}
		opt.Step()
	}
	return seen
}

// alone trains on one device, each way once.
func (w way) alone() (seen []float64, weights map[string]*tensor.Tensor) {
	once, _ := references.LoadOrStore(w.name, sync.OnceValues(w.train))
	return once.(func() ([]float64, map[string]*tensor.Tensor))()
}

var references sync.Map

func (w way) train() (seen []float64, weights map[string]*tensor.Tensor) {
	model := perceptron(0)
	seen = w.steps(model, func(t *tensor.Tensor) *tensor.Tensor { return t }, func(f func()) { f() },
		func(max float64) float64 { return nn.ClipGradNorm(nn.Parameters(model), max) })
	return seen, nn.State(model)
}

// training wants of all stages the losses, norms and weights of a training on one device.
func training(g *dist.Group) error {
	for i, w := range ways {
		wanted, weights := w.alone()
		for stage := 1; stage <= 3; stage++ {
			dev := device.CPU
			if i == 1 && !(race.Enabled && (stage < 3 || g.Engine() != "local" || g.Size() != 2)) { // where what goes on at once is the same
				dev = device.CUDA(g.LocalRank())
			}
			if err := w.trained(g, stage, dev, wanted, weights); err != nil {
				return fmt.Errorf("%s, stage %d: %w", w.name, stage, err)
			}
		}
	}
	return nil
}

func (w way) trained(g *dist.Group, stage int, dev device.Device, wanted []float64, weights map[string]*tensor.Tensor) error {
	model, err := fsdp.NewFullyShardedDataParallel(perceptron(int64(g.Rank())), g, fsdp.Stage(stage), fsdp.On(dev))
	if err != nil {
		return err
	}
	each := rows / g.Size()
	mine := func(t *tensor.Tensor) *tensor.Tensor { return t.Narrow(0, g.Rank()*each, each).To(dev) }
	seen := tensor.FromSlice(w.steps(model, mine, model.NoSync, func(max float64) float64 { return model.ClipGradNorm(max) }))
	if err := g.AllReduce(seen, dist.Avg).Wait(ctx); err != nil {
		return err
	}
	if want := tensor.FromSlice(wanted); !seen.AllClose(want, 1e-9, 1e-9) {
		return fmt.Errorf("losses and norms\n%v, on one device\n%v", seen, want)
	}
	state, err := model.FullState(ctx)
	if err != nil {
		return err
	}
	if g.Rank() > 0 {
		return nil
	}
	if len(state) != len(weights) {
		return fmt.Errorf("%d parameters in the state, %d on one device", len(state), len(weights))
	}
	for name, want := range weights {
		if got := state[name]; !got.AllClose(want, 1e-9, 1e-9) {
			return fmt.Errorf("%s is\n%v, on one device\n%v", name, got, want)
		}
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
	ranktest.UnderMPI(t, "training")
}
