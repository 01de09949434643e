package cli

import (
	"cmp"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"cresset/device"
	"cresset/internal/bench"
	"cresset/nn"
)

// generated is what cresset generate --json prints.
type generated struct {
	Model       string   `json:"model"`
	Device      string   `json:"device"`
	DType       string   `json:"dtype"`
	Texts       []string `json:"texts"` // without the prompts
	Prompt      int      `json:"prompt_tokens"`
	Added       int      `json:"added_tokens"`
	FirstMS     float64  `json:"first_token_ms"` // reading the prompts
	PromptRate  float64  `json:"prompt_tokens_per_second"`
	Rate        float64  `json:"tokens_per_second"`
	Bandwidth   float64  `json:"weights_gb_per_second"`
	Share       float64  `json:"of_bandwidth,omitempty"` // of the device's memory, as cresset bench measures it
	Interrupted bool     `json:"interrupted,omitempty"`
}

// result returns the figures of what was written.
func (w *writing) result(dev device.Device, simulated bool) *generated {
	out := &generated{Model: w.path, Device: dev.String(), Prompt: w.read, Added: w.added, FirstMS: round(w.first.Seconds()*1e3, 2)}
	for i := range w.texts {
		out.Texts = append(out.Texts, w.texts[i].String())
	}
	for _, p := range nn.Parameters(w.model) {
		out.DType = p.DType().Name()
		break
	}
	out.PromptRate = rate(w.read, w.first)
	out.Rate = rate(w.added-len(w.prompts), w.rest)
	out.Bandwidth = round(rate(w.steps-1, w.rest)*float64(w.weights())/1e9, 3)
	if most := 0.0; w.steps > 1 && !simulated {
		if most = bench.Bandwidth(dev); most > 0 {
			out.Share = round(out.Bandwidth/most, 4)
		}
	}
	return out
}

func rate(n int, d time.Duration) float64 {
	if n <= 0 || d <= 0 {
		return 0
	}
	return round(float64(n)/d.Seconds(), 2)
}

// weights returns the bytes that each step reads: all but tables of which it needs a row.
func (w *writing) weights() int {
	untied := false
	for name := range nn.Parameters(w.model) {
		untied = untied || strings.HasPrefix(name, "lm_head.")
	}
	bytes := 0
	for name, p := range nn.Parameters(w.model) {
		table := strings.HasSuffix(name, "wte.weight") || strings.HasSuffix(name, "embed_tokens.weight")
		if !strings.HasSuffix(name, "wpe.weight") && !(table && untied) {
			bytes += p.NumEl() * p.DType().Size()
		}
	}
	for _, b := range nn.Buffers(w.model) { // quantized weights
		bytes += b.NumEl() * b.DType().Size()
	}
	return bytes
}

// print ends what was streamed, or prints all of it.
func (c *generateCommand) print(s *session, w *writing, dev device.Device, simulated, stopped bool) error {
	var err error
	switch {
	case c.JSON:
	case w.streamed:
		_, err = fmt.Fprintln(s.stdout)
	default:
		for i, p := range w.prompts {
			_, e := fmt.Fprintf(s.stdout, "== %d\n%s%s\n", i+1, p, &w.texts[i])
			err = cmp.Or(err, e)
		}
	}
	if err != nil {
		return err
	}
	out := w.result(dev, simulated || stopped) // who has interrupted does not want to wait for the measurement
	out.Interrupted = stopped
	if c.JSON {
		return json.NewEncoder(s.stdout).Encode(out)
	}
	speed := fmt.Sprintf("%d tokens read in %.0f ms, %.1f a second; %d written, %.1f a second", out.Prompt, out.FirstMS, out.PromptRate, out.Added, out.Rate)
	if out.Share > 0 {
		speed += fmt.Sprintf(" at %.1f GB/s of weights, %.0f %% of the memory's", out.Bandwidth, 100*out.Share)
	}
	_, err = fmt.Fprintf(s.stderr, "%s; %s, %s\n", speed, out.DType, out.Device)
	return err
}
