package data

import (
	"context"
	"iter"
	"sync"

	"cresset/tensor"
)

// LoaderOption is an option of NewLoader.
type LoaderOption func(*loading)

// loading is how a Loader goes through a data set.
type loading struct {
	batchSize, workers        int
	shuffle, dropLast, scopes bool
	generator                 *tensor.Generator
}

// BatchSize is the number of samples in a batch, 1 unless given.
func BatchSize(n int) LoaderOption { return func(o *loading) { o.batchSize = n } }

// Shuffle goes through the samples in a new random order each time.
func Shuffle(on bool) LoaderOption { return func(o *loading) { o.shuffle = on } }

// DropLast leaves out the last batch where it is smaller than the others.
func DropLast(on bool) LoaderOption { return func(o *loading) { o.dropLast = on } }

// Workers is the number of goroutines that make batches ahead of the loop, one each at a time. With 0, the default, the
// loop's own goroutine makes each batch when it is asked for.
func Workers(n int) LoaderOption { return func(o *loading) { o.workers = n } }

// Generator draws the order of a shuffled data set; unless given, tensor.ManualSeed decides.
func Generator(g *tensor.Generator) LoaderOption { return func(o *loading) { o.generator = g } }

// Scopes gives each batch a scope that closes when the loop advances.
func Scopes(on bool) LoaderOption { return func(o *loading) { o.scopes = on } }

// Loader cuts a data set into batches. It may be used by several loops at once if its Dataset may.
type Loader struct {
	dataset Dataset
	options loading

	mu       sync.Mutex
	finished int   // epochs
	latest   *pass // what StateDict tells of: the epoch that was begun last, nil once it is finished
}

// NewLoader returns a Loader over a data set, which goes through the samples one by one and in order unless told otherwise. It
// panics where there is no data set, where BatchSize is not positive, and where Workers is negative.
func NewLoader(dataset Dataset, opts ...LoaderOption) *Loader {
	if dataset == nil {
		refuse(tensor.ErrValue, "a Loader needs a data set, not nil")
	}
	o := loading{batchSize: 1}
	for _, set := range opts {
		set(&o)
	}
	if o.batchSize < 1 {
		refuse(tensor.ErrValue, "batch_size should be a positive integer value, but got batch_size=%d", o.batchSize)
	}
	if o.workers < 0 {
		refuse(tensor.ErrValue, "num_workers option should be non-negative; use num_workers=0 to disable multiprocessing.")
	}
	return &Loader{dataset: dataset, options: o}
}

// Len returns the number of batches.
func (l *Loader) Len() int {
	samples, size := l.dataset.Len(), l.options.batchSize
	if l.options.dropLast || samples%size == 0 {
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
//		loss := tensor.CrossEntropy(net.Forward(batch.Inputs), batch.Targets)
//	}
func (l *Loader) All(ctx context.Context) iter.Seq2[Batch, error] {
	return func(yield func(Batch, error) bool) {
		p := l.begin()
		defer p.drain()
		for p.left > 0 {
			d, err := p.next(ctx)
			if err != nil {
				yield(Batch{}, err)
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
	loader    *Loader
	order     *order
	started   int             // batches that were begun
	left      int             // batches that the loop has not asked for
	ahead     []chan delivery // the batches that are being made, oldest first
	delivered int             // batches that the loop has got; guarded by loader.mu
	restored  bool            // it comes from a state dict, and no loop has begun it; guarded by loader.mu
}

// newPass returns an epoch of which the loop has got so many batches.
func (l *Loader) newPass(o *order, delivered int) *pass {
	return &pass{loader: l, order: o, started: delivered, left: l.Len() - delivered, delivered: delivered}
}

// begin returns a new epoch, or the rest of the one that LoadStateDict has restored.
func (l *Loader) begin() *pass {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.latest != nil && l.latest.restored {
		l.latest.restored = false
	} else {
		l.latest = l.newPass(newOrder(l.dataset.Len(), l.options), 0)
	}
	return l.latest
}

// count notes that the loop gets a batch.
func (l *Loader) count(p *pass) {
	l.mu.Lock()
	defer l.mu.Unlock()
	p.delivered++
}

// finish is called when the loop has seen all batches.
func (l *Loader) finish(p *pass) {
	l.mu.Lock()
	defer l.mu.Unlock()
	p.order.finish()
	l.finished++
	if l.latest == p {
		l.latest = nil
	}
}

// indices returns the samples of the next batch.
func (p *pass) indices() []int {
	size := p.loader.options.batchSize
	from := p.started * size
	p.started++
	return p.order.indices[from:min(from+size, len(p.order.indices))]
}

// next makes the next batch, or waits for it while the workers make those that follow.
func (p *pass) next(ctx context.Context) (delivery, error) {
	if err := context.Cause(ctx); err != nil {
		return delivery{}, err
	}
	p.left--
	if p.loader.options.workers == 0 {
		d := p.loader.deliver(p.indices())
		return d, d.err
	}
	p.refill(p.left + 1)
	select {
	case <-ctx.Done():
		return delivery{}, context.Cause(ctx)
	case d := <-p.ahead[0]:
		p.ahead = p.ahead[1:]
		if d.panicked != nil {
			panic(d.panicked)
		}
		p.refill(p.left)
		return d, d.err
	}
}

// refill lets each idle worker begin a batch; left is how many there are to come.
func (p *pass) refill(left int) {
	for len(p.ahead) < min(left, p.loader.options.workers) {
		done, indices := make(chan delivery, 1), p.indices()
		go func() { done <- p.loader.deliverOrCatch(indices) }()
		p.ahead = append(p.ahead, done)
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

// deliverOrCatch catches every panic: one that left a worker's goroutine would end the process, where nobody can recover.
func (l *Loader) deliverOrCatch(indices []int) (d delivery) {
	defer func() {
		if r := recover(); r != nil {
			d = delivery{panicked: r}
		}
	}()
	return l.deliver(indices)
}

// deliver asks the data set for a batch and puts it into its scope.
func (l *Loader) deliver(indices []int) (d delivery) {
	failed := tensor.Try(func() { d.batch, d.err = l.dataset.Batch(indices) })
	if d.err == nil {
		d.err = failed
	}
	if d.err != nil || !l.options.scopes {
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
