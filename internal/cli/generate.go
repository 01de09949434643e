package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"strings"
	"time"

	"cresset/device"
	"cresset/dtype"
	"cresset/models"
	"cresset/nn"
	"cresset/tensor"
	"cresset/text/generation"
	"cresset/text/tokenizer"
)

type generateCommand struct {
	Model             string        `arg:"" help:"Folder of a model with config.json, weights and tokenizer.json, as Hugging Face's transformers writes it."`
	Prompts           []string      `arg:"" optional:"" name:"prompt" help:"Texts to go on from, as one batch; - or none is read from stdin."`
	MaxTokens         int           `default:"100" placeholder:"N" help:"Tokens to add to each text."`
	Temperature       *float64      `placeholder:"T" help:"Draw tokens by their scores divided by this; 0 takes the likeliest. Unless given, the model's folder says."`
	TopK              *int          `placeholder:"K" help:"Draw from the K likeliest tokens; 0 stands for all."`
	TopP              *float64      `placeholder:"P" help:"Draw from the likeliest tokens whose probabilities first add up to P."`
	MinP              *float64      `placeholder:"P" help:"Draw from tokens of at least P times the greatest probability."`
	RepetitionPenalty *float64      `placeholder:"P" help:"Make tokens that are there already less likely by this factor."`
	Stop              *string       `placeholder:"TEXT" help:"End before this text."`
	Seed              int64         `default:"0" help:"Seed of what is drawn; equal seeds give equal texts."`
	Device            device.Device `default:"cpu" help:"Device to compute on."`
	DType             *dtype.DType  `name:"dtype" placeholder:"TYPE" help:"float32, float16 or bfloat16; that of the model's folder unless given."`
	JSON              bool          `name:"json" help:"Print a JSON object on stdout when all is done."`
}

// Help tells what comes where.
func (c *generateCommand) Help() string {
	return `Prints each text as it grows; several prompts are printed when they are done. How fast it went comes on stderr.

Exit codes: 0 done, 1 failed, 2 wrong usage, 130 interrupted; what was written by then is printed all the same.`
}

// Validate refuses figures that make no sense; package flags calls it.
func (c *generateCommand) Validate() error {
	bad := func(v *float64, most float64) bool { return v != nil && !(*v >= 0 && *v <= most) }
	switch {
	case c.MaxTokens < 1:
		return fmt.Errorf("--max-tokens must be at least 1, not %d", c.MaxTokens)
	case bad(c.Temperature, math.MaxFloat32):
		return fmt.Errorf("--temperature must not be negative, not %v", *c.Temperature)
	case c.TopK != nil && *c.TopK < 0:
		return fmt.Errorf("--top-k must not be negative, not %d", *c.TopK)
	case bad(c.TopP, 1):
		return fmt.Errorf("--top-p must be from 0 to 1, not %v", *c.TopP)
	case bad(c.MinP, 1):
		return fmt.Errorf("--min-p must be from 0 to 1, not %v", *c.MinP)
	case bad(c.RepetitionPenalty, math.MaxFloat32):
		return fmt.Errorf("--repetition-penalty must not be negative, not %v", *c.RepetitionPenalty)
	case c.DType != nil && !c.DType.IsFloat():
		return fmt.Errorf("--dtype must be float32, float64, float16 or bfloat16, not %s", c.DType.Name())
	}
	return nil
}

// generated is what cresset generate --json prints.
type generated struct {
	Model       string   `json:"model"`
	Device      string   `json:"device"`
	DType       string   `json:"dtype"`
	Texts       []string `json:"texts"` // without the prompts
	Prompt      int      `json:"prompt_tokens"`
	Added       int      `json:"added_tokens"`
	FirstMS     float64  `json:"first_token_ms"` // reading the prompt
	Rate        float64  `json:"tokens_per_second"`
	Interrupted bool     `json:"interrupted,omitempty"`
}

