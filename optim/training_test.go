package optim_test

import (
	"encoding/json"
	"math"
	"os"
	"testing"

	"cresset/nn"
	"cresset/optim"
	"cresset/tensor"
)

// recording is a training run of PyTorch 2.6; testdata/training_torch26.json says how it was made.
type recording struct {
	Seed        int64     `json:"seed"`
	Steps       int       `json:"steps"`
	Losses      []float64 `json:"losses"`
	LastWeights []float64 `json:"last_weights"` // the sum of each parameter
}

func readRecordings(t *testing.T) map[string]recording {
	t.Helper()
	raw, err := os.ReadFile("testdata/training_torch26.json")
	if err != nil {
		t.Fatal(err)
	}
	var file struct {
		Training map[string]recording `json:"training"`
	}
	if err := json.Unmarshal(raw, &file); err != nil {
		t.Fatal(err)
	}
	return file.Training
}

func mlp() *nn.Sequential {
	return nn.NewSequential(nn.NewLinear(20, 32), nn.NewReLU(), nn.NewLinear(32, 5))
}

func cnn() *nn.Sequential {
	return nn.NewSequential(
		nn.NewConv2D(1, 4, 3, nn.Padding(1)), nn.NewBatchNorm2D(4), nn.NewReLU(), nn.NewMaxPool2D(2),
		nn.NewFlatten(), nn.NewLinear(64, 5))
}

func sgd(opts ...optim.SGDOption) func(*nn.Sequential) optim.Optimizer {
	return func(net *nn.Sequential) optim.Optimizer { return optim.NewSGD(nn.Parameters(net), opts...) }
}

// trainings names, for each recording, the model, the shape of a sample, the optimizer and how closely losses agree.
var trainings = map[string]struct {
	model     func() *nn.Sequential
	shape     []int
	optimizer func(*nn.Sequential) optim.Optimizer
	within    float64
}{
	"mlp sgd lr=0.1": {mlp, []int{20}, sgd(optim.LR(0.1)), 1e-4},
	"mlp sgd lr=0.05 momentum=0.9 nesterov weight_decay=1e-3": {mlp, []int{20},
		sgd(optim.LR(0.05), optim.Momentum(0.9), optim.Nesterov(true), optim.WeightDecay(1e-3)), 1e-4},
	"mlp adam lr=1e-2": {mlp, []int{20}, func(net *nn.Sequential) optim.Optimizer {
		return optim.NewAdam(nn.Parameters(net), optim.LR(1e-2))
	}, 1e-4},
	"mlp adamw lr=1e-2 weight_decay=0.1": {mlp, []int{20}, func(net *nn.Sequential) optim.Optimizer {
		return optim.NewAdamW(nn.Parameters(net), optim.LR(1e-2), optim.WeightDecay(0.1))
	}, 1e-4},
	"cnn adam lr=1e-2": {cnn, []int{1, 8, 8}, func(net *nn.Sequential) optim.Optimizer {
		return optim.NewAdam(nn.Parameters(net), optim.LR(1e-2))
	}, 5e-4},
}

// TestTrainingFollowsPyTorch trains as the recordings did, from the seed alone: data, initial weights, all losses.
func TestTrainingFollowsPyTorch(t *testing.T) {
	recordings := readRecordings(t)
	if len(recordings) != len(trainings) {
		t.Fatalf("%d recordings, %d trainings", len(recordings), len(trainings))
	}
	for name, want := range recordings {
		t.Run(name, func(t *testing.T) {
			run, ok := trainings[name]
			if !ok {
				t.Fatal("no training of this name")
			}
			tensor.ManualSeed(want.Seed)
			x := tensor.Randn(append([]int{256}, run.shape...)...)
			y := tensor.RandInt(0, 5, 256)
			net := run.model()
			opt := run.optimizer(net)
			worst := 0.0
			for s := range want.Steps {
				i := s * 32 % 256
				opt.ZeroGrad()
				loss := tensor.CrossEntropy(net.Forward(x.Slice(0, i, i+32)), y.Slice(0, i, i+32))
				loss.Backward()
				opt.Step()
				off := math.Abs(loss.Float64()-want.Losses[s]) / want.Losses[s]
				worst = max(worst, off)
				if !(off <= run.within) {
					t.Fatalf("step %d: loss %v, PyTorch's is %v, %.1e off", s, loss.Float64(), want.Losses[s], off)
				}
			}
			t.Logf("largest relative difference of %d losses: %.1e", want.Steps, worst)
			i := 0
			for name, p := range nn.Parameters(net) {
				sum := p.Detach().Double().Sum().Float64()
				// Batch normalization takes the bias before it away again: its gradient is rounding noise, which Adam scales up.
				within := 0.02
				if name == "0.bias" && len(run.shape) == 3 {
					within = math.MaxFloat64
				}
				if off := math.Abs(sum - want.LastWeights[i]); !(off <= within) {
					t.Errorf("%s sums to %v, PyTorch's to %v", name, sum, want.LastWeights[i])
				}
				i++
			}
		})
	}
}
