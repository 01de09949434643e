package data

import (
	"context"
	"errors"
	"iter"
	"sync"

	"cresset/internal/profile"
	"cresset/tensor"
)

// job makes a batch.
type job[B any] func() (B, error)

// delivery is a batch that was made, or why it was not.
type delivery[B any] struct {
	batch    B
	scope    *tensor.Scope // nil unless the Loader was asked for scopes
	err      error
	panicked any // what the data set panicked with
}

// deliveries makes the batches that are left of an epoch in the loop's goroutine, or on workers ahead of the loop, and gives them in order.
// It ends with the first that failed, and with ctx.
func (l *Loader[B]) deliveries(ctx context.Context, p *pass) iter.Seq[delivery[B]] {
	if or(l.options.workers, 0) > 0 {
		return func(yield func(delivery[B]) bool) { l.ahead(ctx, p, yield) }
	}
	return func(yield func(delivery[B]) bool) {
		ctx, cancel := context.WithCancel(ctx)
		defer cancel()
		for job := range l.read(ctx, p) {
			d := delivery[B]{err: context.Cause(ctx)}
			if d.err == nil {
				waiting := profile.Begin(profile.Region, waitName)
				d = l.deliver(job)
				waiting.End()
			}
			if !yield(d) || d.err != nil {
				return
			}
		}
	}
}

// waitName is what profiles call the time in which the loop waits for a batch.
const waitName = "enumerate(DataLoader)"

// ahead runs the workers of one epoch. When it returns they have ended, and what they made in vain is given back.
func (l *Loader[B]) ahead(ctx context.Context, p *pass, yield func(delivery[B]) bool) {
	ctx, cancel := context.WithCancel(ctx)
	workers := *l.options.workers
	q := &queue[B]{
		results: make(chan chan delivery[B], workers*or(l.options.prefetch, 2)),
		tasks:   make(chan task[B]),
	}
	defer q.end()
	defer cancel()
	q.running.Go(func() { q.fill(ctx, func() iter.Seq[job[B]] { return l.read(ctx, p) }) })
	for range workers {
		q.running.Go(func() { q.work(l) })
	}
	for {
		waiting := profile.Begin(profile.Region, waitName)
		d, ok := q.next(ctx)
		waiting.End()
		if !ok || !yield(d) || d.err != nil {
			return
		}
	}
}

// queue hands jobs to workers, and their results back in the order of the jobs.
type queue[B any] struct {
	results chan chan delivery[B] // of the jobs that were begun, oldest first; its capacity bounds how far the workers are ahead
	tasks   chan task[B]
	running sync.WaitGroup
	awaited chan delivery[B] // what the loop has waited for last
}

type task[B any] struct {
	job    job[B]
	result chan delivery[B]
}

// fill puts jobs into the queue, until there are no more or ctx ends. Where reading them panics the last job does, and where it
// ends the goroutine the last job fails.
func (q *queue[B]) fill(ctx context.Context, read func() iter.Seq[job[B]]) {
	defer close(q.tasks)
	ended := false
	defer func() {
		last := func() (none B, err error) { return none, errEnded }
		r := recover()
		if r != nil {
			last = func() (B, error) { panic(r) }
		}
		if ended || q.put(ctx, last) {
			close(q.results)
		}
	}()
	for job := range read() {
		if !q.put(ctx, job) {
			break
		}
	}
	ended = true
}

// errEnded is why there is no batch where a data set called runtime.Goexit, as t.FailNow does, in a worker's goroutine.
var errEnded = errors.New("data: the data set ended a worker's goroutine")

// put waits until a worker takes a job; it reports whether one did.
func (q *queue[B]) put(ctx context.Context, job job[B]) bool {
	t := task[B]{job, make(chan delivery[B], 1)}
	select {
	case <-ctx.Done():
		return false
	case q.results <- t.result:
	}
	select {
	case <-ctx.Done():
		return false
	case q.tasks <- t:
		return true
	}
}

// work does jobs until there are no more.
func (q *queue[B]) work(l *Loader[B]) {
	for t := range q.tasks {
		q.do(l, t)
	}
}

// do does a job; it gives a result even where the job ends the goroutine, for the loop waits for it.
func (q *queue[B]) do(l *Loader[B], t task[B]) {
	d := delivery[B]{err: errEnded}
	defer func() { t.result <- d }()
	d = l.deliverOrCatch(t.job)
}

// next waits for the result of the oldest job; ok is false where there are no more.
func (q *queue[B]) next(ctx context.Context) (d delivery[B], ok bool) {
	if err := context.Cause(ctx); err != nil {
		return delivery[B]{err: err}, true
	}
	select {
	case <-ctx.Done():
		return delivery[B]{err: context.Cause(ctx)}, true
	case q.awaited, ok = <-q.results:
		if !ok {
			return d, false
		}
	}
	select {
	case <-ctx.Done():
		return delivery[B]{err: context.Cause(ctx)}, true
	case d = <-q.awaited:
		return d, true
	}
}

// end waits for the workers, so that no goroutine outlives the loop, and gives back what the loop did not take.
func (q *queue[B]) end() {
	q.running.Wait()
	for result := q.awaited; result != nil; {
		select {
		case d := <-result:
			d.close()
		default: // it was taken, or never made
		}
		select {
		case result = <-q.results:
		default:
			result = nil
		}
	}
}

// deliverOrCatch catches every panic: one that left a worker's goroutine would end the process, where nobody can recover.
func (l *Loader[B]) deliverOrCatch(job job[B]) (d delivery[B]) {
	defer func() {
		if r := recover(); r != nil {
			d = delivery[B]{panicked: r}
		}
	}()
	return l.deliver(job)
}

// deliver makes a batch, puts it into its scope and brings it to where it was asked for.
func (l *Loader[B]) deliver(job job[B]) (d delivery[B]) {
	failed := tensor.Try(func() {
		if d.batch, d.err = job(); d.err == nil {
			d.place(&l.options)
		}
	})
	if failed != nil {
		d.close()
		d.err = failed
	}
	return d
}

// place puts a batch into its scope, which frees the copies too, into pinned memory and on its device.
func (d *delivery[B]) place(o *options) {
	if o.scopes {
		d.scope = tensor.NewScope()
		d.batch = inScope(d.batch, d.scope)
	}
	if or(o.pin, o.to != nil && o.to.IsCUDA()) {
		d.batch = replaced(d.batch, (*tensor.Tensor).PinMemory)
	}
	if o.to != nil {
		d.batch = replaced(d.batch, func(x *tensor.Tensor) *tensor.Tensor { return x.To(*o.to, tensor.NonBlocking(true)) })
	}
}

// to hands the batch to the loop and closes its scope afterwards, even where the loop's body panics.
func (d delivery[B]) to(yield func(B, error) bool) bool {
	defer d.close()
	return yield(d.batch, nil)
}

func (d delivery[B]) close() {
	if d.scope != nil {
		d.scope.Close()
	}
}
