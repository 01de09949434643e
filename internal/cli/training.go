package cli

import (
	"context"
	"fmt"
	"math"
	"time"

	"cresset/data"
	"cresset/device"
	"cresset/nn"
	"cresset/optim"
	"cresset/tensor"
)

// training is one run: a model, its data, and what has come out so far.
type training struct {
	net       *nn.Sequential
	optimizer optim.Optimizer
	loader    *data.Loader[data.Batch]
	test      *data.Images
	device    device.Device
	epochs    int
	observer  observer
	saver     *saver // nil where nothing is saved

	losses  []float64 // of every batch
	epochly epochs
	seconds float64 // in training, without the judging
	samples int
	sum     float64 // of the losses in this epoch, times their samples
	seen    int     // samples in this epoch
	passed  bool    // all of this epoch, which is to be judged
}

// epoch is what one pass over the training set came to.
type epoch struct {
	Loss     float64
	Accuracy float64   // on the test set
	Classes  []float64 // accuracy of each class; NaN where the test set has none of it
}

// observer is told how a training goes.
type observer interface {
	step(epoch, samples int, loss float64)
	judged(n int, e epoch)
	done()
}

// run trains for the epochs that are left; it stops early where ctx ends or the loss is no number.
func (t *training) run(ctx context.Context) error {
	for n := len(t.epochly); n < t.epochs; n++ {
		if err := t.pass(ctx, n); err != nil {
			return err
		}
		e := epoch{Loss: t.sum / float64(t.seen)}
		var err error
		if e.Accuracy, e.Classes, err = t.judge(ctx); err != nil {
			return err
		}
		t.epochly = append(t.epochly, e)
		t.sum, t.seen, t.passed = 0, 0, false
		t.observer.judged(n, e)
		if err := t.saver.judged(e.Accuracy); err != nil {
			return err
		}
	}
	return nil
}

// pass goes through the training set once, or through what a training before has left of it.
func (t *training) pass(ctx context.Context, n int) error {
	if t.passed {
		return nil
	}
	nn.Train(t.net)
	start := time.Now()
	defer func() { t.seconds += time.Since(start).Seconds() }()
	for batch, err := range t.loader.All(ctx) {
		if err != nil {
			return err
		}
		loss := t.step(batch)
		if math.IsNaN(loss) || math.IsInf(loss, 0) {
			return &advice{fmt.Errorf("the loss is %v after %d batches: training has diverged", loss, len(t.losses)+1),
				fmt.Sprintf("try a lower learning rate: --lr %.3g", t.optimizer.Groups()[0].LR/10)}
		}
		t.losses = append(t.losses, loss)
		t.sum += loss * float64(batch.Len())
		t.seen += batch.Len()
		t.samples += batch.Len()
		t.observer.step(n, t.seen, loss)
		if err := t.saver.stepped(); err != nil {
			return err
		}
	}
	t.passed = true
	return nil
}

// step trains on one batch and returns its loss.
func (t *training) step(b data.Batch) float64 {
	t.optimizer.ZeroGrad()
	loss := tensor.CrossEntropy(t.net.Forward(b.Inputs.To(t.device)), b.Targets.To(t.device))
	loss.Backward()
	t.optimizer.Step()
	return loss.Float64()
}

// judge returns the accuracy on the test set, in all and of each class. Where it is interrupted the random numbers are as before,
// so that a training that is resumed may judge again.
func (t *training) judge(ctx context.Context) (accuracy float64, classes []float64, err error) {
	random := tensor.DefaultGenerator(device.CPU)
	before := random.State()
	accuracy, classes, err = judge(ctx, t.net, t.test, t.device)
	if err != nil {
		random.SetState(before)
	}
	return accuracy, classes, err
}

// judge returns the accuracy of a model on a data set, in all and of each class.
func judge(ctx context.Context, model *nn.Sequential, test *data.Images, dev device.Device) (float64, []float64, error) {
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
