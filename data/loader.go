package data

import (
	"context"
	"iter"

	"cresset/tensor"
)

// LoaderOptions chooses how a Loader goes through a data set. Its zero value takes the samples one by one, in order.
type LoaderOptions struct {
	BatchSize int               // samples in a batch; 0 means 1
	Shuffle   bool              // go through the samples in a new random order each time
	DropLast  bool              // leave out the last batch where it is smaller than the others
	Workers   int               // batches made ahead of the loop, each on a goroutine of its own
	Generator *tensor.Generator // draws the order; where it is nil tensor.ManualSeed decides
	Scopes    bool              // give each batch a scope that closes when the loop advances
}

// Loader cuts a data set into batches. It may be used by several loops at once if its Dataset may.
type Loader struct {
	dataset Dataset
	options LoaderOptions
}

// NewLoader returns a Loader over a data set. It panics where there is none, or BatchSize or Workers is negative.
func NewLoader(dataset Dataset, o LoaderOptions) *Loader {
	if dataset == nil {
		refuse(tensor.ErrValue, "a Loader needs a data set, not nil")
	}
	if o.BatchSize < 0 {
		refuse(tensor.ErrValue, "batch_size should be a positive integer value, but got batch_size=%d", o.BatchSize)
	}
	if o.Workers < 0 {
		refuse(tensor.ErrValue, "num_workers option should be non-negative; use num_workers=0 to disable multiprocessing.")
	}
	o.BatchSize = max(o.BatchSize, 1)
	return &Loader{dataset: dataset, options: o}
}

// Len returns the number of batches.
func (l *Loader) Len() int {
	samples, size := l.dataset.Len(), l.options.BatchSize
	if l.options.DropLast || samples%size == 0 {
		return samples / size
	}
	return samples/size + 1
}

// All returns the batches of one epoch. An error ends it, and so does the end of ctx; either comes with an empty Batch.
// A *tensor.Error that the data set panics with is such an error; any other panic is raised again in the loop.
//
//	for batch, err := range loader.All(ctx) {
//		if err != nil {
//			return err
//		}
//		loss := nn.CrossEntropy(net.Forward(batch.Inputs), batch.Targets)
//	}
func (l *Loader) All(ctx context.Context) iter.Seq2[Batch, error] {
	return func(yield func(Batch, error) bool) {
		p := l.newPass()
		defer p.drain()
		for p.left > 0 {
			d, err := p.next(ctx)
			if err != nil {
				yield(Batch{}, err)
				return
			}
			if !d.to(yield) {
				return
			}
		}
		p.order.finish()
	}
}

// pass is one epoch under way.
type pass struct {
	loader  *Loader
	order   *order
	started int             // batches
	left    int             // batches that the loop has not seen
	ahead   []chan delivery // the batches that are being made, oldest first
}

func (l *Loader) newPass() *pass {
	return &pass{loader: l, order: newOrder(l.dataset.Len(), l.options), left: l.Len()}
}

// start makes batch i in the background.
func (p *pass) start(i int) chan delivery {
	size := p.loader.options.BatchSize
	indices := p.order.indices[i*size : min((i+1)*size, len(p.order.indices))]
	done := make(chan delivery, 1)
	go func() { done <- p.loader.deliver(indices) }()
	return done
}

// next waits for the oldest batch, while the workers are busy with those that follow.
func (p *pass) next(ctx context.Context) (delivery, error) {
	if err := context.Cause(ctx); err != nil {
		return delivery{}, err
	}
	for len(p.ahead) < p.left && len(p.ahead) <= p.loader.options.Workers {
		p.ahead = append(p.ahead, p.start(p.started))
		p.started++
	}
	select {
	case <-ctx.Done():
		return delivery{}, context.Cause(ctx)
	case d := <-p.ahead[0]:
		p.ahead = p.ahead[1:]
		p.left--
		if d.panicked != nil {
			panic(d.panicked)
		}
		return d, d.err
	}
}

// drain waits for what is still being made, so that no goroutine outlives the loop.
func (p *pass) drain() {
	for _, done := range p.ahead {
		d := <-done
		d.close()
	}
}

// delivery is a batch that was made, or why it was not.
type delivery struct {
	batch    Batch
	err      error
	panicked any // what the data set panicked with
}

// deliver asks the data set for a batch and puts it into its scope. It catches every panic: one that left a goroutine would
// end the process, where nobody can recover.
func (l *Loader) deliver(indices []int) (d delivery) {
	defer func() { d.panicked = recover() }()
	failed := tensor.Try(func() { d.batch, d.err = l.dataset.Batch(indices) })
	if d.err == nil {
		d.err = failed
	}
	if d.err != nil || !l.options.Scopes {
		return d
	}
	b := &d.batch
	b.Scope = tensor.NewScope()
	b.Inputs = b.Scope.Enter(b.Inputs)
	if b.Targets != nil {
		b.Targets = b.Scope.Enter(b.Targets)
	}
	return d
}

// to hands the batch to the loop and closes its scope afterwards, even where the loop's body panics.
func (d delivery) to(yield func(Batch, error) bool) bool {
	defer d.close()
	return yield(d.batch, nil)
}

func (d delivery) close() {
	if d.batch.Scope != nil {
		d.batch.Scope.Close()
	}
}
