package cli

import (
	"context"
	"errors"
	"io"
	"iter"
	"time"

	"cresset/checkpoint"
	"cresset/cuda"
	"cresset/data"
	"cresset/device"
	"cresset/nn"
	"cresset/optim"
	"cresset/tensor"
)

// training is one run: a model, its data, and what has come out so far.
type training struct {
	lesson     lesson
	net        any
	optimizer  optim.Optimizer
	schedule   optim.Schedule // nil: the learning rate stays
	loader     *data.Loader[data.Batch]
	device     device.Device
	dataset    string
	epochs     int     // passes of the loader
	steps      int     // after which training ends within a pass; 0: it does not
	accumulate int     // parts of a batch that are computed one after the other
	clip       float64 // the norm of gradients; 0: any
	mixed      mixed
	graphs     *graphs // nil: steps are issued op by op
	of         settings
	observer   observer
	saver      *saver         // nil where nothing is saved
	ranks      *ranks         // nil where it trains alone
	apart      func(f func()) // has Backward leave other ranks alone
	profile    *stepProfile

	losses  []float64 // of every step, not finite where scaled losses had it skipped
	epochly epochs
	seconds float64 // in training, without the judging
	samples int
	sum     float64 // of the losses in this epoch that were finite, times their samples
	seen    int     // samples in this epoch whose loss was finite
	passed  bool    // all of this epoch, which is to be judged
}

// lesson is what a training is about.
type lesson interface {
	// loss returns the mean one of a batch, 0 of an empty one.
	loss(b data.Batch) *tensor.Tensor
	// through has losses computed by all ranks' model.
	through(forward func(x *tensor.Tensor) *tensor.Tensor)
	// judge fills in how good the model is by now.
	judge(ctx context.Context, e *epoch) error
	// measure is the figure by which snapshots are better or worse, best which of them stays.
	measure(e epoch) float64
	best() checkpoint.SnapshotsOption
	// parts are what a snapshot holds besides.
	parts() checkpoint.Snapshot
	observe(w io.Writer, t *training) observer
	result(t *training, s summary) result
}

// epoch is what one pass came to.
type epoch struct {
	Loss     float64
	Accuracy float64   // on the test set
	Classes  []float64 // accuracy of each class; NaN where the test set has none of it
	TestLoss float64   // of text that is kept from the training
	Sample   string    // what the model writes
}

// observer is told how a training goes.
type observer interface {
	step(epoch, samples int, loss float64) // of all epochs
	judged(n int, e epoch)
	done()
}

// run trains for the epochs that are left; it stops early where ctx ends or the training diverges.
func (t *training) run(ctx context.Context) error {
	for n := len(t.epochly); n < t.epochs && (!t.complete() || t.passed); n++ {
		err := t.pass(ctx, n)
		if err == nil && !t.passed { // the training before ended with the last batch of a pass
			err = t.pass(ctx, n)
		}
		if err != nil {
			return err
		}
		e := epoch{Loss: t.sum / float64(t.seen)}
		if t.ranks.first() {
			t.profile.record(false)
			err = t.lesson.judge(ctx, &e)
			t.profile.record(true)
		}
		if _, err := t.ranks.meet(ctx, 0, err); err != nil {
			return err
		}
		t.epochly = append(t.epochly, e)
		t.sum, t.seen, t.passed = 0, 0, false
		t.observer.judged(n, e)
		if err := t.saver.judged(t.lesson.measure(e)); err != nil {
			return err
		}
	}
	return nil
}

// allSteps returns how many steps the training has in all.
func (t *training) allSteps() int {
	if t.steps > 0 {
		return t.steps
	}
	return t.epochs * t.loader.Len()
}

// complete reports whether all steps are done, where they are counted.
func (t *training) complete() bool { return t.steps > 0 && len(t.losses) >= t.steps }

