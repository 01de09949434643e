package data

import (
	"context"
	"errors"
	"iter"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
)

// gate is a data set of its own indices that makes a batch when it is let.
type gate struct {
	n    int
	open chan struct{}
	made atomic.Int32

	mu      sync.Mutex
	at, max int // batches that are being made, and the most that ever were
}

func (d *gate) Len() int { return d.n }

func (d *gate) Batch(indices []int) ([]int, error) {
	d.count(1)
	defer d.count(-1)
	<-d.open
	d.made.Add(1)
	return indices, nil
}

// count adds to the batches that are being made, and returns how many they are.
func (d *gate) count(n int) int {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.at += n
	d.max = max(d.max, d.at)
	return d.at
}

// TestLoaderWorkersAreAsManyAsAsked: no more batches are made at a time than there are workers, and no more ahead of the loop than
// PrefetchFactor lets each worker.
func TestLoaderWorkersAreAsManyAsAsked(t *testing.T) {
	for _, workers := range []int{1, 2, 5} {
		synctest.Test(t, func(t *testing.T) {
			d := &gate{n: 100, open: make(chan struct{})}
			go func() {
				synctest.Wait()
				if got := d.count(0); got != workers {
					t.Errorf("%d workers: %d batches are being made", workers, got)
				}
				close(d.open)
			}()
			taken := int32(0)
			for b, err := range NewLoader(d, Workers(workers), PrefetchFactor(3)).All(t.Context()) {
				if err != nil || !slices.Equal(b, []int{int(taken)}) {
					t.Fatalf("batch %d is %v, %v", taken, b, err)
				}
				taken++
				synctest.Wait()
				if got, want := d.made.Load(), min(100, taken+int32(3*workers)); got != want {
					t.Errorf("%d workers: %d batches are made when the loop has %d, want %d", workers, got, taken, want)
				}
			}
			if d.max != workers {
				t.Errorf("%d workers made %d batches at a time", workers, d.max)
			}
		})
	}
}

// TestLoaderLeavesNoGoroutine: a bubble ends when all goroutines have ended that began in it, and fails where they cannot.
func TestLoaderLeavesNoGoroutine(t *testing.T) {
	stop := errors.New("stop here")
	ends := map[string]func(cancel context.CancelCauseFunc) (goOn bool){
		"break":  func(context.CancelCauseFunc) bool { return false },
		"panic":  func(context.CancelCauseFunc) bool { panic(stop) },
		"cancel": func(cancel context.CancelCauseFunc) bool { cancel(stop); return true },
		"whole":  func(context.CancelCauseFunc) bool { return true },
	}
	for name, end := range ends {
		synctest.Test(t, func(t *testing.T) {
			ctx, cancel := context.WithCancelCause(t.Context())
			defer cancel(nil)
			d := &gate{n: 20, open: make(chan struct{})}
			close(d.open)
			defer func() { recover() }()
			for _, err := range NewLoader(d, Workers(4)).All(ctx) {
				if err != nil && !errors.Is(err, stop) || err == nil && context.Cause(ctx) != nil {
					t.Errorf("%s: got %v", name, err)
				}
				if !end(cancel) {
					break
				}
			}
		})
	}
}

// TestLoaderWaitsNoLongerThanItsContext: the end of ctx reaches a loop whose next batch is still being made.
func TestLoaderWaitsNoLongerThanItsContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		d := &gate{n: 20, open: make(chan struct{})}
		go func() {
			synctest.Wait() // until the loop waits for its first batch
			cancel()
			synctest.Wait() // until it waits for its workers
			close(d.open)
		}()
		for b, err := range NewLoader(d, Workers(3)).All(ctx) {
			if !errors.Is(err, context.Canceled) {
				t.Errorf("got %v, %v", b, err)
			}
		}
		if got := d.made.Load(); got != 3 {
			t.Errorf("%d batches were made after the end, want the 3 that were under way", got)
		}
	})
}

// TestLoaderWithoutWorkersMakesBatchesInTheLoop: such a batch is made when it is asked for, and not before.
func TestLoaderWithoutWorkersMakesBatchesInTheLoop(t *testing.T) {
	d := &gate{n: 4, open: make(chan struct{})}
	close(d.open)
	taken := int32(0)
	for range NewLoader(d).All(t.Context()) {
		if taken++; d.made.Load() != taken {
			t.Errorf("%d batches are made for %d", d.made.Load(), taken)
		}
	}
}

// leaver is a data set that ends the goroutine of its third batch, as a test's FailNow does.
type leaver struct{}

func (leaver) Len() int { return 6 }

func (leaver) Batch(indices []int) ([]int, error) {
	if indices[0] == 2 {
		runtime.Goexit()
	}
	return indices, nil
}

// TestLoaderTellsOfGoroutinesThatEnd: a loop neither waits for ever for a batch whose goroutine the data set has ended, nor takes what
// it got for all.
func TestLoaderTellsOfGoroutinesThatEnd(t *testing.T) {
	stream := &Stream[int, []int]{
		Read: func(context.Context) iter.Seq2[int, error] {
			return func(yield func(int, error) bool) {
				for i := range 2 {
					yield(i, nil)
				}
				runtime.Goexit()
			}
		},
		Collate: func(samples []int) ([]int, error) { return samples, nil },
	}
	for name, l := range map[string]*Loader[[]int]{
		"data set": NewLoader(leaver{}, Workers(2)), "stream": NewStreamLoader(stream, Workers(2)),
	} {
		synctest.Test(t, func(t *testing.T) {
			var got []int
			var failed error
			for b, err := range l.All(t.Context()) {
				got, failed = append(got, b...), err
			}
			if !slices.Equal(got, []int{0, 1}) || !errors.Is(failed, errEnded) {
				t.Errorf("%s: got %v and %v, want the first two batches and that a goroutine was ended", name, got, failed)
			}
		})
	}
}
