package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"cresset/device"
	"cresset/dtype"
	"cresset/tensor"
	"cresset/text/generation"
)

type generateCommand struct {
	Model             string        `arg:"" help:"Folder of a model with config.json, weights and tokenizer.json, as Hugging Face's transformers writes it, or of cresset train --model gpt --save, of which the best snapshot is taken, or one of these."`
	Prompts           []string      `arg:"" optional:"" name:"prompt" help:"Texts to go on from, as one batch; - or none is read from stdin."`
	Prompt            []string      `placeholder:"TEXT" help:"One more text to go on from; - is read from stdin."`
	MaxTokens         int           `default:"100" placeholder:"N" help:"Tokens to add to each text. Beyond the model's positions it sees the last half of them."`
	Temperature       *float64      `placeholder:"T" help:"Draw tokens by their scores divided by this; 0 takes the likeliest. Unless given, the model's folder says; 0.8 for snapshots."`
	TopK              *int          `placeholder:"K" help:"Draw from the K likeliest tokens; 0 stands for all."`
	TopP              *float64      `placeholder:"P" help:"Draw from the likeliest tokens whose probabilities first add up to P; 0 and 1 stand for all."`
	MinP              *float64      `placeholder:"P" help:"Draw from tokens of at least P times the greatest probability."`
	RepetitionPenalty *float64      `placeholder:"P" help:"Make tokens that are there already less likely by this factor."`
	Stop              []string      `placeholder:"TEXT" help:"End before this text, or before the first of several."`
	Seed              int64         `default:"0" help:"Seed of what is drawn; equal seeds give equal texts."`
	Device            device.Device `default:"cpu" help:"Device to compute on."`
	DType             *dtype.DType  `name:"dtype" placeholder:"TYPE" help:"float64, float32, float16 or bfloat16; that of the model's folder unless given."`
	Quantize          string        `enum:",int8,int8-dynamic,int4,int4-64,int4-32" default:"" placeholder:"FORM" help:"Make the weights of linear layers int8, int8 with inputs of int8 (int8-dynamic), or int4 in groups of 128 (int4), 64 or 32, as they are read; the CPU alone computes with them."`
	Compile           bool          `help:"Compile the step behind the prompts: what follows each other element by element is one kernel."`
	Graph             bool          `help:"On a GPU, do each step behind the prompts by one launch, as a graph."`
	JSON              bool          `name:"json" help:"Print a JSON object on stdout when all is done."`
}

// Help tells what comes where.
func (c *generateCommand) Help() string {
	return `Prints each text as it grows; several prompts are printed when they are done. How fast it went comes on stderr, with the share of the memory's bandwidth
at which the weights were read, once for the tokens of a step.

Exit codes: 0 done, 1 failed, 2 wrong usage, 130 interrupted, 143 terminated; what was written by then is printed all the same.`
}

// Validate refuses figures that make no sense; package flags calls it.
func (c *generateCommand) Validate() error {
	bad := func(v *float64, most float64) bool { return v != nil && !(*v >= 0 && *v <= most) }
	switch {
	case c.MaxTokens < 1:
		return fmt.Errorf("--max-tokens must be at least 1, not %d", c.MaxTokens)
	case bad(c.Temperature, math.MaxFloat32):
		return fmt.Errorf("--temperature must be a number from 0 on, not %v", *c.Temperature)
	case c.TopK != nil && *c.TopK < 0:
		return fmt.Errorf("--top-k must not be negative, not %d", *c.TopK)
	case bad(c.TopP, 1):
		return fmt.Errorf("--top-p must be from 0 to 1, not %v", *c.TopP)
	case bad(c.MinP, 1):
		return fmt.Errorf("--min-p must be from 0 to 1, not %v", *c.MinP)
	case bad(c.RepetitionPenalty, math.MaxFloat32):
		return fmt.Errorf("--repetition-penalty must be a number from 0 on, not %v", *c.RepetitionPenalty)
	case slices.Contains(c.Stop, ""):
		return errors.New("--stop must be a text that is not empty")
	case c.Graph && !c.Device.IsCUDA():
		return noGraph(c.Device)
	case c.DType != nil && !c.DType.IsFloat():
		return fmt.Errorf("--dtype must be float64, float32, float16 or bfloat16, not %s", c.DType.Name())
	}
	return nil
}

