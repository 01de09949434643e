package sim

import (
	"bytes"
	"runtime"
	"slices"
	"sync"
	"testing"

	"cresset/internal/driver"
)

func TestStreamsRunAsynchronously(t *testing.T) {
	b := start(t, "t4", 1)
	s, other := b.stream(driver.StreamNonBlocking), b.stream(driver.StreamNonBlocking)
	list := b.alloc(16)
	add, wait := b.kernel("append"), b.kernel("wait")
	b.ok(b.api.MemsetD8Async(b.ctx, list, 0, 16, 0))
	b.ok(b.api.StreamSynchronize(b.ctx, 0))

	b.ok(b.launch(wait, s)) // returns although the kernel does not end
	b.ok(b.launch(add, s, uint64(list), 2))
	b.want(driver.ErrNotReady, b.api.StreamQuery(b.ctx, s))
	b.ok(b.launch(add, other, uint64(list), 1))
	b.ok(b.api.StreamSynchronize(b.ctx, other))
	b.ok(b.api.StreamQuery(b.ctx, other))
	b.want(driver.ErrNotReady, b.api.StreamQuery(b.ctx, s))
	close(b.gate)
	b.ok(b.api.CtxSynchronize(b.ctx))
	b.ok(b.api.StreamQuery(b.ctx, s))
	if got := b.read(list, 3); !bytes.Equal(got, []byte{2, 1, 2}) {
		t.Errorf("got %v, want the other stream's work first", got)
	}
}

// TestLegacyStreamOrders: stream 0 waits for the blocking streams and they for it, and leaves the non-blocking ones alone.
func TestLegacyStreamOrders(t *testing.T) {
	b := start(t, "t4", 1)
	blocking, later, free := b.stream(0), b.stream(0), b.stream(driver.StreamNonBlocking)
	list, aside := b.alloc(16), b.alloc(16)
	add, wait := b.kernel("append"), b.kernel("wait")
	b.ok(b.api.MemsetD8Async(b.ctx, list, 0, 16, 0))
	b.ok(b.api.MemsetD8Async(b.ctx, aside, 0, 16, 0))
	b.ok(b.api.CtxSynchronize(b.ctx))

	b.ok(b.launch(wait, blocking))
	b.ok(b.launch(add, blocking, uint64(list), 1))
	b.ok(b.launch(add, 0, uint64(list), 2))
	b.ok(b.launch(add, later, uint64(list), 3))
	b.ok(b.launch(add, free, uint64(aside), 4))
	b.ok(b.api.StreamSynchronize(b.ctx, free))
	b.want(driver.ErrNotReady, b.api.StreamQuery(b.ctx, 0))
	b.want(driver.ErrNotReady, b.api.StreamQuery(b.ctx, later))
	close(b.gate)
	b.ok(b.api.StreamSynchronize(b.ctx, 0))
	b.ok(b.api.StreamSynchronize(b.ctx, later))
	if got := b.read(list, 4); !bytes.Equal(got, []byte{3, 1, 2, 3}) {
		t.Errorf("got %v", got)
	}
}

func TestWaitEvent(t *testing.T) {
	b := start(t, "t4", 1)
	first, second := b.stream(driver.StreamNonBlocking), b.stream(driver.StreamNonBlocking)
	list := b.alloc(16)
	add, wait := b.kernel("append"), b.kernel("wait")
	b.ok(b.api.MemsetD8Async(b.ctx, list, 0, 16, first))
	e := b.event(driver.EventDisableTiming)
	b.ok(b.api.StreamWaitEvent(b.ctx, second, e, 0)) // not recorded: no wait
	b.ok(b.api.EventQuery(b.ctx, e))

	b.ok(b.launch(wait, first))
	b.ok(b.launch(add, first, uint64(list), 1))
	b.ok(b.api.EventRecord(b.ctx, e, first))
	b.want(driver.ErrNotReady, b.api.EventQuery(b.ctx, e))
	b.ok(b.api.StreamWaitEvent(b.ctx, second, e, 0))
	b.ok(b.launch(add, second, uint64(list), 2))
	b.want(driver.ErrNotReady, b.api.StreamQuery(b.ctx, second))
	close(b.gate)
	b.ok(b.api.StreamSynchronize(b.ctx, second))
	if got := b.read(list, 3); !bytes.Equal(got, []byte{2, 1, 2}) {
		t.Errorf("got %v", got)
	}
}