// pass goes through the training set once, or through what a training before has left of it.
func (t *training) pass(ctx context.Context, n int) error {
	if t.passed {
		return nil
	}
	nn.Train(t.net)
	start := time.Now()
	defer func() { t.seconds += time.Since(start).Seconds() }()
	trained := t.seen > 0
	if err := t.ranks.sameRandom(ctx); err != nil {
		return err
	}
	for batch, err := range t.loader.All(t.ranks.steady(ctx)) {
		if err != nil {
			return err
		}
		whole, err := t.ranks.whole(ctx, batch.Len())
		if err != nil {
			return err
		}
		t.profile.step()
		own, err := t.step(batch, whole)
		if err != nil {
			return err
		}
		loss, stop := t.ranks.meet(ctx, own, nil)
		if stop != nil && !errors.Is(stop, context.Canceled) {
			return stop
		}
		t.losses = append(t.losses, loss)
		if finite(loss) {
			t.sum += loss * float64(whole)
			t.seen += whole
		} else if err := t.mixed.diverged(t.losses, t.optimizer.Groups()[0].InitialLR()); err != nil {
			return err
		}
		trained = true
		t.samples += whole
		t.passed = t.complete()
		t.observer.step(n, t.samples, loss)
		if err := t.saver.stepped(); err != nil {
			return err
		}
		if stop != nil || t.passed {
			return stop
		}
	}
	t.passed = trained
	return nil
}

// step trains on one batch, or on this rank's part of whole samples, and returns its loss, or its part of it.
func (t *training) step(b data.Batch, whole int) (loss float64, err error) {
	if t.graphs != nil && t.graphs.begun {
		return t.replay(b)
	}
	seed, _ := t.of["seed"].(int64)
	t.ranks.ownRandom(seed, len(t.losses))
	t.optimizer.ZeroGrad()
	t.change(b, whole, func(l *tensor.Tensor) { loss += l.Float64() / float64(t.ranks.count()) })
	if t.schedule != nil {
		t.schedule.Step()
	}
	if t.graphs != nil {
		t.graphs.begun = true
	}
	return loss, nil
}

// change adds up the gradients of a batch, tells the losses of its parts, and changes the parameters.
func (t *training) change(b data.Batch, whole int, tell func(loss *tensor.Tensor)) {
	left := b.Len()
	for part := range t.partsOf(b) {
		left -= part.Len()
		if left > 0 {
			t.apart(func() { t.learn(part, whole, tell) })
		} else {
			t.learn(part, whole, tell)
		}
	}
	defer cuda.RecordFunction("optimizer")()
	t.mixed.step(t.optimizer, t.net, t.clip)
}

// learn adds to the gradients those of a part out of whole samples, and tells its part of the loss, times the number of ranks.
func (t *training) learn(part data.Batch, whole int, tell func(loss *tensor.Tensor)) {
	n := float64(t.ranks.count())
	in, done := t.mixed.enter(part)
	defer done()
	forward := cuda.RecordFunction("forward")
	l := t.lesson.loss(in)
	if weight := float64(part.Len()) * n / float64(whole); weight != 1 { // n because the ranks take the mean of gradients
		l = l.MulScalar(weight)
	}
	forward()
	backward := cuda.RecordFunction("backward")
	t.mixed.scaler.Scale(l).Backward(tensor.ReleaseSaved(true))
	backward()
	tell(l)
}

// partsOf cuts a batch into parts whose gradients add up. What is computed from one is freed before the next.
func (t *training) partsOf(b data.Batch) iter.Seq[data.Batch] {
	return func(yield func(data.Batch) bool) {
		if t.accumulate == 1 || b.Len() == 0 {
			yield(b)
			return
		}
		n := b.Len()
		size := (n + t.accumulate - 1) / t.accumulate
		for from := 0; from < n; from += size {
			scope := tensor.NewScope()
			part := min(size, n-from)
			more := yield(data.Batch{Inputs: scope.Enter(b.Inputs.Narrow(0, from, part)), Targets: scope.Enter(b.Targets.Narrow(0, from, part)), Scope: scope})
			scope.Close()
			if !more {
				return
			}
		}
	}
}
