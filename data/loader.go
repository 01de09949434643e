package data

import (
	"context"
	"iter"
	"sync"

	"cresset/tensor"
)

// Loader goes through a data set in batches of type B. It may be used by several loops at once if its Dataset may.
type Loader[B any] struct {
	dataset Dataset[B]                                          // nil for a stream
	batches *BatchSampler                                       // nil for a stream
	read    func(ctx context.Context, p *pass) iter.Seq[job[B]] // what is to be done for the rest of an epoch
	options options

	mu       sync.Mutex
	finished int   // epochs
	latest   *pass // what StateDict tells of: the epoch that was begun last, nil once it is finished
}

// NewLoader returns a Loader over a data set, which goes through the samples one by one and in order unless told otherwise. It
// panics where there is no data set, where BatchSize or PrefetchFactor is not positive, where Workers is negative, and for options
// that exclude each other.
func NewLoader[B any](dataset Dataset[B], opts ...LoaderOption) *Loader[B] {
	if dataset == nil {
		refuse(tensor.ErrValue, "a Loader needs a data set, not nil")
	}
	o := optionsOf(opts)
	o.check()
	return &Loader[B]{dataset: dataset, batches: o.batchesOf(dataset.Len()), options: o, read: func(_ context.Context, p *pass) iter.Seq[job[B]] {
		return jobs(dataset, p, &o)
	}}
}

// check refuses options that exclude each other, and numbers that make no sense.
func (o *options) check() {
	switch {
	case or(o.workers, 0) < 0:
		refuse(tensor.ErrValue, "num_workers option should be non-negative; use num_workers=0 to disable multiprocessing.")
	case o.prefetch != nil && or(o.workers, 0) == 0:
		refuse(tensor.ErrValue, "prefetch_factor option could only be specified in multiprocessing."+
			"let num_workers > 0 to enable multiprocessing, otherwise set prefetch_factor to None.")
	case or(o.prefetch, 2) < 1:
		refuse(tensor.ErrValue, "prefetch_factor option should be positive, but got %d", *o.prefetch)
	case o.sampler != nil && or(o.shuffle, false):
		refuse(tensor.ErrValue, "sampler option is mutually exclusive with shuffle")
	case o.batches != nil && (o.batchSize != nil || or(o.shuffle, false) || o.sampler != nil || o.dropLast):
		refuse(tensor.ErrValue, "batch_sampler option is mutually exclusive with batch_size, shuffle, sampler, and drop_last")
	}
}

// batchesOf returns how so many samples are cut into batches.
func (o *options) batchesOf(samples int) *BatchSampler {
	if o.batches != nil {
		return o.batches
	}
	s := o.sampler
	switch {
	case s != nil:
	case or(o.shuffle, false):
		s = randomSampler(samples, samples, false, o.generator)
	default:
		s = &Sampler{samples: samples, draw: func(*tensor.Generator) []int { return firstIndices(samples) }}
	}
	return NewBatchSampler(s, or(o.batchSize, 1), DropLast(o.dropLast))
}

// Len returns the number of batches. It panics for a stream.
func (l *Loader[B]) Len() int {
	if l.batches == nil {
		refuse(tensor.ErrValue, "object of type 'IterableDataset' has no len()")
	}
	return l.batches.Len()
}

// All returns the batches of one epoch. An error ends it, and so does the end of ctx; either comes with an empty batch.
// A *tensor.Error that the data set panics with is such an error; any other panic is raised again in the loop.
//
//	for batch, err := range loader.All(ctx) {
//		if err != nil {
//			return err
//		}
//		loss := tensor.CrossEntropy(net.Forward(batch.Inputs), batch.Targets)
//	}
func (l *Loader[B]) All(ctx context.Context) iter.Seq2[B, error] {
	return func(yield func(B, error) bool) {
		p := l.begin()
		for d := range l.deliveries(ctx, p) {
			if d.panicked != nil {
				panic(d.panicked)
			}
			if d.err != nil {
				var none B
				yield(none, d.err)
				return
			}
			l.count(p)
			if !d.to(yield) {
				return
			}
		}
		l.finish(p)
	}
}

// pass is one epoch under way.
type pass struct {
	order     *order // nil for a stream
	batches   [][]int
	seed      int64 // of what the samples draw
	started   int   // batches that are not to be made, because a loop before had them
	delivered int   // batches that the loop has got; guarded by the loader's mu
	had       int   // samples that so many processes as were before have had, of those of a distributed sampler
	restored  bool  // it comes from a state dict, and no loop has begun it; guarded by the loader's mu
}

// begin returns a new epoch, or the rest of the one that LoadStateDict has restored.
func (l *Loader[B]) begin() *pass {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.latest != nil && l.latest.restored {
		l.latest.restored = false
		return l.latest
	}
	// PyTorch draws a seed for its worker processes before the order.
	l.latest = &pass{seed: drawSeed(l.options.generator)}
	if l.batches != nil {
		l.latest.take(l.batches, l.batches.sampler.begin())
	}
	return l.latest
}

func (p *pass) take(b *BatchSampler, o *order) {
	p.order = o
	if p.had > 0 {
		p.batches = b.rest(o.indices)
	} else {
		p.batches = b.of(o.indices)
	}
}

// place returns the number of a sample in the order of all processes, by that in this one's.
func (p *pass) place(i int) int {
	if s := p.order.sampler.shares; s != nil {
		return p.had + i*s.replicas + s.rank
	}
	return i
}

// count notes that the loop gets a batch.
func (l *Loader[B]) count(p *pass) {
	l.mu.Lock()
	defer l.mu.Unlock()
	p.delivered++
}

// finish is called when the loop has seen all batches.
func (l *Loader[B]) finish(p *pass) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if p.order != nil {
		p.order.finish()
	}
	l.finished++
	if l.latest == p {
		l.latest = nil
	}
}

// jobs asks a data set for each batch that is left of an epoch, or this process's part of it.
func jobs[B any](dataset Dataset[B], p *pass, o *options) iter.Seq[job[B]] {
	return func(yield func(job[B]) bool) {
		place := 0
		for i, indices := range p.batches {
			first := place
			place += len(indices)
			from, to := o.ours(len(indices))
			indices, first = indices[from:to], first+from
			make := func() (B, error) {
				seeds := make([]int64, len(indices))
				for at, index := range indices {
					seeds[at] = sampleSeed(p.seed, p.place(first+at), index)
				}
				return batchOf(dataset, indices, seeds)
			}
			if i >= p.started && !yield(make) {
				return
			}
		}
	}
}
