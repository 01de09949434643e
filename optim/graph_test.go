package optim_test

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"testing"

	"cresset/cuda"
	"cresset/device"
	"cresset/internal/devicetest"
	"cresset/internal/driver"
	"cresset/nn"
	"cresset/optim"
	"cresset/tensor"
)

// trainer is a model whose steps can be captured: they read x and y where they lie, and leave the loss behind.
type trainer struct {
	x, y, loss *tensor.Tensor
	net        *nn.Sequential
	opt        *optim.Algorithm
	params     []*tensor.Tensor
	step       func()
	after      func(n int) // step n, on the host
	broken     bool        // the next batch is not finite
}

// multilayer is a perceptron with dropout, AdamW, and a schedule of its learning rate.
func multilayer(dev device.Device) *trainer {
	tensor.ManualSeed(7)
	net := nn.NewSequential(nn.NewLinear(8, 16, nn.On(dev)), nn.NewReLU(), nn.NewDropout(0.5), nn.NewLinear(16, 4, nn.On(dev)))
	opt := optim.NewAdamW(nn.Parameters(net), optim.LR(0.01))
	schedule := optim.NewExponentialLR(opt, 0.9)
	t := &trainer{net: net, opt: opt, x: tensor.On(dev).Zeros(6, 8), y: tensor.On(dev).Zeros(6, 4), after: func(int) { schedule.Step() }}
	for _, p := range nn.Parameters(net) {
		t.params = append(t.params, p)
	}
	t.step = func() {
		opt.ZeroGrad()
		t.loss = tensor.MSELoss(net.Forward(t.x), t.y)
		t.loss.Backward()
		opt.Step()
	}
	return t
}

// batch puts the data of step n where the trainer reads it.
func (t *trainer) batch(n int) {
	for i, to := range []*tensor.Tensor{t.x, t.y} {
		to.CopyInPlace(tensor.Linspace(float64(i-n), float64(n+1), to.NumEl()).View(to.Shape()...))
	}
	if t.broken {
		t.x.Select(0, 1).FillInPlace(math.Inf(1))
		t.broken = false
	}
}

// run takes steps, eagerly or from the third on by a graph, and returns the losses and the parameters in the end.
func (m *trainer) run(t *testing.T, steps int, graphed bool) (losses, weights []float32) {
	t.Helper()
	next := func() error { m.step(); return nil }
	for n := range steps {
		if graphed && n == 2 {
			g, err := cuda.Capture(next)
			if err != nil {
				t.Fatal(err)
			}
			defer g.Close()
			next = g.Replay
		}
		m.batch(n)
		if err := next(); err != nil {
			t.Fatal(err)
		}
		m.after(n)
		losses = append(losses, float32(m.loss.Float64()))
	}
	for _, p := range m.params {
		weights = append(weights, tensor.Values[float32](p.Detach())...)
	}
	return losses, weights
}

// sameBits compares float32 numbers, NaN too.
func sameBits(got, want []float32) bool {
	return slices.EqualFunc(got, want, func(a, b float32) bool { return math.Float32bits(a) == math.Float32bits(b) })
}

// TestGraphsTrainAsEagerSteps: five steps that a graph replays, after two eager ones, have the bits of seven eager ones.
func TestGraphsTrainAsEagerSteps(t *testing.T) {
	devicetest.Use(t, "h100:1")
	losses, weights := multilayer(device.CUDA(0)).run(t, 7, false)
	got, own := multilayer(device.CUDA(0)).run(t, 7, true)
	if !sameBits(got, losses) {
		t.Errorf("losses are %v, want %v", got, losses)
	}
	if !sameBits(own, weights) {
		t.Errorf("weights are %v, want %v", own, weights)
	}
}

// TestGradScalerInGraphs: replays skip steps whose gradients are not finite, scale by what the replay before left, and count steps, as eager steps do.
func TestGradScalerInGraphs(t *testing.T) {
	devicetest.Use(t, "h100:1")
	run := func(graphed bool) (weights []float32, states string) {
		m := multilayer(device.CUDA(0))
		scaler := optim.NewGradScaler(optim.InitScale(256), optim.GrowthInterval(2))
		m.step = func() {
			m.opt.ZeroGrad()
			m.loss = tensor.MSELoss(m.net.Forward(m.x), m.y)
			scaler.Scale(m.loss).Backward()
			scaler.Unscale(m.opt)
			scaler.Step(m.opt)
			scaler.Update()
		}
		m.after = func(n int) {
			if n == 2 || n == 4 || n == 5 { // the steps that follow are skipped
				m.broken = true
			}
		}
		_, weights = m.run(t, 9, graphed)
		return weights, fmt.Sprint(scaler.StateDict(), stateOf(m.opt))
	}
	weights, states := run(false)
	own, ownStates := run(true)
	if !sameBits(own, weights) {
		t.Errorf("weights are %v, want %v", own, weights)
	}
	if ownStates != states {
		t.Errorf("states are %s, want %s", ownStates, states)
	}
	m := multilayer(device.CUDA(0))
	scaler := optim.NewGradScaler()
	_, err := cuda.Capture(func() error { scaler.Scale(m.x); return nil })
	if err == nil || !strings.Contains(err.Error(), "take a step before the capture") {
		t.Errorf("the first loss that is scaled: %v", err)
	}
}

