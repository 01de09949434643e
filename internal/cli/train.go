package cli

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"math"

	"cresset/data"
	"cresset/device"
	"cresset/nn"
	"cresset/tensor"
)

// trainCommand is cresset train. What it does without flags is a promise: it takes at most 10 billion multiply-adds, under
// a minute on two cores, and ends with an accuracy of at least 0.95.
type trainCommand struct {
	Data      *string       `placeholder:"DIR" help:"Folder with IDX files under MNIST's names, gzipped or not; where there is no training pair the test pair is split 4:1. Without it, digits are drawn from fonts."`
	Samples   int           `placeholder:"N" help:"Train on the first N samples and judge on N/4; 0 stands for all."`
	Model     string        `enum:"mlp,cnn" default:"mlp" help:"Model: mlp or cnn."`
	Epochs    int           `default:"3" help:"Passes over the training set."`
	Batch     int           `default:"64" help:"Samples in a batch."`
	LR        float64       `name:"lr" placeholder:"RATE" help:"Learning rate; 0 stands for the optimizer's usual one."`
	Optimizer string        `enum:"sgd,momentum,adam,adamw" default:"adam" help:"Optimizer: sgd, momentum, adam or adamw."`
	Seed      int64         `default:"0" help:"Seed of all random numbers; equal seeds give equal runs."`
	Device    device.Device `default:"cpu" help:"Device to train on; cresset devices lists them."`
	Save      *string       `placeholder:"DIR" help:"Keep the training in this folder, in snapshots that PyTorch reads too: after each epoch and when it is interrupted. The newest stay, and the most accurate."`
	Every     interval      `placeholder:"N|TIME" help:"Save within an epoch too: after every N batches, or a time such as 10m."`
	Keep      *int          `placeholder:"N" help:"How many of the newest snapshots stay; 3 unless given."`
	Resume    bool          `help:"Go on with the training in the folder of --save; where there is none, begin it."`
	Trace     string        `enum:",transfers" default:"" placeholder:"WHAT" help:"transfers: count the copies between devices, by the line that asks for them, and tell what could be saved."`
	Plan      bool          `help:"Tell how much memory of a GPU a step takes and on which GPUs it fits, and do not train."`
	JSON      bool          `name:"json" help:"Print one JSON object on stdout instead of the summary."`
}

// maxEpochs keeps the count of samples far from overflow.
const maxEpochs = 1_000_000_000

// Validate refuses figures that make no sense; package flags calls it.
func (c *trainCommand) Validate() error {
	switch {
	case c.Data != nil && *c.Data == "":
		return errors.New("--data must name a folder; leave it out for digits drawn from fonts")
	case c.Epochs < 1 || c.Epochs > maxEpochs:
		return fmt.Errorf("--epochs must be from 1 to %d, not %d", maxEpochs, c.Epochs)
	case c.Batch < 1:
		return fmt.Errorf("--batch must be at least 1, not %d", c.Batch)
	case !(c.LR >= 0) || math.IsInf(c.LR, 1):
		return fmt.Errorf("--lr must be a positive number, not %v", c.LR)
	case c.Samples < 0:
		return fmt.Errorf("--samples must not be negative, not %d", c.Samples)
	case c.Save != nil && *c.Save == "":
		return errors.New("--save must name a folder")
	case c.Keep != nil && *c.Keep < 1:
		return fmt.Errorf("--keep must be at least 1, not %d", *c.Keep)
	case c.Save == nil && (c.Resume || c.Keep != nil || c.Every != interval{}):
		return errors.New("--every, --keep and --resume want the folder of --save")
	case c.Plan && c.Save != nil:
		return errors.New("--plan trains nothing, so that --save has nothing to keep")
	case c.Plan && c.Trace != "":
		return errors.New("--plan trains nothing, so that --trace has nothing to count")
	}
	return nil
}

// Help tells the exit codes.
func (c *trainCommand) Help() string {
	return "Exit codes: 0 done, 1 failed, 2 wrong usage, 130 interrupted, 143 terminated; the summary is printed all the same."
}

