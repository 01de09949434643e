package cli

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"cresset/device"
	"cresset/tensor"
)

// trainCommand is cresset train. What it does without flags is a promise: it takes at most 10 billion multiply-adds, under
// a minute on two cores, and ends with an accuracy of at least 0.95.
type trainCommand struct {
	Model       string        `enum:"mlp,cnn,vit,gpt" default:"mlp" help:"Model: mlp, cnn or vit, which class pictures, or gpt, which writes text."`
	Data        *string       `placeholder:"DIR" help:"Folder with IDX files under MNIST's names, gzipped or not; where there is no training pair the test pair is split 4:1. Without it, digits are drawn from fonts."`
	Samples     *int          `placeholder:"N" help:"Train on the first N pictures and judge on N/4; 0 stands for all."`
	Epochs      *int          `placeholder:"N" help:"Passes over the pictures; 3 unless given, 6 for vit."`
	Batch       *int          `placeholder:"N" help:"Samples in a batch, of all ranks together; 64 unless given, 10 for gpt."`
	LR          float64       `name:"lr" placeholder:"RATE" help:"Learning rate; 0 stands for the optimizer's usual one."`
	Optimizer   string        `enum:",sgd,momentum,adam,adamw" default:"" placeholder:"NAME" help:"Optimizer: sgd, momentum, adam or adamw; adam unless given, adamw for vit and gpt."`
	Seed        int64         `default:"0" help:"Seed of all random numbers; equal seeds give equal runs."`
	Device      device.Device `default:"cpu" help:"Device to train on; cresset devices lists them."`
	Save        *string       `placeholder:"DIR" help:"Keep the training in this folder, in snapshots that PyTorch reads too: whenever it is judged and when it is interrupted. The newest stay, and the best."`
	Every       interval      `placeholder:"N|TIME" help:"Save in between too: after every N steps, or a time such as 10m."`
	Keep        *int          `placeholder:"N" help:"How many of the newest snapshots stay; 3 unless given."`
	Resume      bool          `help:"Go on with the training in the folder of --save; where there is none, begin it."`
	Trace       string        `enum:",transfers" default:"" placeholder:"WHAT" help:"transfers: count the copies between devices, by the line that asks for them, and tell what could be saved."`
	Profile     *string       `placeholder:"FILE" help:"Record up to five steps, tell what took their time, and write the trace to this file, which ui.perfetto.dev shows."`
	Distributed bool          `help:"Train one model with the other ranks of the job that mpirun, srun, torchrun or cresset launch has started; --device cuda stands for a GPU for each."`
	Timeout     time.Duration `placeholder:"TIME" help:"With --distributed, how long ranks wait for each other; 10m unless given."`
	Plan        bool          `help:"Tell how much memory of a GPU a step takes and on which GPUs it fits, and do not train."`
	JSON        bool          `name:"json" help:"Print one JSON object on stdout instead of the summary."`

	Step        stepFlags        `embed:""`
	Transformer transformerFlags `embed:""`
	Language    languageFlags    `embed:""`
}

// Help tells the exit codes.
func (c *trainCommand) Help() string {
	return `Without --text, gpt learns from plays of Shakespeare that the command brings with it.

Exit codes: 0 done, 1 failed, 2 wrong usage, 130 interrupted, 143 terminated; the summary is printed all the same.`
}

// Run trains and prints the result. An interrupted run prints what it has.
func (c *trainCommand) Run(s *session) error {
	if c.Plan {
		return c.plan(s)
	}
	r, err := c.ranks(s)
	if err != nil {
		return err
	}
	if c.Save != nil && cmp.Or(os.Getenv("TORCHELASTIC_RESTART_COUNT"), "0") != "0" {
		c.Resume = true
	}
	out := s
	if !r.first() {
		out = &session{s.ctx, io.Discard, io.Discard}
	}
	if failed := tensor.Try(func() { err = c.train(out, r) }); failed != nil {
		err = failed
	}
	return r.end(s, err)
}

// train trains on this rank.
func (c *trainCommand) train(s *session, r *ranks) error {
	dev, err := r.place(c.Device)
	if err != nil {
		return err
	}
	tensor.ManualSeed(c.Seed)
	transfers := c.traceTransfers()
	defer transfers.Stop()
	t, err := c.prepare(s, r, dev)
	if err != nil {
		return err
	}
	simulated := s.simulated(dev)
	if t.saver, err = c.newSaver(t, s); err != nil {
		t.saver.finish(false)
		return err
	}
	if r.first() {
		t.profile, err = c.startProfile(dev, t.allSteps())
	}
	if err != nil {
		return cmp.Or(t.saver.finish(false), err)
	}
	t.observer = t.lesson.observe(s.stderr, t)
	if failed := tensor.Try(func() { err = t.run(s.ctx) }); failed != nil {
		err = failed
	}
	t.observer.done()
	if closed := t.graphs.close(); err == nil {
		err = closed
	}
	traced := t.profile.finish()
	stopped := errors.Is(err, context.Canceled) || err != nil && s.ctx.Err() != nil && r == nil
	saved := t.saver.finish(stopped)
	if err != nil && !stopped || saved != nil || traced != nil {
		return cmp.Or(saved, traced, err)
	}
	if r.first() {
		sum := c.summary(t)
		sum.Simulated, sum.Interrupted = simulated, stopped
		if transfers != nil {
			report := transfers.Stop()
			sum.Transfers = &report
		}
		if err := c.print(s, t, sum); err != nil {
			return err
		}
	}
	if stopped {
		return interrupted(s.ctx)
	}
	return nil
}

// prepare returns what the ranks train together on this rank's device.
func (c *trainCommand) prepare(s *session, r *ranks, dev device.Device) (*training, error) {
	learn := c.learnPictures
	if c.Model == "gpt" {
		learn = c.learnText
	}
	t, err := learn(dev, r)
	if err != nil {
		return nil, err
	}
	if err := r.agree(s.ctx, t, c.Save != nil); err != nil {
		return nil, err
	}
	return t, r.spread(t)
}

// print writes the result of a training, as text or JSON.
func (c *trainCommand) print(s *session, t *training, sum summary) error {
	result := t.lesson.result(t, sum)
	if c.JSON {
		return json.NewEncoder(s.stdout).Encode(result)
	}
	return cmp.Or(result.print(s.stdout), t.profile.print(s.stdout))
}

// place returns a device as tensors on it report it.
func place(asked device.Device) (dev device.Device, err error) {
	err = tensor.Try(func() { dev = tensor.On(asked).Empty(1).Device() })
	if err != nil {
		return dev, &advice{fmt.Errorf("--device %s: %w", asked, err), "cresset devices lists what can compute here; --device cpu always can"}
	}
	return dev, nil
}
