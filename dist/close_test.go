package dist

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
)

// TestCloseNamesRanks: a Close that has not ended in time names the ranks that have not left; when they have, another one ends well.
func TestCloseNamesRanks(t *testing.T) {
	h := &host{local: &local{room: newRoom(3)}}
	leaves := func(rank int) {
		h.room.leave(rank, errLeft)
		h.guests.Done()
	}
	h.guests.Add(2)
	leaves(2)
	g := &Group{size: 3, engine: h, options: options{timeout: DefaultTimeout}}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	err := g.Close(ctx)
	var late *TimeoutError
	if !errors.As(err, &late) || !slices.Equal(late.Missing, []int{1}) || !errors.Is(err, context.Canceled) || !strings.HasPrefix(err.Error(), "close, called at ") {
		t.Errorf("got %v", err)
	}
	leaves(1)
	if err := g.Close(t.Context()); err != nil {
		t.Error(err)
	}
}

// TestEndBeforeContext: an operation that has ended has not come too late for a context that has ended too.
func TestEndBeforeContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	g := &Group{size: 1, options: options{timeout: DefaultTimeout}}
	e := &ending{done: make(chan struct{})}
	e.end(nil)
	for range 100 { // a select takes one of both
		if err := (&Work{group: g, pending: e}).Wait(ctx); err != nil {
			t.Fatal(err)
		}
	}
}

// TestDebugOfPyTorch: PyTorch takes its levels in any case.
func TestDebugOfPyTorch(t *testing.T) {
	for level, want := range map[string]bool{"": false, "OFF": false, "info": false, "DETAIL": true, "detail": true} {
		t.Setenv("TORCH_DISTRIBUTED_DEBUG", level)
		if o, err := optionsOf(nil); o.debug != want || err != nil {
			t.Errorf("%q: %t, %v", level, o.debug, err)
		}
	}
}