// TestEveryOptimizerInAGraph: replays count steps and follow the learning rate, whatever the optimizer makes of them.
func TestEveryOptimizerInAGraph(t *testing.T) {
	devicetest.Use(t, "a100")
	dev := device.CUDA(0)
	for _, name := range slices.Sorted(maps.Keys(fusedSteps)) {
		t.Run(name, func(t *testing.T) {
			run := func(graphed bool) (weights []float32, states string) {
				a, b := tensor.Parameter(tensor.Linspace(-1, 1, 6).To(dev)), tensor.Parameter(tensor.Linspace(1, 2, 40).View(5, 8).To(dev))
				ps := []*tensor.Tensor{a, b}
				opt := fusedSteps[name](parametersOf(ps))
				for _, p := range ps {
					p.SetGrad(tensor.ZerosLike(p.Detach()))
				}
				next := func() error { opt.Step(); return nil }
				for n := range 5 {
					if graphed && n == 2 {
						g, err := cuda.Capture(next)
						if err != nil {
							t.Fatal(err)
						}
						defer g.Close()
						next = g.Replay
					}
					for i, p := range ps {
						p.Grad().CopyInPlace(tensor.Linspace(float64(-n), float64(i+1), p.NumEl()).View(p.Shape()...))
					}
					opt.Groups()[0].LR *= 0.9
					if err := next(); err != nil {
						t.Fatal(err)
					}
				}
				return append(tensor.Values[float32](a.Detach()), tensor.Values[float32](b.Detach())...), stateOf(opt)
			}
			weights, states := run(false)
			if own, ownStates := run(true); !sameBits(own, weights) || ownStates != states {
				t.Errorf("weights are %v, want %v; states %s, want %s", own, weights, ownStates, states)
			}
		})
	}
}

// TestStepsThatGraphsRefuse: steps made of numbers of the host, counts of averages, and states that were replaced.
func TestStepsThatGraphsRefuse(t *testing.T) {
	devicetest.Use(t, "h100:1")
	dev := device.CUDA(0)
	m := multilayer(dev)
	m.batch(0)
	m.step()
	matrices := parametersOf(m.params[:1])
	average := optim.NewAveragedModel(m.net)
	for what, f := range map[string]func(){
		"the step of Muon is made of ops with numbers of the host":      optim.NewMuon(matrices).Step,
		"the step of Adafactor is made of ops with numbers of the host": optim.NewAdafactor(matrices).Step,
		"UpdateParameters counts on the host":                           func() { average.UpdateParameters(m.net) },
	} {
		_, err := cuda.Capture(func() error { f(); return nil })
		if err == nil || !strings.Contains(err.Error(), what) {
			t.Errorf("got %v, want: %s", err, what)
		}
	}
	before := stateOf(m.opt)
	g, err := cuda.Capture(func() error { m.step(); return nil })
	if err != nil {
		t.Fatal(err)
	}
	defer g.Close()
	if after := stateOf(m.opt); after != before {
		t.Errorf("a capture made the states %s, want %s", after, before)
	}
	if err := m.opt.LoadStateDict(m.opt.StateDict()); err != nil {
		t.Fatal(err)
	}
	if err := g.Replay(); err == nil || !strings.Contains(err.Error(), "whose state was replaced") {
		t.Errorf("after LoadStateDict: %v", err)
	}
	if after := stateOf(m.opt); after != before {
		t.Errorf("a replay that failed made the states %s, want %s", after, before)
	}
}

// TestReplaysThatFailCountNothing: after a launch that the driver refuses, generators and steps are as before, and the next replay is as if nothing had
// been.
func TestReplaysThatFailCountNothing(t *testing.T) {
	gpus := devicetest.Use(t, "h100:1")
	run := func(fails bool) []float32 {
		m := multilayer(device.CUDA(0))
		m.batch(0)
		m.step()
		g, err := cuda.Capture(func() error { m.step(); return nil })
		if err != nil {
			t.Fatal(err)
		}
		defer g.Close()
		for n := range 3 {
			if fails && n == 1 {
				before := stateOf(m.opt)
				for _, symbol := range []string{"cuGraphLaunch", "cuGraphExecKernelNodeSetParams*"} {
					gpus.Fail(symbol, 0, driver.ErrInvalidValue)
					if err := g.Replay(); err == nil {
						t.Errorf("%s fails, and the replay does not", symbol)
					}
				}
				if after := stateOf(m.opt); after != before {
					t.Errorf("replays that failed made the states %s, want %s", after, before)
				}
			}
			if err := g.Replay(); err != nil {
				t.Fatal(err)
			}
		}
		return tensor.Values[float32](m.params[0].Detach())
	}
	if got, want := run(true), run(false); !sameBits(got, want) {
		t.Errorf("weights are %v, want %v", got, want)
	}
}
