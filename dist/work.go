package dist

import (
	"context"
	"errors"
	"sync"

	"cresset/tensor"
)

// Work is an operation that has begun.
type Work struct {
	group   *Group
	call    call
	behalf  *call // the program's call for which the package makes this one; nil where the program makes it
	pending pending
	number  int64          // of a collective operation, counted in the group
	results *tensor.Tensor // of the caller; the call's own stand for them where those are on another device

	mu      sync.Mutex
	settled bool
	err     error         // once it is settled
	done    chan struct{} // closed then; nil where nobody has asked for it
}

// Wait waits until the operation has ended, for at most the group's timeout and not longer than ctx, and returns its error. Where it does not end in time, that is a
// *TimeoutError, and the group is of no more use. Another Wait returns the same.
func (w *Work) Wait(ctx context.Context) error {
	w.mu.Lock()
	settled := w.settled
	w.mu.Unlock()
	if settled {
		return w.err
	}
	return w.settle(ctx, w.group.await(ctx, w))
}

// settle notes how a wait has ended, unless another one has told how the operation ended, and returns that.
func (w *Work) settle(ctx context.Context, err error) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.settled {
		return w.err
	}
	_, never := w.pending.(failed)
	var late error
	if !never {
		late = w.group.late(ctx, w, err)
	}
	if w.err = late; late == nil {
		w.err = w.finish(err)
	}
	w.settled = true
	if w.done != nil {
		close(w.done)
	}
	return w.err
}

// late returns a *TimeoutError, which breaks the group, where err says that a call has not ended in time; nil where it has.
func (g *Group) late(ctx context.Context, w *Work, err error) error {
	if !isLate(ctx, err) {
		return nil
	}
	named := &w.call
	if w.behalf != nil {
		named = w.behalf
	}
	if named.from == nil {
		named.from = callSite()
	}
	timeout := &TimeoutError{Call: named.String(), Site: named.place(), Err: err}
	switch knows, ok := w.pending.(latecomers); {
	case ok:
		timeout.Missing = knows.missing()
	case w.number == 0:
		timeout.Missing = []int{w.call.peer}
	case g.hasRoll():
		timeout.Missing, timeout.unsure = g.roll.late(g, w.number), true
	}
	if stuck, ok := w.pending.(interface{ giveUp(why error) }); ok {
		stuck.giveUp(timeout)
	}
	g.breakBy(timeout)
	return timeout
}

// isLate reports whether err says that a wait has not ended in time: that another rank came too late is no lateness here.
func isLate(ctx context.Context, err error) bool {
	if err == nil {
		return false
	}
	var gone *RankError // allocated, so only where there is an error
	if errors.As(err, &gone) {
		return false
	}
	return errors.Is(err, context.DeadlineExceeded) || ctx.Err() != nil && errors.Is(err, context.Cause(ctx))
}

// Done returns a channel that is closed when the operation has ended, or a wait for it has. Wait tells how.
func (w *Work) Done() <-chan struct{} {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.done != nil {
		return w.done
	}
	w.done = make(chan struct{})
	if w.settled {
		close(w.done)
		return w.done
	}
	if w.call.from == nil {
		w.call.from = callSite()
	}
	go func() { _ = w.Wait(context.Background()) }() // the error stays for those who call Wait
	return w.done
}

// finish copies results to the device that they belong to.
func (w *Work) finish(err error) error {
	switch {
	case err != nil:
		w.group.breakBy(err)
		return err
	case w.results == nil || w.results.Device() == w.call.out.Device():
		return nil
	}
	return tensor.Try(func() { w.results.Detach().CopyInPlace(w.call.out) })
}
