package cli

import (
	"context"
	"fmt"
	"io"

	"cresset/checkpoint"
	"cresset/data"
	"cresset/device"
	"cresset/nn"
	"cresset/tensor"
)

// pictures is the lesson of a model that classes pictures.
type pictures struct {
	net     nn.Module
	forward func(x *tensor.Tensor) *tensor.Tensor // of net, on all ranks
	train   *data.Images
	test    *data.Images
	device  device.Device
}

// learnPictures returns a training on pictures.
func (c *trainCommand) learnPictures(dev device.Device, r *ranks) (*training, error) {
	name, train, test, err := c.load()
	if err != nil {
		return nil, err
	}
	f, err := c.form(train)
	if err != nil {
		return nil, err
	}
	net, err := f.build(dev)
	if err != nil {
		return nil, err
	}
	t := &training{
		lesson: &pictures{net, net.Forward, train, test, dev}, net: net, device: dev, dataset: name,
		optimizer: c.newOptimizer(nn.Parameters(net)), epochs: or(c.Epochs, c.usualEpochs()),
		accumulate: or(c.Step.Accumulate, 1), clip: c.clip(), mixed: c.mixed(), graphs: c.graphs(),
	}
	t.loader = data.NewLoader(train, data.BatchSize(c.batch()*t.accumulate), data.Shuffle(true), r.part(), data.Workers(1), data.Scopes(true), data.To(dev))
	t.schedule = c.newSchedule(t.optimizer, t.allSteps())
	t.of = c.settings(t)
	f.note(t.of)
	t.of["samples"], t.of["pictures"] = train.Len(), checksum(train, test)
	return t, nil
}

func (c *trainCommand) usualEpochs() int {
	if c.Model == "vit" {
		return 6
	}
	return 3
}

// load returns the data set's name and its two parts.
func (c *trainCommand) load() (name string, train, test *data.Images, err error) {
	samples := or(c.Samples, 0)
	if c.Data == nil {
		forTraining, forTest := []data.GlyphOption{data.Seed(uint64(c.Seed))}, []data.GlyphOption{data.Seed(uint64(c.Seed)), data.Train(false)}
		if samples > 0 {
			forTraining, forTest = append(forTraining, data.Count(samples)), append(forTest, data.Count(quarter(samples)))
		}
		return "glyphs", data.Glyphs(forTraining...), data.Glyphs(forTest...), nil
	}
	train, test, err = data.ReadIDXDir(*c.Data)
	if err != nil {
		return "", nil, nil, &advice{err, "--data wants a folder with t10k-images-idx3-ubyte and t10k-labels-idx1-ubyte, or the train- pair, each with or without .gz"}
	}
	if samples > 0 {
		train, _ = train.Split(min(samples, train.Len()))
		test, _ = test.Split(min(quarter(samples), test.Len()))
	}
	if train.Len() == 0 || test.Len() == 0 {
		err = fmt.Errorf("%s: %d images to train and %d to test are too few", *c.Data, train.Len(), test.Len())
		return "", nil, nil, &advice{err, "a test pair without a training pair is split 4:1, so it wants 2 images or more"}
	}
	return *c.Data, train, test, nil
}

// quarter returns how many samples judge a model that n have trained.
func quarter(n int) int { return (n + 3) / 4 }

func (p *pictures) loss(b data.Batch) *tensor.Tensor {
	y, targets := p.forward(b.Inputs.To(p.device)), b.Targets.To(p.device)
	if b.Len() == 0 {
		return y.Sum()
	}
	return tensor.CrossEntropy(y, targets)
}

func (p *pictures) through(forward func(x *tensor.Tensor) *tensor.Tensor) { p.forward = forward }

// judge returns the accuracy on the test set, in all and of each class. Where it is interrupted the random numbers are as before,
// so that a training that is resumed may judge again.
func (p *pictures) judge(ctx context.Context, e *epoch) (err error) {
	random := tensor.DefaultGenerator(device.CPU)
	before := random.State()
	e.Accuracy, e.Classes, err = judge(ctx, p.net, p.test, p.device)
	if err != nil {
		random.SetState(before)
	}
	return err
}

func (*pictures) measure(e epoch) float64 { return e.Accuracy }

func (*pictures) best() checkpoint.SnapshotsOption { return checkpoint.KeepHighest(true) }

func (*pictures) parts() checkpoint.Snapshot { return nil }

func (p *pictures) observe(w io.Writer, t *training) observer {
	o := newProgress(w, t.epochs*p.train.Len(), t.samples)
	o.unit, o.each = "samples", 1
	o.at = func(n int) string { return fmt.Sprintf("epoch %d/%d", n+1, t.epochs) }
	o.judge = func(e epoch) string { return fmt.Sprintf("test accuracy %.4f", round(e.Accuracy, 4)) }
	return o
}

// judge returns the accuracy of a model on a data set, in all and of each class.
func judge(ctx context.Context, model nn.Module, test *data.Images, dev device.Device) (float64, []float64, error) {
	net := nn.Frozen(model)
	right, count := make([]float64, test.Classes), make([]float64, test.Classes)
	loader := data.NewLoader(test, data.BatchSize(256), data.Scopes(true))
	for batch, err := range loader.All(ctx) {
		if err != nil {
			return 0, nil, err
		}
		guesses := tensor.Values[int64](net.Forward(batch.Inputs.To(dev)).ArgMaxAxis(1))
		for i, label := range tensor.Values[int64](batch.Targets) {
			count[label]++
			if guesses[i] == label {
				right[label]++
			}
		}
	}
	var hits, all float64
	for c := range right {
		hits, all = hits+right[c], all+count[c]
		right[c] /= count[c]
	}
	return hits / all, right, nil
}
