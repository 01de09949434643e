package cli

import (
	"encoding/json"
	"fmt"

	"cresset/device"
	"cresset/dtype"
	"cresset/internal/tui/paint"
	"cresset/models/gpt2"
	"cresset/nn"
	"cresset/nn/plan"
	"cresset/tensor"
)

// planned is what cresset train --plan --json prints.
type planned struct {
	Model     string         `json:"model"`
	Optimizer string         `json:"optimizer"`
	Batch     int            `json:"batch"`
	Step      *plan.Estimate `json:"step"`
}

// plan tells what a step of the training would take of a GPU.
func (c *trainCommand) plan(s *session) error {
	net, inputs, targets, err := c.oneStep()
	if err != nil {
		return err
	}
	e, err := plan.Step(net, c.newOptimizer(nn.Parameters(net)), []*tensor.Tensor{inputs, targets}, func(net nn.Module, batch []*tensor.Tensor) *tensor.Tensor {
		return tensor.CrossEntropy(net.Forward(batch[0]), batch[1])
	}, tensor.ReleaseSaved(true))
	if err != nil {
		return err
	}
	err = e.Find()
	s.announce()
	if err != nil {
		fmt.Fprintf(s.stderr, "cresset: %s\n", firstLine(err.Error()))
	}
	if c.JSON {
		return json.NewEncoder(s.stdout).Encode(planned{c.Model, c.optimizerName(), c.batch(), e})
	}
	bold := paint.On(s.stdout).Style(paint.Bold)
	return writeLine(s.stdout, bold.Render(fmt.Sprintf("%s with %s, batches of %d", c.Model, c.optimizerName(), c.batch()))+"\n"+e.String())
}

// oneStep returns the model and a batch without memory. One picture tells the size of all, the text its tokens.
func (c *trainCommand) oneStep() (net nn.Module, inputs, targets *tensor.Tensor, err error) {
	meta := tensor.On(device.Meta)
	if c.Model == "gpt" {
		text, err := c.readCorpus()
		if err != nil {
			return nil, nil, nil, err
		}
		f, err := c.form(nil)
		if err != nil {
			return nil, nil, nil, err
		}
		f.vocabulary, f.context = text.words.VocabSize(), text.train.context
		m, err := f.gpt(nn.On(device.Meta))
		ids := meta.As(dtype.Int64)
		return &flattened{m}, ids.Empty(c.batch(), f.context), ids.Empty(c.batch() * f.context), err
	}
	one, samples := *c, 1
	one.Samples = &samples
	_, images, _, err := one.load()
	if err != nil {
		return nil, nil, nil, err
	}
	f, err := c.form(images)
	if err != nil {
		return nil, nil, nil, err
	}
	net, err = f.build(device.Meta)
	return net, meta.Empty(c.batch(), 1, f.height, f.width), meta.As(dtype.Int64).Empty(c.batch()), err
}

// flattened is a model whose scores stand in one list, as a loss takes them.
type flattened struct{ Model *gpt2.Model }

// Forward returns the scores [batch·tokens, vocabulary].
func (f *flattened) Forward(ids *tensor.Tensor) *tensor.Tensor {
	return f.Model.Forward(ids).Flatten(0, 1)
}
