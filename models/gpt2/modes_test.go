package gpt2_test

import (
	"flag"
	"math"
	"slices"
	"testing"

	"cresset/cuda"
	"cresset/device"
	"cresset/dtype"
	"cresset/internal/devicetest"
	"cresset/internal/race"
	"cresset/nn"
	"cresset/optim"
	"cresset/tensor"
)

// modeSteps is how many of the recorded steps are taken in each mode: a simulated GPU is slow.
var modeSteps = flag.Int("steps", 2, "how many of the 60 recorded steps TestModesTrainAlike takes")

// TestModesTrainAlike trains the recorded GPT in bfloat16 on GPUs with tensor cores, op by op, and compiled, as a graph from the second step on: losses
// near those of PyTorch, and the same bits.
func TestModesTrainAlike(t *testing.T) {
	if race.Enabled {
		t.Skip("it looks at values, and the interpreter is slow under the race detector")
	}
	want, train, _ := recordedTraining(t)
	for _, card := range []string{"a100:1", "h100:1"} {
		t.Run(card, func(t *testing.T) {
			devicetest.Use(t, card)
			eager := trainedIn(t, want, train, false)
			for step, got := range eager {
				if recorded := want.Runs["bfloat16 autocast"].Losses[step]; !(math.Abs(got-recorded) <= 3e-2) {
					t.Errorf("step %d: the loss is %v, %v is recorded", step, got, recorded)
				}
			}
			if compiled := trainedIn(t, want, train, true); !slices.Equal(compiled, eager) {
				t.Errorf("compiled, and as a graph: losses %v, want %v", compiled, eager)
			}
		})
	}
}

// trainedIn returns the losses of some steps, of which a graph replays those after the first where they are compiled.
func trainedIn(t *testing.T, want training, train []int64, compiled bool) (losses []float64) {
	dev := device.CUDA(0)
	m := nn.To(drawn(t, want.Seed), dev)
	opt := optim.NewAdamW(nn.Parameters(m), optim.Betas(0.9, 0.95), optim.WeightDecay(0), optim.For(isMatrix, optim.WeightDecay(0.1)))
	lossOf := func(x, y *tensor.Tensor) *tensor.Tensor { return tensor.CrossEntropy(m.Forward(x).Flatten(0, 1), y) }
	if compiled {
		lossOf = tensor.Compile(lossOf)
	}
	rows, next := rowsOf(train, want.Starts[0])
	x, y, loss := rows.To(dev), next.To(dev), tensor.On(dev).Zeros()
	step := func() error {
		s := tensor.NewScope(tensor.Autocast(dtype.BFloat16))
		defer s.Close()
		opt.ZeroGrad()
		l := lossOf(s.Enter(x), y)
		l.Backward()
		nn.ClipGradNormOnDevice(nn.Parameters(m), 1)
		opt.Step()
		loss.CopyInPlace(l.Detach())
		return nil
	}
	run := step
	for n, starts := range want.Starts[:*modeSteps] {
		if n == 1 && compiled {
			g, err := cuda.Capture(step)
			if err != nil {
				t.Fatal(err)
			}
			defer g.Close()
			run = g.Replay
		}
		for _, g := range opt.Groups() {
			g.LR = want.LR[n]
		}
		rows, next := rowsOf(train, starts)
		x.CopyInPlace(rows)
		y.CopyInPlace(next)
		if err := run(); err != nil {
			t.Fatal(err)
		}
		losses = append(losses, loss.Float64())
	}
	return losses
}
