package cli

import (
	"context"
	"fmt"
	"io"
	"math"
	"strings"

	"cresset/checkpoint"
	"cresset/data"
	"cresset/device"
	"cresset/internal/bench"
	"cresset/models/gpt2"
	"cresset/nn"
	"cresset/tensor"
	"cresset/text/generation"
)

// reading is the lesson of a model that learns to write by reading.
type reading struct {
	net     *gpt2.Model
	forward func(x *tensor.Tensor) *tensor.Tensor // of net, on all ranks
	text    *corpus
	words   string // tokenizer.json, which a snapshot keeps
	form    form
	device  device.Device
	seed    int64
	every   int // steps from judgement to judgement
}

const usualSteps = 3500

// learnText returns a training of gpt on a text.
func (c *trainCommand) learnText(dev device.Device, r *ranks) (*training, error) {
	text, err := c.readCorpus()
	if err != nil {
		return nil, err
	}
	f, err := c.form(nil)
	if err != nil {
		return nil, err
	}
	f.vocabulary, f.context = text.words.VocabSize(), text.train.context
	net, err := f.gpt(nn.On(dev))
	if err != nil {
		return nil, err
	}
	steps := or(c.Language.Steps, usualSteps)
	every := c.judgeEvery(steps)
	t := &training{
		lesson: &reading{net, net.Forward, text, string(text.words.JSON()), f, dev, c.Seed, every},
		net:    net, device: dev, dataset: text.name, optimizer: c.newOptimizer(nn.Parameters(net)), epochs: math.MaxInt, steps: steps,
		accumulate: or(c.Step.Accumulate, 1), clip: c.clip(), mixed: c.mixed(), graphs: c.graphs(),
	}
	batch := c.batch() * t.accumulate
	places := data.NewRandomSampler(text.train, data.Replacement(true), data.NumSamples(every*batch))
	t.loader = data.NewLoader(text.train, data.BatchSize(batch), places, r.part(), data.Workers(1), data.Scopes(true), data.To(dev))
	t.schedule = c.newSchedule(t.optimizer, steps)
	t.of = c.settings(t)
	f.note(t.of)
	t.of["tokenizer"], t.of["text"], t.of["judge_every"] = or(c.Language.Tokenizer, "chars"), text.checksum, every
	return t, nil
}

// judgeEvery returns how many steps there are from judgement to judgement; unless told, a training that goes on keeps to its own, whatever the
// number of steps is now.
func (c *trainCommand) judgeEvery(steps int) int {
	every := min(or(c.Language.JudgeEvery, (steps+4)/5), steps)
	if c.Language.JudgeEvery != nil || !c.Resume {
		return every
	}
	found, err := checkpoint.NewSnapshots(*c.Save).Best()
	if err != nil || found.Path == "" {
		return every // newSaver tells why
	}
	if state, err := readSnapshot(found.Path); err == nil {
		if of := state.Dict("config"); state.Err() == nil && of.Has("judge_every") {
			every = of.Int("judge_every")
		}
	}
	return max(1, every)
}

func (r *reading) loss(b data.Batch) *tensor.Tensor {
	y, targets := r.forward(b.Inputs.To(r.device)).Flatten(0, 1), b.Targets.To(r.device).Flatten(0, 1)
	if b.Len() == 0 {
		return y.Sum()
	}
	return tensor.CrossEntropy(y, targets)
}

func (r *reading) through(forward func(x *tensor.Tensor) *tensor.Tensor) { r.forward = forward }

// judge fills in the loss of text that the model has not read, and lets the model write. No random numbers of the training are drawn.
func (r *reading) judge(ctx context.Context, e *epoch) (err error) {
	if e.TestLoss, err = r.tested(ctx); err != nil {
		return err
	}
	e.Sample, err = r.write(ctx)
	return err
}

// tested returns the loss of passages that lie evenly in the text that judges.
func (r *reading) tested(ctx context.Context) (float64, error) {
	const most, batch = 256, 32
	test := r.text.test
	n := min(most, (len(test.ids)-1)/test.context)
	places := make([]int, n)
	for i := range places {
		places[i] = i * (test.Len() - 1) / max(1, n-1)
	}
	frozen := *r
	frozen.net = nn.Frozen(r.net)
	frozen.forward = frozen.net.Forward
	sum := 0.0
	for at := 0; at < n; at += batch {
		if err := ctx.Err(); err != nil {
			return 0, err
		}
		some := places[at:min(at+batch, n)]
		b, err := test.Batch(some)
		if err != nil {
			return 0, err
		}
		b.Scope = tensor.NewScope()
		b.Inputs = b.Scope.Enter(b.Inputs)
		sum += frozen.loss(b).Float64() * float64(len(some))
		b.Scope.Close()
	}
	return sum / float64(n), nil
}

// usualTemperature is that of what a trained model writes, unless told otherwise.
const usualTemperature = 0.8

// write returns what the model writes from the beginning of a line on.
func (r *reading) write(ctx context.Context) (string, error) {
	o := generation.Options{MaxTokens: min(400, 6*r.form.context), Rolling: true}
	o.Temperature, o.Generator = usualTemperature, tensor.NewGenerator(r.seed)
	prompt := "\n"
	if e, err := r.text.words.Encode(prompt); err != nil || e.Len() == 0 {
		if prompt, err = r.text.words.Decode(ints(r.text.train.ids[:1])); err != nil {
			return "", err
		}
	}
	var text strings.Builder
	for pieces, err := range generation.Texts(ctx, nn.Frozen(r.net), r.text.words, []string{prompt}, o) {
		if err != nil {
			return "", err
		}
		text.WriteString(pieces[0].Text)
	}
	return text.String(), nil
}

