package cli

import (
	"encoding/json"
	"fmt"

	"cresset/device"
	"cresset/dtype"
	"cresset/internal/tui/paint"
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

// plan tells what a step of the training would take of a GPU. The model is made without memory, and one picture tells the size
// of all.
func (c *trainCommand) plan(s *session) error {
	one := *c
	one.Samples = 1
	_, images, _, err := one.load()
	if err != nil {
		return err
	}
	net, err := newModel(c.Model, images, device.Meta)
	if err != nil {
		return err
	}
	meta := tensor.On(device.Meta)
	pictures, labels := meta.Empty(c.Batch, 1, images.Height, images.Width), meta.As(dtype.Int64).Empty(c.Batch)
	e, err := plan.Fits(net, newOptimizer(c.Optimizer, c.LR, nn.Parameters(net)), pictures, labels)
	if e == nil {
		return err
	}
	s.announce()
	if err != nil {
		fmt.Fprintf(s.stderr, "cresset: %s\n", firstLine(err.Error()))
	}
	if c.JSON {
		return json.NewEncoder(s.stdout).Encode(planned{c.Model, c.Optimizer, c.Batch, e})
	}
	bold := paint.On(s.stdout).Style(paint.Bold)
	return writeLine(s.stdout, bold.Render(fmt.Sprintf("%s with %s, batches of %d", c.Model, c.Optimizer, c.Batch))+"\n"+e.String())
}
