package cli

import (
	"context"
	"encoding/json"
	"fmt"

	"cresset/data"
	"cresset/device"
	"cresset/nn"
	"cresset/tensor"
)

type trainCommand struct {
	Data      string        `placeholder:"DIR" help:"Folder with IDX files under MNIST's names, gzipped or not; where there is no training pair the test pair is split 4:1. Without it, digits are drawn from fonts."`
	Model     string        `enum:"mlp,cnn" default:"mlp" help:"Model: ${enum}."`
	Epochs    int           `default:"3" help:"Passes over the training set."`
	Batch     int           `default:"64" help:"Samples in a batch."`
	LR        float64       `name:"lr" placeholder:"RATE" help:"Learning rate; without it the optimizer's usual one."`
	Optimizer string        `enum:"sgd,momentum,adam,adamw" default:"adam" help:"Optimizer: ${enum}."`
	Seed      int64         `default:"0" help:"Seed of all random numbers; equal seeds give equal runs."`
	Device    device.Device `default:"cpu" help:"Device to train on: cpu, cuda, cuda:1."`
	JSON      bool          `name:"json" help:"Print one JSON object on stdout instead of the summary."`
}

// Validate refuses figures that make no sense; kong calls it.
func (c *trainCommand) Validate() error {
	switch {
	case c.Epochs < 1:
		return fmt.Errorf("--epochs must be at least 1, not %d", c.Epochs)
	case c.Batch < 1:
		return fmt.Errorf("--batch must be at least 1, not %d", c.Batch)
	case c.LR < 0:
		return fmt.Errorf("--lr must be positive, not %v", c.LR)
	}
	return nil
}

// Run trains and prints the result. An interrupted run prints what it has.
func (c *trainCommand) Run(s *session) error {
	name, train, test, err := c.load()
	if err != nil {
		return err
	}
	tensor.ManualSeed(c.Seed)
	net, err := newModel(c.Model, train, c.Device)
	if err != nil {
		return err
	}
	t := &training{
		net: net, optimizer: newOptimizer(c.Optimizer, c.LR, nn.Parameters(net)),
		train: train, test: test, device: c.Device, epochs: c.Epochs, batch: c.Batch,
		observer: newProgress(s.stderr, c.Epochs, train.Len()),
	}
	r := result{Device: c.Device.String(), Dataset: name, Model: c.Model, Parameters: nn.CountParameters(net), Epochs: c.Epochs,
		Optimizer: c.Optimizer, LearningRate: t.optimizer.LR(), Batch: c.Batch, Seed: c.Seed, Train: train.Len(), Test: test.Len()}
	err = t.run(s.ctx)
	t.observer.done()
	if err != nil && s.ctx.Err() == nil {
		return err
	}
	r.take(t)
	r.Interrupted = s.ctx.Err() != nil
	if c.JSON {
		err = json.NewEncoder(s.stdout).Encode(r)
	} else {
		err = r.print(s.stdout)
	}
	if err == nil && r.Interrupted {
		return context.Canceled
	}
	return err
}

// load returns the data set's name and its two parts.
func (c *trainCommand) load() (name string, train, test *data.Images, err error) {
	if c.Data == "" {
		seed := uint64(c.Seed)
		return "glyphs", data.Glyphs(data.GlyphOptions{Train: true, Seed: seed}), data.Glyphs(data.GlyphOptions{Seed: seed}), nil
	}
	train, test, err = data.ReadIDXDir(c.Data)
	if err != nil {
		return "", nil, nil, &advice{err, "--data wants a folder with t10k-images-idx3-ubyte and t10k-labels-idx1-ubyte, or the train- pair, each with or without .gz"}
	}
	return c.Data, train, test, nil
}