// Run writes on from the prompts.
func (c *generateCommand) Run(s *session) error {
	prompts, err := c.prompts(os.Stdin)
	if err != nil {
		return err
	}
	o, err := generation.ReadOptions(c.Model)
	if err != nil {
		return err
	}
	c.change(&o)
	words, err := tokenizer.Load(c.Model)
	if err != nil {
		return err
	}
	m, err := c.load()
	if err != nil {
		return err
	}
	tensor.ManualSeed(c.Seed)
	out := generated{Model: c.Model, Device: c.Device.String(), Texts: make([]string, len(prompts))}
	for _, p := range nn.Parameters(m) {
		out.DType = p.DType().Name()
		break
	}
	for _, p := range prompts {
		e, err := words.Encode(p)
		if err != nil {
			return err
		}
		out.Prompt += e.Len()
	}
	return c.write(s, m, words, prompts, o, &out)
}

// prompts returns the texts to go on from.
func (c *generateCommand) prompts(stdin io.Reader) ([]string, error) {
	if len(c.Prompts) > 0 && !(len(c.Prompts) == 1 && c.Prompts[0] == "-") {
		return c.Prompts, nil
	}
	text, err := io.ReadAll(stdin)
	if err != nil {
		return nil, err
	}
	return []string{strings.TrimSuffix(string(text), "\n")}, nil
}

// change puts the flags that are given in the place of what the model's folder says.
func (c *generateCommand) change(o *generation.Options) {
	o.MaxTokens = c.MaxTokens
	for to, given := range map[*float64]*float64{&o.Temperature: c.Temperature, &o.TopP: c.TopP, &o.MinP: c.MinP, &o.RepetitionPenalty: c.RepetitionPenalty} {
		if given != nil {
			*to = *given
		}
	}
	if c.TopK != nil {
		o.TopK = *c.TopK
	}
}

// load reads the model.
func (c *generateCommand) load() (models.Decoder, error) {
	opts := []models.LoadOption{models.On(c.Device)}
	if c.DType != nil {
		opts = append(opts, models.As(*c.DType))
	}
	m, err := models.Load(c.Model, opts...)
	if err != nil {
		return nil, err
	}
	d, writes := m.(models.Decoder)
	if !writes {
		return nil, fmt.Errorf("%s: a %T does not write text", c.Model, m)
	}
	return d, nil
}

// write prints texts as they grow, or when they are done, and how fast it went.
func (c *generateCommand) write(s *session, m models.Decoder, words *tokenizer.Tokenizer, prompts []string, o generation.Options, out *generated) error {
	var stop []string
	if c.Stop != nil {
		stop = append(stop, *c.Stop)
	}
	streamed := len(prompts) == 1 && !c.JSON
	start := time.Now()
	var first time.Duration
	var failed error
	for pieces, err := range generation.Texts(s.ctx, m, words, prompts, o, stop...) {
		if err != nil {
			failed = err
			break
		}
		if first == 0 {
			first = time.Since(start)
			if streamed {
				fmt.Fprint(s.stdout, prompts[0])
			}
		}
		for i, p := range pieces {
			out.Texts[i] += p.Text
			if !p.Ended {
				out.Added++
			}
		}
		if streamed {
			fmt.Fprint(s.stdout, pieces[0].Text)
		}
	}
	out.FirstMS = round(first.Seconds()*1e3, 2)
	if rest := time.Since(start) - first; out.Added > len(prompts) && rest > 0 {
		out.Rate = round(float64(out.Added-len(prompts))/rest.Seconds(), 2)
	}
	out.Interrupted = errors.Is(failed, context.Canceled)
	if failed != nil && !out.Interrupted {
		return failed
	}
	if err := c.print(s, prompts, streamed, out); err != nil {
		return err
	}
	return failed
}

// print ends what was streamed, or prints all of it.
func (c *generateCommand) print(s *session, prompts []string, streamed bool, out *generated) error {
	switch {
	case c.JSON:
		return json.NewEncoder(s.stdout).Encode(out)
	case streamed:
		fmt.Fprintln(s.stdout)
	default:
		for i, p := range prompts {
			fmt.Fprintf(s.stdout, "== %d\n%s%s\n", i+1, p, out.Texts[i])
		}
	}
	_, err := fmt.Fprintf(s.stderr, "%d tokens read in %.0f ms, %d written, %.1f a second; %s, %s\n", out.Prompt, out.FirstMS, out.Added, out.Rate, out.DType, out.Device)
	return err
}
