package cli

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
)

// stepFlags are about the steps of any training.
type stepFlags struct {
	WeightDecay *float64 `placeholder:"RATE" help:"Weight decay of matrices; biases and norms have none. 0.1 unless given for vit and gpt with adamw."`
	Schedule    string   `enum:",constant,cosine" default:"" placeholder:"NAME" help:"Learning rate after the warm-up: constant, or cosine, which falls to a tenth; cosine unless given for vit and gpt."`
	Warmup      *int     `placeholder:"N" help:"Steps in which the learning rate rises; a twentieth of all unless given for vit and gpt, none for others."`
	Clip        *float64 `placeholder:"NORM" help:"Scale gradients down to this norm; 0 leaves them. 1 unless given for vit and gpt."`
	AMP         string   `name:"amp" enum:",bf16,f16" default:"" placeholder:"TYPE" help:"Mixed precision: bf16, or f16 with scaled losses."`
	Graph       bool     `help:"On a GPU, do each step behind the first by one launch, as a graph: one for each size of a batch."`
	Accumulate  *int     `placeholder:"N" help:"Batches whose gradients make one step; 1 unless given."`
}

// transformerFlags are the sizes of vit and gpt.
type transformerFlags struct {
	Layers  *int     `placeholder:"N" help:"Layers of vit or gpt; 2 unless given, 4 for vit."`
	Heads   *int     `placeholder:"N" help:"Heads of each layer's attention; 4 unless given."`
	Width   *int     `placeholder:"N" help:"Width of the layers; 128 unless given, 64 for vit."`
	Dropout *float64 `placeholder:"P" help:"Share of activations that are dropped; 0 unless given."`
	Patch   *int     `placeholder:"N" help:"Pixels on a side of vit's patches; a quarter of the picture's unless given."`

	GradientCheckpointing bool `help:"Keep the input of each layer alone for the gradients and compute the rest again: less memory, more time."`
}

// languageFlags are about text.
type languageFlags struct {
	Text       *string `placeholder:"FILE" help:"Text that gpt learns from; its last tenth judges the model."`
	Tokenizer  *string `enum:"chars,bpe" placeholder:"KIND" help:"chars, or bpe, which is trained on the text; chars unless given."`
	Vocab      *int    `placeholder:"N" help:"Tokens of bpe; 1024 unless given."`
	Context    *int    `placeholder:"N" help:"Tokens that gpt sees at most; 64 unless given."`
	Steps      *int    `placeholder:"N" help:"Steps of gpt's training; 3500 unless given."`
	JudgeEvery *int    `placeholder:"N" help:"Judge gpt and let it write after every N steps; after each fifth of all unless given."`
}

// maxEpochs keeps the count of samples far from overflow.
const maxEpochs = 1_000_000_000

// Validate refuses figures that make no sense, and flags that do not fit the model; package flags calls it.
func (c *trainCommand) Validate() error {
	switch {
	case c.Data != nil && *c.Data == "":
		return errors.New("--data must name a folder; leave it out for digits drawn from fonts")
	case c.Language.Text != nil && *c.Language.Text == "":
		return errors.New("--text must name a file; leave it out for plays of Shakespeare")
	case c.Epochs != nil && (*c.Epochs < 1 || *c.Epochs > maxEpochs):
		return fmt.Errorf("--epochs must be from 1 to %d, not %d", maxEpochs, *c.Epochs)
	case !(c.LR >= 0) || math.IsInf(c.LR, 1):
		return fmt.Errorf("--lr must be a positive number, not %v", c.LR)
	case c.Samples != nil && *c.Samples < 0:
		return fmt.Errorf("--samples must not be negative, not %d", *c.Samples)
	case c.Save != nil && *c.Save == "":
		return errors.New("--save must name a folder")
	case c.Save == nil && (c.Resume || c.Keep != nil || c.Every != interval{}):
		return errors.New("--every, --keep and --resume want the folder of --save")
	case c.Plan && c.Distributed:
		return errors.New("--plan trains nothing, so that --distributed has nothing to divide")
	case c.Timeout != 0 && !c.Distributed:
		return errors.New("--timeout is for --distributed")
	case c.Timeout < 0:
		return fmt.Errorf("--timeout must be positive, not %v", c.Timeout)
	case c.Plan && c.Save != nil:
		return errors.New("--plan trains nothing, so that --save has nothing to keep")
	case c.Plan && c.Step.AMP != "":
		return errors.New("--plan tells of float32 alone, not of --amp")
	case c.Plan && c.Step.Graph:
		return errors.New("--plan trains nothing, so that --graph has nothing to replay")
	case c.Step.Graph && !c.Device.IsCUDA():
		return noGraph(c.Device)
	case c.Step.Graph && c.Distributed:
		return errors.New("--graph is for one rank: with --distributed ranks meet on the host within a step")
	case c.Profile != nil && *c.Profile == "":
		return errors.New("--profile must name a file")
	case c.Plan && c.Profile != nil:
		return errors.New("--plan trains nothing, so that --profile has nothing to record")
	case c.Plan && c.Trace != "":
		return errors.New("--plan trains nothing, so that --trace has nothing to count")
	}
	if err := c.unfit(); err != nil {
		return err
	}
	return c.figures()
}