func TestStreamMistakes(t *testing.T) {
	b := start(t, "t4", 2)
	other := b.retain(1)
	s, r := b.api.StreamCreate(other, 0, -1)
	b.ok(r)
	e, r := b.api.EventCreate(other, 0)
	b.ok(r)
	b.want(driver.ErrInvalidHandle, b.api.MemsetD8Async(b.ctx, b.alloc(4), 0, 4, s))
	b.explained("of another context")
	b.want(driver.ErrInvalidHandle, b.api.EventRecord(b.ctx, e, 0))
	_, r = b.api.StreamCreate(b.ctx, 2, 0)
	b.want(driver.ErrInvalidValue, r)
	_, r = b.api.EventCreate(b.ctx, 64)
	b.want(driver.ErrInvalidValue, r)
	b.want(driver.ErrInvalidValue, b.api.StreamWaitEvent(b.ctx, 0, b.event(0), 1))
	b.ok(b.api.StreamWaitEvent(b.ctx, 0, e, 0)) // events order the streams of all devices
}

func TestFullQueueWaits(t *testing.T) {
	b := start(t, "t4", 1)
	s, p := b.stream(driver.StreamNonBlocking), b.alloc(4)
	b.ok(b.launch(b.kernel("wait"), s))
	waiting := func() int {
		b.mu.Lock()
		defer b.mu.Unlock()
		return len(b.streams[s].queue)
	}
	for waiting() > 0 { // else the kernel would make room in a queue that was seen full
		runtime.Gosched()
	}
	queued := make(chan struct{})
	go func() {
		for range 2 * maxQueued {
			b.api.MemsetD8Async(b.ctx, p, 1, 4, s)
		}
		close(queued)
	}()
	for waiting() < maxQueued {
		b.want(driver.ErrNotReady, b.api.StreamQuery(b.ctx, s))
		runtime.Gosched()
	}
	select {
	case <-queued:
		t.Error("a stream takes work without end")
	default:
	}
	close(b.gate)
	<-queued
	b.ok(b.api.CtxSynchronize(b.ctx))
}

// TestManyGoroutines has goroutines use streams, events and memory at a time.
func TestManyGoroutines(t *testing.T) {
	b := start(t, "h200", 2)
	contexts := []driver.Context{b.ctx, b.retain(1)}
	var team sync.WaitGroup
	for g := range 8 {
		team.Go(func() {
			ctx := contexts[g%2]
			var results []driver.Result
			do := func(r driver.Result) { results = append(results, r) }
			s, r := b.api.StreamCreate(ctx, uint32(g/4), 0)
			do(r)
			e, r := b.api.EventCreate(ctx, 0)
			do(r)
			for i := range 30 {
				p, r := b.api.MemAlloc(ctx, 1<<17)
				do(r)
				want := bytes.Repeat([]byte{byte(g + i)}, 1<<17)
				do(b.api.MemcpyHtoDAsync(ctx, p, want, s))
				do(b.api.EventRecord(ctx, e, s))
				do(b.api.StreamWaitEvent(ctx, 0, e, 0))
				got := make([]byte, len(want))
				do(b.api.MemcpyDtoHAsync(ctx, got, p, 0))
				if !bytes.Equal(got, want) {
					t.Errorf("goroutine %d, round %d: wrong bytes", g, i)
				}
				do(b.api.MemFree(ctx, p))
			}
			if i := slices.IndexFunc(results, func(r driver.Result) bool { return r != driver.Success }); i >= 0 {
				t.Errorf("goroutine %d, call %d: %v", g, i, results[i])
			}
		})
	}
	team.Wait()
}
