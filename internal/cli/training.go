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
	net         *nn.Sequential
	optimizer   optim.Optimizer
	train, test *data.Images
	device      device.Device
	epochs      int
	batch       int
	observer    observer

	losses  []float64 // of every batch
	epochly []epoch
	seconds float64 // in training, without the judging
	samples int
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

// run trains for all epochs; it stops early where ctx ends or the loss is no number.
func (t *training) run(ctx context.Context) error {
	loader := data.NewLoader(t.train, data.BatchSize(t.batch), data.Shuffle(true), data.Workers(1), data.Scopes(true))
	for n := range t.epochs {
		e, err := t.pass(ctx, loader, n)
		if err != nil {
			return err
		}
		if e.Accuracy, e.Classes, err = t.judge(ctx); err != nil {
			return err
		}
		t.epochly = append(t.epochly, e)
		t.observer.judged(n, e)
	}
	return nil
}

// pass goes through the training set once.
func (t *training) pass(ctx context.Context, loader *data.Loader, n int) (epoch, error) {
	nn.Train(t.net)
	start, sum, samples := time.Now(), 0.0, 0
	defer func() { t.seconds += time.Since(start).Seconds() }()
	for batch, err := range loader.All(ctx) {
		if err != nil {
			return epoch{}, err
		}
		loss := t.step(batch)
		if math.IsNaN(loss) || math.IsInf(loss, 0) {
			return epoch{}, &advice{fmt.Errorf("the loss is %v after %d batches: training has diverged", loss, len(t.losses)+1),
				fmt.Sprintf("try a lower learning rate: --lr %.3g", t.optimizer.Groups()[0].LR/10)}
		}
		t.losses = append(t.losses, loss)
		sum += loss * float64(batch.Len())
		samples += batch.Len()
		t.samples += batch.Len()
		t.observer.step(n, samples, loss)
	}
	return epoch{Loss: sum / float64(samples)}, nil
}

// step trains on one batch and returns its loss.
func (t *training) step(b data.Batch) float64 {
	t.optimizer.ZeroGrad()
	loss := tensor.CrossEntropy(t.net.Forward(b.Inputs.To(t.device)), b.Targets.To(t.device))
	loss.Backward()
	t.optimizer.Step()
	return loss.Float64()
}

// judge returns the accuracy on the test set, in all and of each class.
func (t *training) judge(ctx context.Context) (float64, []float64, error) {
	net := nn.Frozen(t.net)
	right, count := make([]float64, t.test.Classes), make([]float64, t.test.Classes)
	loader := data.NewLoader(t.test, data.BatchSize(256), data.Scopes(true))
	for batch, err := range loader.All(ctx) {
		if err != nil {
			return 0, nil, err
		}
		guesses := tensor.Values[int64](net.Forward(batch.Inputs.To(t.device)).ArgMaxAxis(1))
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
