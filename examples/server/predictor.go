package main

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"cresset/data"
	"cresset/device"
	"cresset/nn"
	"cresset/tensor"
)

// pixels is how many numbers a picture has.
const pixels = data.GlyphSize * data.GlyphSize

// prediction is what the model sees in a picture.
type prediction struct {
	Digit       int64   `json:"digit"`
	Probability float32 `json:"probability"`
}

// predictor computes requests in batches. A batch of 32 takes a GPU hardly longer than a single picture, and the CPU far less
// than 32 times as long, because the weights are read once for all.
type predictor struct {
	model     nn.Module
	device    device.Device
	limit     int
	wait      time.Duration
	queue     chan *request
	gathering sync.Mutex // held by the worker that takes from queue
	workers   sync.WaitGroup
	requests  atomic.Int64 // computed
	batches   atomic.Int64
}

// request is a picture on its way through the queue.
type request struct {
	ctx    context.Context
	pixels []float32
	answer chan answer // holds one, so that a worker never waits for a client that has gone
}

type answer struct {
	prediction
	err error
}

// newPredictor starts workers that share one frozen copy of the model: its parameters track no gradients, so goroutines may
// use them at once.
func newPredictor(model nn.Module, dev device.Device, o options) *predictor {
	p := &predictor{
		model: nn.Frozen(model), device: dev, limit: o.batch, wait: o.wait,
		queue: make(chan *request, 4*o.batch), // what arrives while all workers compute
	}
	for range o.workers {
		p.workers.Go(p.work)
	}
	return p
}

// close waits for the workers; predict must not be called any more.
func (p *predictor) close() {
	close(p.queue)
	p.workers.Wait()
}

// predict returns what the model sees in a picture, or an error where ctx ends first.
func (p *predictor) predict(ctx context.Context, pixels []float32) (prediction, error) {
	r := &request{ctx: ctx, pixels: pixels, answer: make(chan answer, 1)}
	select {
	case p.queue <- r:
	case <-ctx.Done():
		return prediction{}, ctx.Err()
	}
	select {
	case a := <-r.answer:
		return a.prediction, a.err
	case <-ctx.Done():
		return prediction{}, ctx.Err()
	}
}

func (p *predictor) work() {
	for open := true; open; {
		var batch []*request
		batch, open = p.gather()
		p.compute(batch)
	}
}

// gather returns the requests that are to be computed together: those that arrive until the batch is full, or the first of
// them has waited long enough. It reports whether more can come.
func (p *predictor) gather() (batch []*request, open bool) {
	// One worker at a time: two would divide what arrives, and both would wait.
	p.gathering.Lock()
	defer p.gathering.Unlock()
	var deadline <-chan time.Time
	for len(batch) < p.limit {
		select {
		case r, open := <-p.queue:
			if !open {
				return batch, false
			}
			if r.ctx.Err() != nil {
				continue // its client gave up
			}
			if batch == nil {
				deadline = time.After(p.wait)
			}
			batch = append(batch, r)
		case <-deadline:
			return batch, true
		}
	}
	return batch, true
}

// compute answers the requests of a batch.
func (p *predictor) compute(batch []*request) {
	if len(batch) == 0 {
		return
	}
	var digits []int64
	var probabilities []float32
	err := tensor.Try(func() {
		scope := tensor.NewScope() // gives the memory of all results back, so a server stays as small as a batch
		defer scope.Close()
		all := make([]float32, 0, len(batch)*pixels)
		for _, r := range batch {
			all = append(all, r.pixels...)
		}
		x := scope.Enter(tensor.FromSlice(all, len(batch), 1, data.GlyphSize, data.GlyphSize)).To(p.device)
		best, which := p.model.Forward(x).Softmax(1).MaxAxis(1)
		digits, probabilities = tensor.Values[int64](which), tensor.Values[float32](best)
	})
	p.batches.Add(1)
	p.requests.Add(int64(len(batch)))
	for i, r := range batch {
		if err != nil {
			r.answer <- answer{err: err}
			continue
		}
		r.answer <- answer{prediction: prediction{digits[i], probabilities[i]}}
	}
}
