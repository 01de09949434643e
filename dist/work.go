package dist

import (
	"context"
	"errors"
	"os"
	"sync"

	"cresset/tensor"
)

// Work is an operation that has begun.
type Work struct {
	group   *Group
	call    *call
	pending pending
	results *tensor.Tensor // of the caller; the call's own stand for them where they are on a GPU

	finished sync.Once
	err      error
	asked    sync.Once
	done     chan struct{}
}

// Wait waits until the operation has ended, for at most the group's timeout and not longer than ctx, and returns its error. Where it does not end in time, that is a
// *TimeoutError, and the group is of no more use.
func (w *Work) Wait(ctx context.Context) error {
	err := w.pending.Wait(ctx, w.group.timeout)
	if errors.Is(err, os.ErrDeadlineExceeded) || ctx.Err() != nil && errors.Is(err, context.Cause(ctx)) {
		late := &TimeoutError{w.call.String(), w.call.site, err}
		w.group.breakBy(late)
		return late
	}
	w.finished.Do(func() { w.err = w.finish(err) })
	return w.err
}

// Done returns a channel that is closed when the operation has ended. Wait tells how.
func (w *Work) Done() <-chan struct{} {
	w.asked.Do(func() {
		w.done = make(chan struct{})
		go func() {
			defer close(w.done)
			_ = w.Wait(context.Background()) // the error stays for those who call Wait
		}()
	})
	return w.done
}

// finish copies results to the GPU that they belong to.
func (w *Work) finish(err error) error {
	switch {
	case err != nil:
		w.group.breakBy(err)
		return err
	case w.results == nil || w.results.Device().IsCPU():
		return nil
	}
	return tensor.Try(func() { w.results.Detach().CopyInPlace(w.call.out) })
}