func (*reading) measure(e epoch) float64 { return round(e.TestLoss, 4) }

func (*reading) best() checkpoint.SnapshotsOption { return checkpoint.KeepLowest(true) }

func (r *reading) parts() checkpoint.Snapshot { return checkpoint.Snapshot{"tokenizer": &r.words} }

func (r *reading) observe(w io.Writer, t *training) observer {
	batch := t.of["batch"].(int) * t.accumulate
	p := newProgress(w, t.steps*batch, t.samples)
	p.unit, p.each = "tokens", r.form.context
	p.at = func(int) string { return fmt.Sprintf("step %d/%d", len(t.losses), t.steps) }
	p.judge = func(e epoch) string { return fmt.Sprintf("test loss %.4f", e.TestLoss) }
	return p
}

// excerpt returns the beginning of a text, indented.
func excerpt(text string) string {
	const lines, columns = 2, 74
	var b strings.Builder
	for i, line := range strings.Split(strings.TrimSpace(text), "\n") {
		if i == lines {
			break
		}
		if r := []rune(printable(line)); len(r) > columns {
			line = string(r[:columns-1]) + "…"
		}
		b.WriteString(strings.TrimRight("  │ "+printable(line), " ") + "\n")
	}
	return b.String()
}

// textResult is that of a model that writes.
type textResult struct {
	summary
	Steps      int      `json:"steps"`
	TestLoss   *float64 `json:"test_loss"`
	Bits       *float64 `json:"test_bits_per_character"`
	Tokenizer  string   `json:"tokenizer"`
	Vocabulary int      `json:"vocabulary"`
	Layers     int      `json:"layers"`
	Heads      int      `json:"heads"`
	Width      int      `json:"width"`
	Context    int      `json:"context"`
	Rate       float64  `json:"tokens_per_second"`
	GFLOPS     float64  `json:"gflop_per_second"`  // that the model needs; what is computed twice counts once
	Share      float64  `json:"of_peak,omitempty"` // of the machine, in float32
	Train      int      `json:"train_tokens"`
	Test       int      `json:"test_tokens"`
	Sample     string   `json:"sample"`
}

func (r *reading) result(t *training, s summary) result {
	f := r.form
	out := &textResult{summary: s, Steps: len(t.losses), Tokenizer: t.of["tokenizer"].(string), Vocabulary: f.vocabulary, Layers: f.layers, Heads: f.heads,
		Width: f.size, Context: f.context, Rate: s.rate(t.samples * f.context), Train: len(r.text.train.ids), Test: len(r.text.test.ids), Sample: s.last.Sample}
	if len(t.epochly) > 0 {
		loss, bits := round(s.last.TestLoss, 6), round(s.last.TestLoss/math.Ln2/r.text.perToken, 4)
		out.TestLoss, out.Bits = &loss, &bits
	}
	out.GFLOPS = round(r.flops()*out.Rate/1e9, 3)
	if peak := bench.Peak(r.device); peak > 0 && !s.Simulated {
		out.Share = round(out.GFLOPS/peak, 4)
	}
	return out
}

// flops returns the operations that a step needs for each token: two for each weight and each pair of tokens in attention forward, and twice as many backward.
func (r *reading) flops() float64 {
	weights := r.form.vocabulary * r.form.size // of the output layer
	for _, l := range r.net.Body.Layers {
		for _, p := range nn.Parameters(l) {
			if p.Dim() == 2 {
				weights += p.NumEl()
			}
		}
	}
	pairs := r.form.layers * r.form.size * r.form.context // half of all, for products with keys and with values
	return 6 * float64(weights+pairs)
}

// print writes the summary for people.
func (r *textResult) print(w io.Writer) error {
	var b rows
	b.begin(w, &r.summary)
	b.add("model", "%s of width %d, %s, context %d", count(r.Layers, "layer", "s"), r.Width, count(r.Heads, "head", "s"), r.Context)
	b.add("text", "%d tokens to train, %d to test; %s, %d different", r.Train, r.Test, r.Tokenizer, r.Vocabulary)
	b.add("optimizer", "%s, lr %v, batch %d, seed %d", r.Optimizer, r.LearningRate, r.Batch, r.Seed)
	speed := fmt.Sprintf("%.1f s of training, %.0f tokens/s, %.1f GFLOP/s", r.Seconds, r.Rate, r.GFLOPS)
	if r.Share > 0 {
		speed += fmt.Sprintf(", %.0f %% of the peak", 100*r.Share)
	}
	b.add("time", "%s", speed)
	if r.TestLoss != nil {
		b.add("loss", "%.4f in the last steps, %.4f on other text: %.3f bits a character", r.last.Loss, *r.TestLoss, *r.Bits)
	}
	if r.Interrupted {
		b.add("interrupted", "after %s", count(r.Steps, "step", "s"))
	}
	b.WriteString(plot(r.losses, 60, 8))
	r.losses = nil
	if r.Sample != "" {
		b.WriteString("\n" + strings.TrimSpace(r.Sample) + "\n")
	}
	return b.end(w, &r.summary)
}