// Run writes on from the prompts.
func (c *generateCommand) Run(s *session) error {
	prompts, err := c.prompts(os.Stdin)
	if err != nil {
		return err
	}
	dev, err := place(c.Device)
	if err != nil {
		return err
	}
	m, err := s.languageModel(c.Model, dev, c.DType, c.Quantize)
	if err != nil {
		return err
	}
	o := m.usual
	c.change(&o)
	tensor.ManualSeed(c.Seed)
	w := &writing{languageModel: m, prompts: prompts, streamed: len(prompts) == 1 && !c.JSON, texts: make([]strings.Builder, len(prompts))}
	if err := w.count(s); err != nil {
		return err
	}
	simulated := s.simulated(dev)
	err = w.write(s, o, c.Stop)
	stopped := err != nil && errors.Is(err, context.Canceled)
	if err != nil && !stopped {
		return err
	}
	if err := c.print(s, w, dev, simulated, stopped); err != nil {
		return err
	}
	if stopped {
		return interrupted(s.ctx)
	}
	return nil
}

// prompts returns the texts to go on from.
func (c *generateCommand) prompts(stdin io.Reader) ([]string, error) {
	prompts := slices.Concat(c.Prompts, c.Prompt)
	if len(prompts) == 0 {
		prompts = []string{"-"}
	}
	for i, p := range prompts {
		if p != "-" {
			continue
		}
		text, err := io.ReadAll(stdin)
		if err != nil {
			return nil, err
		}
		prompts[i] = strings.TrimSuffix(string(text), "\n")
	}
	return prompts, nil
}

// change puts the flags that are given in the place of what the model's folder says.
func (c *generateCommand) change(o *generation.Options) {
	o.MaxTokens, o.Rolling, o.Compile, o.Graph = c.MaxTokens, true, c.Compile, c.Graph
	for to, given := range map[*float64]*float64{&o.Temperature: c.Temperature, &o.TopP: c.TopP, &o.MinP: c.MinP, &o.RepetitionPenalty: c.RepetitionPenalty} {
		if given != nil {
			*to = *given
		}
	}
	if c.TopK != nil {
		o.TopK = *c.TopK
	}
}

// writing is what cresset generate does, and how far it is.
type writing struct {
	*languageModel
	prompts  []string
	streamed bool // the text is printed as it grows

	texts       []strings.Builder // without the prompts
	read        int               // tokens of the prompts
	added       int
	steps       int
	first, rest time.Duration // to the first tokens, and from there on
}

// count counts the tokens of the prompts, and tells what the model will not see of them.
func (w *writing) count(s *session) error {
	for _, p := range w.prompts {
		e, err := w.words.Encode(p)
		if err != nil {
			return err
		}
		w.read += e.Len()
		if most := w.model.MaxPositions(); e.Len() > most {
			fmt.Fprintf(s.stderr, "cresset: a prompt has %d tokens, of which the model sees the last %d\n", e.Len(), most)
		}
		if missing := w.unknown(p); missing != "" {
			fmt.Fprintf(s.stderr, "cresset: the model does not know %s, and passes over it\n", printable(strconv.Quote(missing)))
		}
	}
	return nil
}

// write prints a text as it grows, or collects several.
func (w *writing) write(s *session, o generation.Options, stop []string) error {
	start := time.Now()
	for pieces, err := range generation.Texts(s.ctx, w.model, w.words, w.prompts, o, stop...) {
		if err != nil {
			return err
		}
		if w.first == 0 {
			w.first = time.Since(start)
			if w.streamed {
				fmt.Fprint(s.stdout, w.prompts[0])
			}
		}
		for i, p := range pieces {
			w.texts[i].WriteString(p.Text)
			if !p.Ended {
				w.added++
			}
		}
		if w.streamed {
			fmt.Fprint(s.stdout, pieces[0].Text)
		}
		w.steps++
		w.rest = time.Since(start) - w.first
	}
	return nil
}
