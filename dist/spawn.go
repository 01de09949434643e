package dist

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"sync"

	"cresset/tensor"
)

// Spawn calls f for n ranks, each in a goroutine of its own, and returns when all have returned: a job within one program, for tests and for
// machines that have no launcher. Where a rank fails, operations of the others that wait for it end with a *RankError; Spawn's error is that of the ranks
// that failed by themselves. Ranks share the default generator, so that what each draws from it depends on who comes first: models that they train are best drawn
// before, and copied by nn.Copy.
func Spawn(n int, f func(g *Group) error, opts ...Option) error {
	if n < 1 {
		panic(fault("spawn", tensor.ErrValue, fmt.Sprintf("%d is no number of ranks", n)))
	}
	o, err := optionsOf(opts)
	if err != nil {
		return err
	}
	r, errs, groups := newRoom(n), make([]error, n), make([]*Group, n)
	for rank := range n {
		groups[rank] = newLocal(r, rank, o)
	}
	var running sync.WaitGroup
	for rank, g := range groups {
		running.Go(func() {
			errs[rank] = errExit
			defer func() { g.leave(errs[rank], groups) }()
			errs[rank] = caught(func() error { return f(g) })
		})
	}
	running.Wait()
	var causes, all []error
	for rank, err := range errs {
		if err == nil {
			continue
		}
		failure := &RankError{rank, err}
		all = append(all, failure)
		if gone := (*RankError)(nil); !errors.As(err, &gone) {
			causes = append(causes, failure)
		}
	}
	if causes != nil {
		return errors.Join(causes...)
	}
	return errors.Join(all...)
}

// leave ends what the other groups of a Spawn wait for from this rank, which has returned an error or nil.
func (g *Group) leave(err error, all []*Group) {
	why := err
	if why == nil {
		why = errLeft
	}
	g.engine.(*local).leave(why)
	for _, other := range all {
		n := other.meeting.gpus.Load()
		switch {
		case n == nil:
		case err != nil:
			n.leave(&RankError{g.rank, err})
		case other == g:
			ctx, cancel := context.WithTimeout(context.Background(), g.timeout)
			_ = n.close(ctx) // another rank has failed then, which Spawn tells
			cancel()
		}
	}
}

var errExit = errors.New("ended its goroutine")

// caught returns f's error, or what it panicked with.
func caught(f func() error) (err error) {
	defer func() {
		switch r := recover().(type) {
		case nil:
		case *tensor.Error:
			err = r
		default:
			err = fmt.Errorf("panic: %v\n%s", r, debug.Stack())
		}
	}()
	return f()
}
