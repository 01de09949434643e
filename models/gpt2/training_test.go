package gpt2_test

import (
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"cresset/device"
	"cresset/dtype"
	"cresset/internal/devicetest"
	"cresset/models/gpt2"
	"cresset/nn"
	"cresset/nn/nninit"
	"cresset/optim"
	"cresset/tensor"
)

// training is a GPT on characters as PyTorch 2.15 trained it: where each batch's rows begin in the text, and what came out.
type training struct {
	Seed int64 `json:"init_seed"`
	Text struct{ Characters string }
	// Starts are those of each step's rows, HeldStarts of the batches that judge.
	Starts     [][]int
	HeldStarts [][]int `json:"held_starts"`
	LR         []float64
	Runs       map[string]struct {
		Losses     []float64
		GradNorms  []float64 `json:"grad_norms"`
		EvalBefore float64   `json:"eval_before"`
		EvalAfter  float64   `json:"eval_after"`
	}
}

const block = 64 // characters in a row

// recordedTraining returns what was recorded, and the characters to learn from and those to judge by.
func recordedTraining(t *testing.T) (want training, train, held []int64) {
	path := filepath.Join(os.Getenv("CRESSET_DATA"), "text", "tinyshakespeare.txt")
	text, err := os.ReadFile(path)
	if err != nil {
		t.Skip("the text is in the data sets' folder, which CRESSET_DATA names: ", err)
	}
	recorded, err := os.ReadFile("testdata/chargpt_torch215.json")
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(recorded, &want); err != nil {
		t.Fatal(err)
	}
	ids := make([]int64, len(text))
	for i, c := range text {
		ids[i] = int64(slices.Index([]byte(want.Text.Characters), c))
	}
	return want, ids[:len(ids)*9/10], ids[len(ids)*9/10:]
}

// isMatrix chooses the parameters that have weight decay.
func isMatrix(_ string, p *tensor.Tensor) bool { return p.Dim() >= 2 }

// TestTrainsInMixedPrecision compares losses within Autocast with those within torch.autocast: all on a CPU, the first on a GPU.
func TestTrainsInMixedPrecision(t *testing.T) {
	want, train, _ := recordedTraining(t)
	steps := map[bool]int{false: len(want.Starts), true: 2} // a simulated GPU is slow
	devicetest.Run(t, func(t *testing.T, dev device.Device) {
		m := nn.To(drawn(t, want.Seed), dev)
		opt := optim.NewAdamW(nn.Parameters(m), optim.Betas(0.9, 0.95), optim.WeightDecay(0), optim.For(isMatrix, optim.WeightDecay(0.1)))
		for step, starts := range want.Starts[:steps[dev.IsCUDA()]] {
			for _, g := range opt.Groups() {
				g.LR = want.LR[step]
			}
			s := tensor.NewScope(tensor.Autocast(dtype.BFloat16))
			x, y := rowsOf(train, starts)
			logits := m.Forward(s.Enter(x.To(dev)))
			l := tensor.CrossEntropy(logits.Flatten(0, 1), y.To(dev))
			if got, recorded := l.Float64(), want.Runs["bfloat16 autocast"].Losses[step]; logits.DType() != dtype.BFloat16 || !(math.Abs(got-recorded) <= 3e-2) {
				t.Errorf("step %d: the loss of %v logits is %v, %v is recorded", step, logits.DType(), got, recorded)
			}
			opt.ZeroGrad()
			l.Backward()
			s.Close()
			nn.ClipGradNorm(nn.Parameters(m), 1)
			opt.Step()
		}
	})
}

// TestTrainsAsPyTorch draws a GPT's weights from the recorded seed, trains it on the recorded batches, and compares each loss and each gradient's norm.
func TestTrainsAsPyTorch(t *testing.T) {
	want, train, held := recordedTraining(t)
	m := drawn(t, want.Seed)
	run := want.Runs["float32"]
	opt := optim.NewAdamW(nn.Parameters(m), optim.Betas(0.9, 0.95), optim.WeightDecay(0), optim.For(isMatrix, optim.WeightDecay(0.1)))
	judge := func() (sum float64) {
		for _, starts := range want.HeldStarts {
			sum += loss(nn.Frozen(m), held, starts).Float64()
		}
		return sum / float64(len(want.HeldStarts))
	}
	near(t, "the loss of other text before", judge(), run.EvalBefore)
	for step, starts := range want.Starts {
		for _, g := range opt.Groups() {
			g.LR = want.LR[step]
		}
		l := loss(m, train, starts)
		near(t, "loss", l.Float64(), run.Losses[step])
		opt.ZeroGrad()
		l.Backward()
		near(t, "norm of gradients", nn.ClipGradNorm(nn.Parameters(m), 1), run.GradNorms[step])
		opt.Step()
	}
	near(t, "the loss of other text after", judge(), run.EvalAfter)
}

func near(t *testing.T, what string, got, want float64) {
	t.Helper()
	if !(math.Abs(got-want) <= 1e-3*max(1, math.Abs(want))) {
		t.Errorf("%s is %v, %v is recorded", what, got, want)
	}
}

// loss returns the loss of rows of characters that begin somewhere in a text.
func loss(m *gpt2.Model, text []int64, starts []int) *tensor.Tensor {
	x, y := rowsOf(text, starts)
	return tensor.CrossEntropy(m.Forward(x).Flatten(0, 1), y)
}

// rowsOf returns rows of characters, and what follows each of them.
func rowsOf(text []int64, starts []int) (x, y *tensor.Tensor) {
	var rows, next [][]int64
	for _, i := range starts {
		rows, next = append(rows, text[i:i+block]), append(next, text[i+1:i+1+block])
	}
	return tensor.Of(rows), tensor.Of(next).Flatten(0, -1)
}

// drawn returns the model with the weights that PyTorch draws from a seed: it first draws those of each layer when it makes it, then all of them anew.
func drawn(t *testing.T, seed int64) *gpt2.Model {
	t.Helper()
	const layers, width = 2, 64
	m, err := gpt2.New(gpt2.Config{Vocabulary: 65, Width: width, Layers: layers, Heads: 4, Positions: block, Activation: "gelu"}, nn.As(dtype.Float32))
	if err != nil {
		t.Fatal(err)
	}
	tensor.ManualSeed(seed)
	nn.NewEmbedding(65, width)
	nn.NewEmbedding(block, width)
	for range layers {
		nn.NewLinear(width, 3*width)
		nn.NewLinear(width, width)
		nn.NewLinear(width, 4*width)
		nn.NewLinear(4*width, width)
	}
	nn.NewLinear(width, 65, nn.Bias(false))
	normal := func(p *tensor.Tensor, deviation float64) { nninit.Normal(p, 0, deviation, nil) }
	transposed := func(c *gpt2.Conv1D, deviation float64) {
		w := tensor.Empty(c.Weight.Size(1), c.Weight.Size(0))
		normal(w, deviation)
		c.Weight.Detach().CopyInPlace(w.T())
	}
	normal(m.Body.Tokens.Weight, 0.02)
	normal(m.Body.Positions.Weight, 0.02)
	for _, l := range m.Body.Layers {
		transposed(l.Attention.Input, 0.02)
		transposed(l.Attention.Output, 0.02/2)
		transposed(l.MLP.Input, 0.02)
		transposed(l.MLP.Output, 0.02/2)
	}
	return m
}