// Run trains and prints the result. An interrupted run prints what it has.
func (c *trainCommand) Run(s *session) error {
	if c.Plan {
		return c.plan(s)
	}
	dev, err := c.place()
	if err != nil {
		return err
	}
	name, train, test, err := c.load()
	if err != nil {
		return err
	}
	tensor.ManualSeed(c.Seed)
	transfers := c.traceTransfers()
	defer transfers.Stop()
	net, err := newModel(c.Model, train, dev)
	if err != nil {
		return err
	}
	t := &training{
		net: net, optimizer: newOptimizer(c.Optimizer, c.LR, nn.Parameters(net)),
		loader: data.NewLoader(train, data.BatchSize(c.Batch), data.Shuffle(true), data.Workers(1), data.Scopes(true)),
		test:   test, device: dev, epochs: c.Epochs,
	}
	r := result{Device: dev.String(), Simulated: s.simulated(dev), Dataset: name, Model: c.Model, Parameters: nn.CountParameters(net),
		Optimizer: c.Optimizer, LearningRate: t.optimizer.Groups()[0].LR, Batch: c.Batch, Seed: c.Seed, Train: train.Len(), Test: test.Len()}
	of := settings{"model": c.Model, "optimizer": c.Optimizer, "lr": r.LearningRate, "batch": c.Batch, "seed": c.Seed, "samples": train.Len(),
		"height": train.Height, "width": train.Width, "classes": train.Classes, "pictures": checksum(train, test)}
	if t.saver, err = c.newSaver(t, of, s); err != nil {
		t.saver.finish(false)
		return err
	}
	t.observer = newProgress(s.stderr, c.Epochs, train.Len(), t.samples)
	err = t.run(s.ctx)
	t.observer.done()
	saved := t.saver.finish(err != nil && s.ctx.Err() != nil)
	if err != nil && s.ctx.Err() == nil || saved != nil {
		return cmp.Or(saved, err)
	}
	r.take(t)
	r.Interrupted = err != nil
	if transfers != nil {
		report := transfers.Stop()
		r.Transfers = &report
	}
	if c.JSON {
		err = json.NewEncoder(s.stdout).Encode(r)
	} else {
		err = r.print(s.stdout)
	}
	if err == nil && r.Interrupted {
		return interrupted(s.ctx)
	}
	return err
}

// place returns the device as tensors on it report it.
func (c *trainCommand) place() (dev device.Device, err error) {
	err = tensor.Try(func() { dev = tensor.On(c.Device).Empty(1).Device() })
	if err != nil {
		return dev, &advice{fmt.Errorf("--device %s: %w", c.Device, err), "cresset devices lists what can compute here; --device cpu always can"}
	}
	return dev, nil
}

// load returns the data set's name and its two parts.
func (c *trainCommand) load() (name string, train, test *data.Images, err error) {
	if c.Data == nil {
		forTraining, forTest := []data.GlyphOption{data.Seed(uint64(c.Seed))}, []data.GlyphOption{data.Seed(uint64(c.Seed)), data.Train(false)}
		if c.Samples > 0 {
			forTraining, forTest = append(forTraining, data.Count(c.Samples)), append(forTest, data.Count(quarter(c.Samples)))
		}
		return "glyphs", data.Glyphs(forTraining...), data.Glyphs(forTest...), nil
	}
	train, test, err = data.ReadIDXDir(*c.Data)
	if err != nil {
		return "", nil, nil, &advice{err, "--data wants a folder with t10k-images-idx3-ubyte and t10k-labels-idx1-ubyte, or the train- pair, each with or without .gz"}
	}
	if c.Samples > 0 {
		train, _ = train.Split(min(c.Samples, train.Len()))
		test, _ = test.Split(min(quarter(c.Samples), test.Len()))
	}
	if train.Len() == 0 || test.Len() == 0 {
		err = fmt.Errorf("%s: %d images to train and %d to test are too few", *c.Data, train.Len(), test.Len())
		return "", nil, nil, &advice{err, "a test pair without a training pair is split 4:1, so it wants 2 images or more"}
	}
	return *c.Data, train, test, nil
}

// quarter returns how many samples judge a model that n have trained.
func quarter(n int) int { return (n + 3) / 4 }