// unfit names the first flag that is given and says nothing about the model.
func (c *trainCommand) unfit() error {
	t, l := &c.Transformer, &c.Language
	for _, f := range []struct {
		name   string
		given  bool
		models string
	}{
		{"data", c.Data != nil, "mlp, cnn or vit"},
		{"samples", c.Samples != nil, "mlp, cnn or vit"},
		{"epochs", c.Epochs != nil, "mlp, cnn or vit"},
		{"layers", t.Layers != nil, "vit or gpt"},
		{"heads", t.Heads != nil, "vit or gpt"},
		{"width", t.Width != nil, "vit or gpt"},
		{"dropout", t.Dropout != nil, "vit or gpt"},
		{"gradient-checkpointing", t.GradientCheckpointing, "vit or gpt"},
		{"patch", t.Patch != nil, "vit"},
		{"text", l.Text != nil, "gpt"},
		{"tokenizer", l.Tokenizer != nil, "gpt"},
		{"vocab", l.Vocab != nil, "gpt"},
		{"context", l.Context != nil, "gpt"},
		{"steps", l.Steps != nil, "gpt"},
		{"judge-every", l.JudgeEvery != nil, "gpt"},
	} {
		fits := slices.Contains(strings.FieldsFunc(f.models, func(r rune) bool { return r == ',' || r == ' ' }), c.Model)
		if f.given && !fits {
			return fmt.Errorf("--%s is for --model %s, not %s", f.name, f.models, c.Model)
		}
	}
	if l.Vocab != nil && (l.Tokenizer == nil || *l.Tokenizer != "bpe") {
		return errors.New("--vocab is for --tokenizer bpe; the text has as many characters as it has")
	}
	return nil
}

// figures refuses numbers out of their bounds.
func (c *trainCommand) figures() error {
	t, l := &c.Transformer, &c.Language
	for _, f := range []struct {
		name  string
		given *int
		least int
	}{
		{"batch", c.Batch, 1}, {"keep", c.Keep, 1}, {"warmup", c.Step.Warmup, 0}, {"accumulate", c.Step.Accumulate, 1},
		{"layers", t.Layers, 1}, {"heads", t.Heads, 1}, {"width", t.Width, 1}, {"patch", t.Patch, 1},
		{"vocab", l.Vocab, 256}, {"context", l.Context, 1}, {"steps", l.Steps, 1}, {"judge-every", l.JudgeEvery, 1},
	} {
		switch {
		case f.given == nil:
		case *f.given < f.least && f.least == 0:
			return fmt.Errorf("--%s must not be negative, not %d", f.name, *f.given)
		case *f.given < f.least:
			return fmt.Errorf("--%s must be at least %d, not %d", f.name, f.least, *f.given)
		case *f.given > maxEpochs:
			return fmt.Errorf("--%s must be at most %d, not %d", f.name, maxEpochs, *f.given)
		}
	}
	for name, given := range map[string]*float64{"weight-decay": c.Step.WeightDecay, "clip": c.Step.Clip} {
		if given != nil && !(*given >= 0 && *given <= math.MaxFloat32) {
			return fmt.Errorf("--%s must not be negative, not %v", name, *given)
		}
	}
	if p := t.Dropout; p != nil && !(*p >= 0 && *p < 1) {
		return fmt.Errorf("--dropout must be at least 0 and below 1, not %v", *p)
	}
	if width, heads := or(t.Width, c.usualWidth()), or(t.Heads, usualHeads); width%heads != 0 {
		return fmt.Errorf("--heads %d do not divide --width %d", heads, width)
	}
	return nil
}

// usualHeads is what vit and gpt have unless told otherwise.
const usualHeads = 4

func (c *trainCommand) usualLayers() int {
	if c.Model == "vit" {
		return 4
	}
	return 2
}

func (c *trainCommand) usualWidth() int {
	if c.Model == "vit" {
		return 64
	}
	return 128
}

// or returns what a flag says, or what is usual where it is not given.
func or[T any](given *T, usual T) T {
	if given == nil {
		return usual
	}
	return *given
}
